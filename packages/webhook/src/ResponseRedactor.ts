/**
 * Redacts the excerpt of a receiver's response for the delivery log: receivers echo the payload, above all in
 * error messages. Personal data that the response repeats from the payload becomes `[…]`. [DELIV-5, PII-2]
 */
import { maxExcerptBytes } from "./Sender.ts"

/** Fields of a payload that identify no person: our ids, types and times. */
const impersonalKeys = new Set([
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

/**
 * A single ASCII character would match everywhere; a single character of another script can be a whole name.
 */
const isIdentifying = (text: string): boolean => text.length >= 2 || isOtherScript(text)

/** Each word of a name identifies the person; words of other texts are common ones. */
const isName = (key: string): boolean => key === "name" || key === "firstName" || key === "lastName"

/** Lines of at least this length count as phrases of their own: an echo may begin or end at any line. */
const minLineLength = 8

/** A payload with more phrases than this is not compared: the response is withheld. */
const maxPhrases = 5000

/**
 * Lower-cases characters one by one and keeps those whose lower case has another length, so that positions
 * stay valid.
 */
const foldCase = (text: string): string =>
  isOtherScript(text)
    ? Array.from(text, (character) => {
        const folded = character.toLowerCase()
        return folded.length === character.length ? folded : character
      }).join("")
    : text.toLowerCase()

/** Without control characters: an excerpt has none, and an echo can have them escaped. */
const collapseSpaces = (text: string): string => text.replace(/[^\P{Cc}\s]/gu, "").replace(/\s+/g, " ")

interface PersonalTexts {
  /** Matched as a whole: names and their words, texts and their lines. */
  readonly phrases: Set<string>
  /** Matched in fragments of at least `minFragmentLength` characters. */
  readonly longTexts: Set<string>
}

const normalize = (text: string): string => foldCase(collapseSpaces(text))

/** Adds the text as it is and, when it contains something like an escape, as it reads unescaped. */
const addPhrase = (phrases: Set<string>, text: string): void => {
  // An excerpt can't repeat more of a text than it holds.
  const start = text.slice(0, maxExcerptBytes).trim()
  phrases.add(normalize(start))
  if (/[\\&%]/.test(start)) phrases.add(foldCase(unescapeTwice(start, false)))
}

const addLongText = (longTexts: Set<string>, text: string): void => {
  if (text.length < minFragmentLength) return
  longTexts.add(normalize(text))
  if (/[\\&%]/.test(text)) longTexts.add(foldCase(unescapeTwice(text, false)))
}

const collectPersonalTexts = (value: unknown, key: string, found: PersonalTexts): void => {
  const { phrases, longTexts } = found
  if (typeof value === "string") {
    if (isIdentifying(value.trim())) addPhrase(phrases, value)
    addLongText(longTexts, value)
    if (isName(key)) {
      for (const part of value.split(/\s+/)) {
        if (part.length > 2 || (isOtherScript(part) && part !== "")) addPhrase(phrases, part)
      }
    } else if (value.includes("\n")) {
      for (const line of value.split("\n")) {
        if (phrases.size > maxPhrases) return
        if (line.trim().length >= minLineLength) addPhrase(phrases, line)
      }
    }
  } else if (Array.isArray(value)) {
    for (const each of value) collectPersonalTexts(each, key, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (phrases.size > maxPhrases) return
      if (!impersonalKeys.has(name)) collectPersonalTexts(each, name, found)
    }
  }
}

const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const characterOf = (code: number, otherwise: string): string =>
  code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise

const escapes = /\\(?:u([0-9a-fA-F]{4})|([nrtf])|(["\\/])|b)/g
const references = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g
const octets = /(?:%[0-9a-fA-F]{2})+/g
/** An escape that the cut at the end of an excerpt leaves incomplete. */
const unfinishedEscape = /(?:\\(?:u[0-9a-fA-F]{0,3})?|&(?:#[xX]?[0-9a-fA-F]{0,7}|[a-z]{0,4})|%[0-9a-fA-F]?)$/

const decodeOctets = (text: string): string => {
  const bytes = Uint8Array.from(text.slice(1).split("%"), (octet) => Number.parseInt(octet, 16))
  // `stream` drops an incomplete last character, which a cut text may have.
  return new TextDecoder("utf-8").decode(bytes, { stream: true })
}

/** Resolves one layer of JSON, HTML and URL escapes. */
const unescapeOnce = (text: string, isCut: boolean): string =>
  (isCut ? text.replace(unfinishedEscape, "") : text)
    .replace(escapes, (_, hex?: string, space?: string, itself?: string) =>
      hex === undefined
        ? (itself ?? (space === undefined ? "" : " "))
        : String.fromCharCode(Number.parseInt(hex, 16))
    )
    .replace(references, (all, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal), all)
        : (entities[name] ?? all)
    )
    .replace(octets, decodeOctets)

/**
 * Resolves two layers, such as JSON in JSON or a URL in JSON, and replaces the half of a surrogate pair that
 * may remain.
 */
const unescapeTwice = (text: string, isCut: boolean): string =>
  collapseSpaces(unescapeOnce(unescapeOnce(text, isCut), isCut).replace(/\p{Cs}/gu, "\ufffd"))

const redactionMark = "[…]"

/** A match of up to this many characters at the end of a cut excerpt counts as coincidence. */
const maxCoincidentalMatch = 2

/** For each character of a text: 1 where it repeats the payload. */
type RedactionMask = Uint8Array

const maskOccurrences = (text: string, part: string, mask: RedactionMask): void => {
  if (part.length > text.length) return
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    mask.fill(1, at, at + part.length)
  }
}

/**
 * The prefix function of Knuth, Morris and Pratt: for each prefix of the part, the length of its longest
 * proper border.
 */
const prefixFunction = (part: string): Uint16Array => {
  const found = new Uint16Array(part.length)
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = found[length - 1]!
    if (part[at] === part[length]) length++
    found[at] = length
  }
  return found
}

/**
 * Masks the beginning of a part that the end of a cut excerpt repeats. Linear in both lengths, whatever their
 * characters.
 */
const maskTruncatedEnd = (text: string, part: string, mask: RedactionMask): void => {
  const from = Math.max(0, text.length - part.length + 1)
  if (part.length <= maxCoincidentalMatch || text.indexOf(part.slice(0, maxCoincidentalMatch + 1), from) < 0)
    return
  const found = prefixFunction(part)
  let length = 0
  for (let at = from; at < text.length; at++) {
    while (length > 0 && (length === part.length || text[at] !== part[length])) length = found[length - 1]!
    if (text[at] === part[length]) length++
  }
  if (length > maxCoincidentalMatch) mask.fill(1, text.length - length)
}

/** A common fragment of this many characters counts as an echo, wherever the receiver cut it. */
const minFragmentLength = 16

/**
 * Every fragment of `minFragmentLength` contains a seed of this length that begins at one of its multiples in
 * the source.
 */
const seedLength = minFragmentLength / 2

/** Bounds the work for a seed that occurs again and again in the response. */
const maxSeedPositions = 16

/** Maps each seed to the positions at which it occurs in the text. */
const seedPositions = (text: string): Map<string, Array<number>> => {
  const places = new Map<string, Array<number>>()
  for (let at = 0; at + seedLength <= text.length; at++) {
    const piece = text.slice(at, at + seedLength)
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [at])
    else known.push(at)
  }
  return places
}

/** Masks every fragment of the source that the text contains: receivers shorten what they repeat. */
const maskFragments = (
  text: string,
  positions: Map<string, Array<number>>,
  source: string,
  mask: RedactionMask
): void => {
  for (let piece = 0; piece + seedLength <= source.length; piece += seedLength) {
    const found = source.slice(piece, piece + seedLength)
    const at = positions.get(found)
    if (at === undefined) continue
    const open = at.filter((each) => mask[each] === 0)
    if (open.length === 0) positions.delete(found)
    else if (open.length < at.length) positions.set(found, open)
    for (const place of open.slice(0, maxSeedPositions)) {
      // An earlier position of this seed covered it.
      if (mask[place] !== 0) continue
      let [before, after] = [0, seedLength]
      while (before < piece && before < place && source[piece - before - 1] === text[place - before - 1])
        before++
      while (place + after < text.length && source[piece + after] === text[place + after]) after++
      if (before + after >= minFragmentLength) mask.fill(1, place - before, place + after)
    }
  }
}

const replaceMasked = (text: string, mask: RedactionMask): string => {
  let out = ""
  for (let at = 0; at < text.length;) {
    const isCovered = mask[at] === 1
    const next = mask.indexOf(isCovered ? 0 : 1, at)
    const to = next < 0 ? text.length : next
    out += isCovered ? redactionMark : text.slice(at, to)
    at = to
  }
  return out
}

const printableOnly = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

/**
 * The text of an excerpt without the personal data of the payload, whose events are `bodies`. A response that repeats nothing stays as
 * it came. In one that repeats something, each repetition is replaced, and escapes are resolved. Null for an empty
 * excerpt; a notice instead of the text when the payload has more than 5,000 phrases. `truncated` says that the
 * response was longer than the excerpt. [DELIV-5]
 */
export const redact = (
  excerpt: Uint8Array,
  truncated: boolean,
  bodies: ReadonlyArray<string>
): string | null => {
  if (excerpt.length === 0) return null
  // `stream` drops an incomplete last character of a cut response.
  const text = printableOnly(new TextDecoder("utf-8").decode(excerpt, { stream: truncated }))
  const [phrases, longTexts] = [new Set<string>(), new Set<string>()]
  for (const body of bodies) {
    collectPersonalTexts((JSON.parse(body) as { data?: unknown }).data, "", { phrases, longTexts })
    if (phrases.size > maxPhrases) break
  }
  phrases.delete("")
  if (phrases.size > maxPhrases)
    return "[withheld: the payload is too large to be compared with the response]"
  const read = unescapeTwice(text, truncated)
  const folded = foldCase(read)
  const mask = new Uint8Array(read.length)
  // Form encoding writes spaces as plus signs; positions stay the same.
  for (const each of new Set([folded, folded.replaceAll("+", " ")])) {
    for (const part of phrases) {
      maskOccurrences(each, part, mask)
      if (truncated) maskTruncatedEnd(each, part, mask)
    }
    const places = seedPositions(each)
    for (const source of longTexts) maskFragments(each, places, source, mask)
  }
  return mask.includes(1) ? replaceMasked(read, mask) : text
}
