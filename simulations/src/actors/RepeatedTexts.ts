/**
 * Answers of receivers that repeat what a post says of a person, in the spellings in which programs write it, between words of their own: so it is
 * known to the character what the log must have. [DELIV-5, PII-2]
 */
import type { Prng } from "@lead-signals/simulation-kernel"
import type { Json } from "../world/KnownFacts.ts"
import { digits, escapes, quotations, utf8 } from "./Quotations.ts"

/** An answer, and what the log must have of it. */
interface Repetition {
  readonly bytes: Uint8Array
  readonly logged: string
}

/** A text of a payload, the name of its field, and whether it says something of a person, of a company or of a post. */
interface PostedText {
  readonly text: string
  readonly field: string
  readonly isPersonal: boolean
}

/** What the log has in place of a repetition. */
const mark = "[…]"

/** Fields of which each word is the person's. */
const names = ["name", "firstName", "lastName"]

/** Fields of personal data. [PII-1] */
const personal = new Set([
  ...names,
  "extId",
  "headline",
  "title1",
  "username",
  "liProfileUrl",
  "profileImgUrl",
  "domain",
  "url",
  "homepageUrl",
  "logoUrl",
  "industry",
  "location",
  "country",
  "city",
  "description",
  "commentText",
  "postUrl",
  "postContent",
  "postAuthor",
  "linkedinProfileUrl",
  "profileImageUrl"
])

/** Our signal, and what it watches. */
const ours = new Set(["signal", "source"])

const textsIn = (value: Json, field: string, isOurs: boolean): ReadonlyArray<PostedText> => {
  if (typeof value === "string")
    return [{ text: value, field, isPersonal: !isOurs && value.length > 1 && personal.has(field) }]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    textsIn(each, Array.isArray(value) ? field : name, isOurs || ours.has(name))
  )
}

/** Whether the text reads as it is written: without escapes, control characters, or spaces other than single ones within. */
const isClear = (text: string): boolean =>
  text.isWellFormed() && !/[\\&%=+^\p{Cc}\p{Cn}]|[^\S ]|^ | $| {2}/u.test(text)

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

const withoutMarks = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "")

const twoLetters: Readonly<Record<string, string>> = {
  Ä: "Ae",
  Ö: "Oe",
  Ü: "Ue",
  Å: "Aa",
  Ø: "Oe",
  Æ: "Ae",
  Œ: "Oe",
  Þ: "Th",
  ä: "ae",
  ö: "oe",
  ü: "ue",
  å: "aa",
  ø: "oe",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ß: "ss"
}

const transliterated = (text: string): string =>
  text.normalize("NFC").replace(/[ÄÖÜÅØÆŒÞäöüåøæœþß]/g, (letter) => twoLetters[letter]!)

/** Nobody takes one letter apart and leaves another joined. */
const hasJoined = (text: string): boolean => text.normalize("NFKC") !== text.normalize("NFC")

/** With fewer letters of its own a text of question marks is nobody's, and with fewer in all one of two letters for an umlaut. */
const [minLettersKept, minTransliterated] = [3, 4]

/** A way to write a text that is still the person's; null where it is not. */
type Spelling = (text: string) => string | null

const lacking =
  (characters: RegExp): Spelling =>
  (text) => {
    const kept = text.replace(characters, "?")
    return kept !== text && (kept.match(/[\p{L}\p{N}]/gu) ?? []).length < minLettersKept ? null : kept
  }

