/**
 * Redacts the excerpt of a receiver's response for the delivery log: receivers echo the payload, above all in error
 * messages. Personal data of the payload that the response repeats becomes `[…]`. [DELIV-5, PII-2]
 */
import { decodeDeclared, isTextInUtf8 } from "./DeclaredCharset.ts"
import { encodedRuns } from "./EncodedRuns.ts"
import { foldCase, isOtherScript, lowerCase } from "./FoldedText.ts"
import { collectPersonalTexts, maxPhrases, minFragmentLength, type PersonalTexts } from "./PersonalTexts.ts"
import { decodeBytes, unescapeAll } from "./ReceivedText.ts"
import type { PostResponse } from "./Sender.ts"

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

/** The hash of a window of `minFragmentLength` characters is a polynomial of this number, which lets it move on by one character. */
const base = 0x01000193
/** The factor of the character that leaves the window. */
const leaving = Array.from({ length: minFragmentLength }).reduce<number>((power) => Math.imul(power, base), 1)

/** Visits each window of `minFragmentLength` characters, with a hash of 16 bits. */
const visitWindows = (text: string, visit: (at: number, hash: number) => void): void => {
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    const before = i - minFragmentLength
    hash = Math.imul(hash, base) + text.charCodeAt(i)
    if (before >= 0) hash -= Math.imul(leaving, text.charCodeAt(before))
    hash |= 0
    if (before >= -1) visit(before + 1, (hash ^ (hash >>> 16)) & 0xffff)
  }
}

/** The windows of a text that may repeat the payload, by what they say. Most of the payload's are none of them by their hash alone. */
interface Windows {
  readonly places: Map<string, Array<number>>
  readonly hashes: Uint8Array
}

const windowAt = (text: string, at: number): string => text.slice(at, at + minFragmentLength)

const windowsOf = (text: string): Windows => {
  const places = new Map<string, Array<number>>()
  const hashes = new Uint8Array(0x10000)
  visitWindows(text, (at, hash) => {
    const window = windowAt(text, at)
    const known = places.get(window)
    if (known === undefined) places.set(window, [at])
    else known.push(at)
    hashes[hash] = 1
  })
  return { places, hashes }
}

/**
 * Masks every fragment of the source that the text contains: receivers shorten what they repeat. A fragment has `minFragmentLength` characters or
 * more, so it is a row of windows that both have. What is masked once leaves the windows.
 */
const maskFragments = ({ hashes, places }: Windows, source: string, mask: RedactionMask): void => {
  visitWindows(source, (at, hash) => {
    if (hashes[hash] === 0) return
    const window = windowAt(source, at)
    const found = places.get(window)
    if (found === undefined) return
    for (const place of found) mask.fill(1, place, place + minFragmentLength)
    places.delete(window)
  })
}

const maskCompared = (
  compared: string,
  truncated: boolean,
  { longTexts, phrases }: PersonalTexts,
  mask: RedactionMask
): void => {
  for (const part of phrases) {
    maskOccurrences(compared, part, mask)
    if (truncated) maskTruncatedEnd(compared, part, mask)
  }
  if (compared.length < minFragmentLength) return
  const windows = windowsOf(compared)
  for (const source of longTexts) maskFragments(windows, source, mask)
}

/** Form encoding writes spaces as plus signs: each run of both is one space of the payload. */
const maskAsForm = (
  compared: string,
  truncated: boolean,
  found: PersonalTexts,
  mask: RedactionMask
): void => {
  const read = compared.replace(/[ +]+/g, " ")
  const own = new Uint8Array(read.length)
  maskCompared(read, truncated, found, own)
  const isSpace = (at: number): boolean => compared[at] === " " || compared[at] === "+"
  for (let at = 0, place = -1; at < compared.length; at++) {
    if (at === 0 || !isSpace(at) || !isSpace(at - 1)) place++
    if (own[place] === 1) mask[at] = 1
  }
}

/** The mask of the characters of a text without escapes that repeat the payload. */
const maskRepetitions = (read: string, truncated: boolean, found: PersonalTexts): RedactionMask => {
  const { short } = found
  const compared = foldCase(read)
  const mask = new Uint8Array(read.length)
  maskCompared(compared, truncated, found, mask)
  if (compared.includes("+")) maskAsForm(compared, truncated, found, mask)
  const lower = lowerCase(read)
  for (const part of short) maskOccurrences(lower, part, mask)
  return mask
}

/**
 * Masks the base64 and hexadecimal runs whose decoded text repeats the payload. All decoded texts are compared in one pass through the payload,
 * because an answer can have a hundred runs.
 */
