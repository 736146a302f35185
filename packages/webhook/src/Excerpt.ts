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

interface Found {
  /** Looked for as a whole: names and their parts, texts and their lines. */
  readonly parts: Set<string>
  /** Looked for in stretches: all of a longer text. */
  readonly texts: Set<string>
}

const compared = (text: string): string => lower(spaced(text))

/** As it stands and, if it has something like an escape in it, as it would read. */
const add = (parts: Set<string>, text: string): void => {
  // More of a text than an excerpt holds can't be repeated in it.
  const start = text.slice(0, greatestExcerptBytes).trim()
  parts.add(compared(start))
  if (/[\\&%]/.test(start)) parts.add(lower(reading(start, false)))
}

const addLonger = (texts: Set<string>, text: string): void => {
  if (text.length < shortestStretch) return
  texts.add(compared(text))
  if (/[\\&%]/.test(text)) texts.add(lower(reading(text, false)))
}

const collect = (value: unknown, key: string, found: Found): void => {
  const { parts, texts } = found
  if (typeof value === "string") {
    if (tells(value.trim())) add(parts, value)
    addLonger(texts, value)
    if (isName(key)) {
      for (const part of value.split(/\s+/)) {
        if (part.length > 2 || (isOtherScript(part) && part !== "")) add(parts, part)
      }
    } else if (value.includes("\n")) {
      for (const line of value.split("\n")) {
        if (parts.size > mostParts) return
        if (line.trim().length >= shortestLine) add(parts, line)
      }
    }
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, key, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (parts.size > mostParts) return
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

/** Of each character of a text whether it repeats something of the payload. */
type Covered = Uint8Array

/** Where the whole part stands in the text. */
const coverWhole = (text: string, part: string, covered: Covered): void => {
  if (part.length > text.length) return
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    covered.fill(1, at, at + part.length)
  }
}

/** For each beginning of the part, how long a beginning of it is that it also ends with. */
const borders = (part: string): Uint16Array => {
  const found = new Uint16Array(part.length)
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = found[length - 1]!
    if (part[at] === part[length]) length++
    found[at] = length
  }
  return found
}

/** Where the part begins that the cut end of the text leaves unfinished: in one walk, whatever the two are made of. */
const coverUnfinished = (text: string, part: string, covered: Covered): void => {
  const from = Math.max(0, text.length - part.length + 1)
  if (part.length <= coincidence || text.indexOf(part.slice(0, coincidence + 1), from) < 0) return
  const found = borders(part)
  let length = 0
  for (let at = from; at < text.length; at++) {
    while (length > 0 && (length === part.length || text[at] !== part[length])) length = found[length - 1]!
    if (text[at] === part[length]) length++
  }
  if (length > coincidence) covered.fill(1, text.length - length)
}

/** A stretch of so many characters that stands in a text of the payload as well is no coincidence, wherever it was cut. */
const shortestStretch = 16

/** Each stretch holds one of the payload's pieces of this length that begin at its multiples. */
const pieceLength = shortestStretch / 2

/** Of pieces that come again and again in the answer so many places are looked at. */
const mostPlaces = 16

/** Where each piece begins in the text. */
const placesOf = (text: string): Map<string, Array<number>> => {
  const places = new Map<string, Array<number>>()
  for (let at = 0; at + pieceLength <= text.length; at++) {
    const piece = text.slice(at, at + pieceLength)
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [at])
    else known.push(at)
  }
  return places
}

/** Where any stretch of a longer text of the payload stands: receivers shorten what they repeat. */
const coverStretches = (
  text: string,
  places: Map<string, Array<number>>,
  told: string,
  covered: Covered
): void => {
  for (let piece = 0; piece + pieceLength <= told.length; piece += pieceLength) {
    const found = told.slice(piece, piece + pieceLength)
    const at = places.get(found)
    if (at === undefined) continue
    const open = at.filter((each) => covered[each] === 0)
    if (open.length === 0) places.delete(found)
    else if (open.length < at.length) places.set(found, open)
    for (const place of open.slice(0, mostPlaces)) {
      // Covered by the one before.
      if (covered[place] !== 0) continue
      let [before, after] = [0, pieceLength]
      while (before < piece && before < place && told[piece - before - 1] === text[place - before - 1])
        before++
      while (place + after < text.length && told[piece + after] === text[place + after]) after++
      if (before + after >= shortestStretch) covered.fill(1, place - before, place + after)
    }
  }
}

const without = (text: string, covered: Covered): string => {
  let out = ""
  for (let at = 0; at < text.length;) {
    const isCovered = covered[at] === 1
    const next = covered.indexOf(isCovered ? 0 : 1, at)
    const to = next < 0 ? text.length : next
    out += isCovered ? mark : text.slice(at, to)
    at = to
  }
  return out
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
  const [parts, texts] = [new Set<string>(), new Set<string>()]
  collect((JSON.parse(body) as { data?: unknown }).data, "", { parts, texts })
  parts.delete("")
  if (parts.size > mostParts) return "[withheld: the payload is too large to be compared with the answer]"
  const read = reading(text, truncated)
  const folded = lower(read)
  const covered = new Uint8Array(read.length)
  // A form's spaces are plus signs; the positions are the same.
  for (const each of new Set([folded, folded.replaceAll("+", " ")])) {
    for (const part of parts) {
      coverWhole(each, part, covered)
      if (truncated) coverUnfinished(each, part, covered)
    }
    const places = placesOf(each)
    for (const told of texts) coverStretches(each, places, told, covered)
  }
  return covered.includes(1) ? without(read, covered) : text
}