/** The characters of windows-1252 from 0x80 to 0x9f. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

const misread = (text: string): string =>
  Array.from(utf8(text), (octet) => String.fromCharCode(octet)).join("")

const spellings: ReadonlyArray<Spelling> = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.normalize("NFD"),
  (text) => {
    const ascii = transliterated(text)
    return ascii.length < minTransliterated || hasJoined(text) ? null : ascii
  },
  (text) => text.toLowerCase(),
  withoutMarks,
  (text) => withoutMarks(text).toUpperCase(),
  lacking(/[^\0-\x7f]/gu),
  lacking(/[^\0-\xff]/gu)
]

/** UTF-8 that was taken for the encoding of western Europe, in its older form and in the newer one. */
const misreadings = [
  misread,
  (text: string): string =>
    misread(text).replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80]!)
].map((read): Spelling => (text) => {
  const spelled = read(text)
  return spelled === text || /[^\S ]/.test(spelled) ? null : spelled
})

/** Mostly a spelling that differs. */
const inAnotherWay = (text: string, ways: ReadonlyArray<Spelling>, prng: Prng): string | null => {
  const other = prng.chance(0.3)
    ? []
    : ways.map((spell) => spell(text)).filter((spelled) => spelled !== null && spelled !== text)
  return other.length === 0 ? prng.pick(ways)(text) : prng.pick(other)
}

/** The fewest digits that are decoded. */
const minDigits = 20

/** The fewest characters that a fragment must share with a text to count as a repetition of it. */
const minFragment = 16

/** The shortest line of a text, and the shortest word of a name, that is one by itself. */
const [minLine, minWord] = [8, 3]

/** From where in the text to where: whole characters with their marks, and no space at either end. */
const cutOut = (text: string, from: number, length: number): string | null => {
  const cut = text.slice(from, from + length)
  return isClear(cut) && !/^\p{M}/u.test(cut) && !/^\p{M}/u.test(text.slice(from + length)) ? cut : null
}

/** Composed, and without the control characters, which no excerpt has. */
const lengthOf = (text: string): number => text.normalize("NFC").replace(/\p{Cc}/gu, "").length

/** A text, or a part of one that is the person's wherever it stands. */
interface Part {
  readonly text: string
  /** The fewest characters that a spelling must keep to count as a repetition. */
  readonly min: number
}

const partOf = ({ field, text }: PostedText, prng: Prng): Part => {
  const all = { text, min: 2 }
  switch (prng.below(4)) {
    case 0: {
      const words = names.includes(field) ? text.split(/\s+/).filter(({ length }) => length >= minWord) : []
      return words.length === 0 ? all : { text: prng.pick(words), min: minWord }
    }
    case 1: {
      const lines = text.split("\n").map((line) => line.trim())
      const long = lines.filter(({ length }) => length >= minLine)
      return long.length === 0 ? all : { text: prng.pick(long), min: minLine }
    }
    case 2: {
      const spare = text.length - minFragment
      if (spare < 0) return all
      const from = prng.below(spare + 1)
      const fragment = cutOut(text, from, minFragment + prng.below(Math.min(12, spare - from + 1)))
      return fragment === null ? all : { text: fragment, min: minFragment }
    }
    default:
      return all
  }
}

/** Only letters and digits of ASCII, without marks: what differs between spellings is gone. */
const barely = (text: string): string =>
  withoutMarks(text)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/** Whether a text of the payload may be in the text, or begin at its end, in whatever spelling: rather too often. */
const mayRepeat = (text: string, all: ReadonlyArray<PostedText>): boolean => {
  const [lower, bare] = [text.toLowerCase(), barely(text)]
  const mayHold = (part: string): boolean => {
    const each = barely(part)
    if (part.length > 1 && (lower.includes(part.toLowerCase()) || (each.length > 1 && bare.includes(each))))
      return true
    for (let length = 2; length <= each.length; length++)
      if (bare.endsWith(each.slice(0, length))) return true
    return false
  }
  return all.some(({ text: posted }) =>
    [posted, transliterated(posted), ...posted.split(/\s+/)].some(mayHold)
  )
}

/** What people are called in texts: the rule `attempts logged` looks for that. */
const called = /-p\d+\./

/**
 * A part behind the beginning of a text that is too short to be a repetition, at times the longest; null where it may be one of another text.
 */