const maskEncoded = (read: string, found: PersonalTexts, mask: RedactionMask): void => {
  const byText = new Map<string, Array<{ readonly from: number; readonly to: number }>>()
  for (const run of encodedRuns(read)) {
    for (const text of new Set(run.texts.map((each) => unescapeAll(each, "cut in a reference")))) {
      const known = byText.get(text)
      if (known === undefined) byText.set(text, [run])
      else known.push(run)
    }
  }
  if (byText.size === 0) return
  // Texts of the payload are compared without control characters, so no match crosses the U+0000 between two texts.
  const repeated = maskRepetitions([...byText.keys()].join("\0"), false, found)
  let at = 0
  for (const [text, runs] of byText) {
    const own = repeated.subarray(at, at + text.length)
    // Only the run at the end can be cut by the excerpt.
    if (runs.some(({ to }) => to === read.length)) {
      // The cut can leave the last character incomplete.
      const compared = foldCase(text.replace(/\ufffd$/, ""))
      for (const part of found.phrases) maskTruncatedEnd(compared, part, own)
    }
    if (own.includes(1)) for (const { from, to } of runs) mask.fill(1, from, to)
    at += text.length + 1
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
  // A fragment can end within a character.
  return out.replace(/\p{Cs}/gu, "")
}

/** Null where the text repeats nothing. */
const redactedOf = (read: string, truncated: boolean, found: PersonalTexts): string | null => {
  const mask = maskRepetitions(read, truncated, found)
  maskEncoded(read, found, mask)
  return mask.includes(1) ? replaceMasked(read, mask) : null
}

const printableOnly = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

/**
 * The text without the personal data of the post's `bodies`, and with its escapes resolved. Null where it repeats nothing; a notice
 * when the bodies have more than 5,000 phrases.
 */
const redactText = (text: string, truncated: boolean, bodies: ReadonlyArray<string>): string | null => {
  const read = unescapeAll(text, truncated ? "cut in a reference" : "whole")
  const [phrases, short, longTexts] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const hasFragments = truncated || read.length >= minFragmentLength
  const found = {
    phrases,
    short,
    longTexts,
    isPlain: !isOtherScript(read),
    hasFragments,
    added: new Set<string>()
  }
  for (const body of bodies) {
    collectPersonalTexts((JSON.parse(body) as { data?: unknown }).data, "", found)
    if (phrases.size > maxPhrases) break
  }
  phrases.delete("")
  if (phrases.size > maxPhrases)
    return "[withheld: the payload is too large to be compared with the response]"
  const redacted = redactedOf(read, truncated, found)
  if (redacted !== null || !truncated) return redacted
  const readAsWord = unescapeAll(text, "cut in a word")
  return readAsWord === read ? null : redactedOf(readAsWord, truncated, found)
}

/**
 * The text of an excerpt in UTF-8 or windows-1252 without the personal data of the post's `bodies`. A response that repeats nothing stays as it came.
 * In one that repeats something, each repetition is replaced, and escapes are resolved. Null for an empty excerpt; a notice
 * instead of the text when the bodies have more than 5,000 phrases. `truncated` says that the response was longer than the
 * excerpt. [DELIV-5]
 */
export const redact = (
  excerpt: Uint8Array,
  truncated: boolean,
  bodies: ReadonlyArray<string>
): string | null => {
  if (excerpt.length === 0) return null
  const text = printableOnly(decodeBytes(excerpt, truncated))
  return redactText(text, truncated, bodies) ?? text
}

/**
 * The same of a response, which can declare another charset. Receivers also declare one and answer in UTF-8: what can be UTF-8 is read as both, and is
 * withheld when both repeat the payload in other ways, because each could leave what the other replaces. It is withheld, too, in a charset that this
 * runtime can't decode, unless it can be UTF-8. [DELIV-5]
 */
export const redactResponse = (
  { contentType = null, excerpt, truncated }: Pick<PostResponse, "contentType" | "excerpt" | "truncated">,
  bodies: ReadonlyArray<string>
): string | null => {
  const declared = excerpt.length === 0 ? null : decodeDeclared(excerpt, truncated, contentType)
  if (declared === null) return redact(excerpt, truncated, bodies)
  const canBeUtf8 = isTextInUtf8(excerpt, truncated)
  if (declared.text === null)
    return canBeUtf8
      ? redact(excerpt, truncated, bodies)
      : "[withheld: the response declares a charset that can't be decoded here]"
  const text = printableOnly(declared.text)
  const redacted = redactText(text, truncated, bodies)
  const textInUtf8 = canBeUtf8 ? printableOnly(decodeBytes(excerpt, truncated)) : text
  if (textInUtf8 === text) return redacted ?? text
  const redactedInUtf8 = redactText(textInUtf8, truncated, bodies)
  if (redacted !== null && redactedInUtf8 !== null && redacted !== redactedInUtf8)
    return "[withheld: the response can be read in the charset that it declares and in UTF-8, and repeats the payload in both]"
  return redacted ?? redactedInUtf8 ?? textInUtf8
}
