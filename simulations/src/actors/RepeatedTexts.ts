/**
 * Answers of receivers that repeat what a post says of a person, in the spellings in which programs write it, between words of their own: so it is
 * known to the character what the log must have. [DELIV-5, PII-2]
 */
import type { Prng } from "@lead-signals/simulation-kernel"
import type { Json } from "../world/KnownFacts.ts"
import {
  isHarmless,
  mayRepeat,
  minFragment,
  type Part,
  pickHarmless,
  pickPart,
  pickText,
  type PostedText,
  postedTexts
} from "./PostedTexts.ts"
import { digits, escapes, quotations, utf8 } from "./Quotations.ts"
import {
  allSpellings,
  composedLength,
  isAscii,
  isClear,
  respelled,
  type Spelling,
  spellings
} from "./Spellings.ts"

/** An answer, and what the log must have of it. */
export interface Repetition {
  readonly bytes: Uint8Array
  readonly logged: string
}

/** What the log has in place of a repetition. */
const mark = "[…]"

/** Words with which answers begin, in ASCII and not: no payload has them. */
const begins = ["JV", "\u16a0\u16c7"]

/** Words with which answers end: no payload has them either. */
const ends = ["QJ", "\u16a0JV"]

/** Stands between words and pieces: no text that is repeated has it. */
const edge = "^"

/** Bytes of an answer that a sender reads, and the log has at most. */
export const readBytes = 1024

const concatenated = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** The text in that spelling, unless too little is left of it. */
const spelt = ({ min, text }: Part, ways: ReadonlyArray<Spelling>, prng: Prng): string | null => {
  const spelled = isClear(text) ? respelled(text, ways, prng) : null
  // Written in bytes a misread text is the text itself again.
  return spelled === null || Math.min(composedLength(text), composedLength(spelled)) < min ? null : spelled
}

/** The fewest digits that are decoded. */
const minDigits = 20

/** Up to five pieces, repetitions and harmless ones, apart from each other. */
const apart = (
  all: ReadonlyArray<PostedText>,
  texts: ReadonlyArray<PostedText>,
  prng: Prng
): Repetition | null => {
  const areDigits = prng.chance(0.2)
  const quote = prng.pick(areDigits ? digits : quotations)
  let logged = prng.pick(begins)
  const parts = [utf8(logged)]
  for (let wanted = 1 + prng.below(5); wanted > 0; wanted--) {
    const one = pickText(texts, prng)
    const kept = prng.chance(0.3) ? pickHarmless(one, all, prng.chance(0.5), prng) : null
    const spelled = kept ?? spelt(pickPart(one, prng), areDigits ? spellings : allSpellings, prng)
    if (spelled === null) continue
    parts.push(utf8(edge), kept === null ? quote(spelled) : utf8(kept))
    logged += edge + (kept ?? mark)
  }
  const end = edge + prng.pick(ends)
  parts.push(utf8(end))
  const bytes = concatenated(parts)
  return bytes.length > readBytes ? null : { bytes, logged: logged + end }
}

/** Words of the given length in bytes. */
const filler = (bytes: number, prng: Prng): string => {
  const words = prng.pick(["JV ", "\u16a0"])
  const each = utf8(words).length
  return words.repeat(Math.floor(bytes / each)) + "J".repeat(bytes % each)
}

/** An answer whose last bytes that are read are these. */
const endingWith = (last: Uint8Array, logged: string, prng: Prng): Repetition => {
  const before = filler(readBytes - last.length - 1, prng) + edge
  return { bytes: concatenated([utf8(before), last, utf8(edge)]), logged: before + logged }
}

/** The characters at the end of what is read that can match a text by coincidence. */
const maxCoincidence = 2

/** What is read ends with the beginning of a text. */
const cutOff = (
  all: ReadonlyArray<PostedText>,
  texts: ReadonlyArray<PostedText>,
  prng: Prng
): Repetition | null => {
  const { text } = pickText(texts, prng)
  const spelled = isClear(text) ? respelled(text, allSpellings, prng) : null
  const characters = Array.from(spelled ?? "")
  if (characters.length < 5) return null
  const cut = 1 + prng.below(Math.min(30, characters.length - 1))
  const [begin, next] = [characters.slice(0, cut).join(""), characters[cut]!]
  if (/^\p{M}/u.test(next)) return null
  if (composedLength(begin) <= maxCoincidence)
    return isAscii(begin) && !mayRepeat(begin, all) ? endingWith(utf8(begin), begin, prng) : null
  const quote = prng.pick(escapes)
  const [quoted, more] = [quote(begin), quote(next)]
  // Half of a pair of units is shown as a replacement character.
  const unfinished = prng.below(more.length > 6 && next.length > 1 ? 6 : more.length)
  if (quoted.length + unfinished >= readBytes / 2) return null
  return endingWith(concatenated([quoted, more.slice(0, unfinished)]), mark, prng)
}

/** What is read ends with digits of a part of a text. */
const cutDigits = (texts: ReadonlyArray<PostedText>, prng: Prng): Repetition | null => {
  const { text } = prng.pick(texts)
  // Marks can stand in another order.
  if (!isClear(text) || /\p{M}/u.test(text.normalize("NFC"))) return null
  const run = prng.pick(digits)(text)
  const most = run.length - (text.length % 3 === 0 ? 0 : 2)
  const length = minDigits + prng.below(Math.max(1, Math.min(400, most) - minDigits))
  return run.length <= length ? null : endingWith(run.slice(0, length), mark, prng)
}

/**
 * What is read ends with a harmless part of a text, often all but the first letter of one whose beginning comes again in it: there the redactor has to
 * look at more than the first letters.
 */
const cutHarmless = (
  all: ReadonlyArray<PostedText>,
  texts: ReadonlyArray<PostedText>,
  prng: Prng
): Repetition | null => {
  const rests = texts
    .filter(({ text }) => {
      const lower = text.toLowerCase()
      return text.length < minFragment && isAscii(text) && lower.indexOf(lower.slice(0, 3), 1) > 0
    })
    .map(({ text }) => text.slice(1))
    .filter((rest) => isClear(rest) && isHarmless(rest, all))
  const kept =
    rests.length > 0 && prng.chance(0.8)
      ? prng.pick(rests)
      : pickHarmless(prng.pick(texts), all, prng.chance(0.5), prng)
  return kept === null ? null : endingWith(utf8(kept), kept, prng)
}

/** An answer that repeats some of the events' data; null where the texts drawn have no such form. */
export const repetitionOf = (data: ReadonlyArray<Json>, prng: Prng): Repetition | null => {
  const all = postedTexts(data)
  const texts = all.filter(({ isPersonal }) => isPersonal)
  if (texts.length === 0) return null
  const drawn = prng.below(10)
  if (drawn < 5) return apart(all, texts, prng)
  return drawn < 7
    ? cutOff(all, texts, prng)
    : drawn < 8
      ? cutDigits(texts, prng)
      : cutHarmless(all, texts, prng)
}
