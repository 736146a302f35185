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

/** Of a name each part counts; other texts are common words in part. */
const isName = (key: string): boolean => key === "name" || key === "firstName" || key === "lastName"

/** One letter or digit would blot out every word; one character of another script can be a whole name. */
const tells = (text: string): boolean => text.length >= 2 || /[^\p{ASCII}]/u.test(text)

/** So much at the end of a cut answer is taken for a coincidence. */
const coincidence = 2

const collect = (value: unknown, key: string, found: Set<string>): void => {
  if (typeof value === "string") {
    const text = value.trim()
    if (tells(text)) found.add(text)
    if (isName(key))
      for (const part of text.split(/\s+/))
        if (part.length > 2 || (part.length < text.length && /[^\p{ASCII}]/u.test(part))) found.add(part)
    for (const line of text.split(/\n/)) if (line.trim().length >= 8) found.add(line.trim())
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, key, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (!impersonal.has(name)) collect(each, name, found)
    }
  }
}

/** The personal texts of a body, as they stand there and as JSON or a URL would spell them, the longest first. */
const personal = (body: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  collect((JSON.parse(body) as { data?: unknown }).data, "", found)
  const spelt = new Set<string>()
  for (const text of found) {
    spelt.add(text)
    spelt.add(JSON.stringify(text).slice(1, -1))
    spelt.add(encodeURIComponent(text))
  }
  // More of a text than an excerpt holds can't be repeated in it.
  return [...new Set([...spelt].map((text) => text.slice(0, greatestExcerptBytes)))].sort(
    (a, b) => b.length - a.length
  )
}

const mark = "[…]"

/** Case is folded by single characters, so that positions stay. */
const lower = (text: string): string =>
  Array.from(text, (character) => {
    const folded = character.toLowerCase()
    return folded.length === character.length ? folded : character
  }).join("")

const without = (text: string, part: string): string => {
  const [haystack, needle] = [lower(text), lower(part)]
  let out = ""
  let from = 0
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, from)) {
    out += text.slice(from, at) + mark
    from = at + part.length
  }
  return out + text.slice(from)
}

/** How long an end of the text is the beginning of the part, by its prefix function: linear in both. */
const overlap = (text: string, part: string): number => {
  const joined = `${part}\u0000${text}`
  const borders = new Uint16Array(joined.length)
  for (let i = 1; i < joined.length; i++) {
    let border = borders[i - 1]!
    while (border > 0 && joined[i] !== joined[border]) border = borders[border - 1]!
    borders[i] = joined[i] === joined[border] ? border + 1 : border
  }
  return borders[joined.length - 1]!
}

/** The excerpt's end can cut a text in two: a piece of one that stands there goes, too. */
const withoutCutEnd = (text: string, parts: ReadonlyArray<string>): string => {
  const folded = lower(text)
  const longest = Math.max(0, ...parts.map((part) => overlap(folded, lower(part))))
  return longest <= coincidence ? text : `${text.slice(0, text.length - longest)}${mark}`
}

const shownCharacters = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

/** Null when the answer had no body. */
export const make = (excerpt: Uint8Array, truncated: boolean, body: string): string | null => {
  if (excerpt.length === 0) return null
  // Of a cut answer the last character can be cut, too: `stream` leaves it out.
  const text = shownCharacters(new TextDecoder("utf-8").decode(excerpt, { stream: truncated }))
  const parts = personal(body)
  const whole = truncated ? withoutCutEnd(text, parts) : text
  return parts.reduce(without, whole)
}
