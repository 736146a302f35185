/**
 * What the log keeps of an answer: its first 1 KiB as text, without the personal data that it repeats from the payload.
 * Receivers echo what they are sent, in error messages above all. [DELIV-5, PII-2]
 */
import { greatestExcerptBytes } from "./Sender.ts"

/** Parts of a payload that tell of no person: ids of ours, types and times. */
const impersonal = new Set([
  "id",
  "type",
  "reactionType",
  "signalType",
  "signal",
  "emittedAt",
  "trackedAt",
  "postPostedAt"
])

const isOtherScript = (text: string): boolean => /[^\p{ASCII}]/u.test(text)

/** One letter or digit would blot out every word; one character of another script can be a whole name. */
const tells = (text: string): boolean => text.length >= 2 || isOtherScript(text)

/** Of a name each part counts; other texts are common words in part. */
const isName = (key: string): boolean => key === "name" || key === "firstName" || key === "lastName"

/** Of a longer text each line of some length counts: an echo can cut it anywhere. */
const shortestLine = 8

/** Of more texts than these no answer is compared: it is withheld. */
const mostParts = 5000

/** In the form in which texts are compared: single spaces, lower case by single characters, so that positions stay. */
const lower = (text: string): string =>
  isOtherScript(text)
    ? Array.from(text, (character) => {
        const folded = character.toLowerCase()
        return folded.length === character.length ? folded : character
      }).join("")
    : text.toLowerCase()

const spaced = (text: string): string => text.replace(/\s+/g, " ")

/** As it stands and, if it has something like an escape in it, as it would read. */
const add = (found: Set<string>, text: string): void => {
  // More of a text than an excerpt holds can't be repeated in it.
  const start = text.slice(0, greatestExcerptBytes).trim()
  found.add(lower(spaced(start)))
  if (/[\\&%]/.test(start)) found.add(lower(reading(start, false)))
}

const collect = (value: unknown, key: string, found: Set<string>): void => {
  if (typeof value === "string") {
    if (tells(value.trim())) add(found, value)
    if (isName(key)) {
      for (const part of value.split(/\s+/)) {
        if (part.length > 2 || (isOtherScript(part) && part !== "")) add(found, part)
      }
    } else if (value.includes("\n")) {
      for (const line of value.split("\n")) {
        if (found.size > mostParts) return
        if (line.trim().length >= shortestLine) add(found, line)
      }
    }
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, key, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (found.size > mostParts) return
      if (!impersonal.has(name)) collect(each, name, found)
    }
  }
}

const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const character = (code: number, otherwise: string): string =>
  code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise

const escapes = /\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(["\\/]))/g
const references = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g
const octets = /(?:%[0-9a-fA-F]{2})+/g
/** An escape that the cut end of a text leaves unfinished. */
const unfinished = /(?:\\(?:u[0-9a-fA-F]{0,3})?|&(?:#[xX]?[0-9a-fA-F]{0,7}|[a-z]{0,4})|%[0-9a-fA-F]?)$/

const ofOctets = (text: string): string => {
  const bytes = Uint8Array.from(text.slice(1).split("%"), (octet) => Number.parseInt(octet, 16))
  // The last character of a cut text can be cut, too.
  return new TextDecoder("utf-8").decode(bytes, { stream: true })
}

/** As it reads once the spellings of JSON, HTML and URLs are taken off it. */
const plainly = (text: string, isCut: boolean): string =>
  (isCut ? text.replace(unfinished, "") : text)
    .replace(escapes, (_, hex?: string, space?: string, itself?: string) =>
      hex === undefined
        ? (itself ?? (space === undefined ? "" : " "))
        : String.fromCharCode(Number.parseInt(hex, 16))
    )
    .replace(references, (all, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? character(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal), all)
        : (entities[name] ?? all)
    )
    .replace(octets, ofOctets)

/** Off with two layers: JSON in JSON, a URL in JSON. Half a surrogate pair that remains is no text. */
const reading = (text: string, isCut: boolean): string =>
  spaced(plainly(plainly(text, isCut), isCut).replace(/\p{Cs}/gu, "\ufffd"))

const mark = "[…]"

/** So much at the end of a cut answer is taken for a coincidence. */
const coincidence = 2

interface Span {
  readonly from: number
  readonly to: number
}

/** Where any of the parts stands in the text, and where one begins that the cut end of the text leaves unfinished. */
const repetitions = (text: string, parts: ReadonlySet<string>, isCut: boolean): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const part of parts) {
    if (part.length <= text.length) {
      for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
        found.push({ from: at, to: at + part.length })
      }
    }
    if (!isCut || part.length <= coincidence) continue
    const start = part.slice(0, coincidence + 1)
    for (let at = text.indexOf(start, text.length - part.length); at >= 0; at = text.indexOf(start, at + 1)) {
      if (part.startsWith(text.slice(at))) found.push({ from: at, to: text.length })
    }
  }
  return found
}

const without = (text: string, spans: ReadonlyArray<Span>): string => {
  let out = ""
  let at = 0
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= at) out += text.slice(at, from) + mark
    at = Math.max(at, to)
  }
  return out + text.slice(at)
}

const shownCharacters = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

/**
 * Null when the answer had no body. An answer that repeats nothing is kept as it came; one that does is shown as it reads
 * without escapes. At most so many texts of the payload are compared.
 */
export const make = (excerpt: Uint8Array, truncated: boolean, body: string): string | null => {
  if (excerpt.length === 0) return null
  // Of a cut answer the last character can be cut, too: `stream` leaves it out.
  const text = shownCharacters(new TextDecoder("utf-8").decode(excerpt, { stream: truncated }))
  const parts = new Set<string>()
  collect((JSON.parse(body) as { data?: unknown }).data, "", parts)
  parts.delete("")
  if (parts.size > mostParts) return "[withheld: the payload is too large to be compared with the answer]"
  const read = reading(text, truncated)
  const folded = lower(read)
  // A form's spaces are plus signs; the positions are the same.
  const spans = [folded, folded.replaceAll("+", " ")].flatMap((each) => repetitions(each, parts, truncated))
  return spans.length === 0 ? text : without(read, spans)
}