const harmless = (
  { text }: PostedText,
  all: ReadonlyArray<PostedText>,
  isLongest: boolean,
  prng: Prng
): string | null => {
  const most = Math.min(minFragment - 1, text.length - 1)
  if (!isAscii(text) || most < 1) return null
  const length = isLongest ? most : 1 + prng.below(most)
  const cut = cutOut(text, 1 + prng.below(text.length - length), length)
  return cut === null || called.test(cut) || mayRepeat(cut, all) ? null : cut
}

/** Words with which answers begin and end, in ASCII and not: no payload has them. */
const [begins, ends] = [
  ["JV", "\u16a0\u16c7"],
  ["QJ", "\u16a0JV"]
]

/** Stands between words and pieces: no payload has it. */
const edge = "^"

/** How many bytes are read of an answer. */
const readBytes = 1024

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
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
  const spelled = isClear(text) ? inAnotherWay(text, ways, prng) : null
  return spelled === null || lengthOf(spelled) < min ? null : spelled
}

/** Often one with other letters than those of ASCII. */
const anyOf = (texts: ReadonlyArray<PostedText>, prng: Prng): PostedText => {
  const others = prng.chance(0.5) ? texts.filter(({ text }) => !isAscii(text)) : []
  return prng.pick(others.length === 0 ? texts : others)
}

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
    const one = anyOf(texts, prng)
    const kept = prng.chance(0.3) ? harmless(one, all, prng.chance(0.5), prng) : null
    const spelled =
      kept ?? spelt(partOf(one, prng), areDigits ? spellings : [...spellings, ...misreadings], prng)
    if (spelled === null) continue
    parts.push(utf8(edge), kept === null ? quote(spelled) : utf8(kept))
    logged += edge + (kept ?? mark)
  }
  const end = edge + prng.pick(ends)
  parts.push(utf8(end))
  const bytes = joined(parts)
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
  return { bytes: joined([utf8(before), last, utf8(edge)]), logged: before + logged }
}

/** The characters at the end of what is read that can match a text by coincidence. */
const maxCoincidence = 2

/** What is read ends with the beginning of a text. */
const cutOff = (
  all: ReadonlyArray<PostedText>,
  texts: ReadonlyArray<PostedText>,
  prng: Prng
): Repetition | null => {
  const { text } = anyOf(texts, prng)
  const spelled = isClear(text) ? inAnotherWay(text, [...spellings, ...misreadings], prng) : null
  const characters = Array.from(spelled ?? "")
  if (characters.length < 5) return null
  const cut = 1 + prng.below(Math.min(30, characters.length - 1))
  const [begin, next] = [characters.slice(0, cut).join(""), characters[cut]!]
  if (/^\p{M}/u.test(next)) return null
  if (lengthOf(begin) <= maxCoincidence)
    return isAscii(begin) && !mayRepeat(begin, all) ? endingWith(utf8(begin), begin, prng) : null
  const quote = prng.pick(escapes)
  const [quoted, more] = [quote(begin), quote(next)]
  // Half of a pair of units is shown as a replacement character.
  const unfinished = prng.below(more.length > 6 && next.length > 1 ? 6 : more.length)
  if (quoted.length + unfinished >= readBytes / 2) return null
  return endingWith(joined([quoted, more.slice(0, unfinished)]), mark, prng)
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
    .filter((rest) => isClear(rest) && !called.test(rest) && !mayRepeat(rest, all))
  const kept =
    rests.length > 0 && prng.chance(0.8)
      ? prng.pick(rests)
      : harmless(prng.pick(texts), all, prng.chance(0.5), prng)
  return kept === null ? null : endingWith(utf8(kept), kept, prng)
}

/** An answer that repeats some of the events' data; null where the texts drawn have no such form. */
export const repetitionOf = (data: ReadonlyArray<Json>, prng: Prng): Repetition | null => {
  const all = data.flatMap((each) => textsIn(each, "", false))
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
