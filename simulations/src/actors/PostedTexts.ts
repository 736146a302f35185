/** Texts of a payload and parts of them: what a receiver repeats of a person, and what is too short to say something of one. [DELIV-5, PII-1] */
import type { Prng } from "@lead-signals/simulation-kernel"
import type { Json } from "../world/KnownFacts.ts"
import { formsOf, isAscii, isClear, withoutMarks } from "./Spellings.ts"

/** A text of a payload, the name of its field, and whether it says something of a person, of a company or of a post. */
export interface PostedText {
  readonly text: string
  readonly field: string
  readonly isPersonal: boolean
}

/** Fields of which each word is the person's. */
const names = ["name", "firstName", "lastName", "postAuthor"]

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
  "linkedinProfileUrl",
  "profileImageUrl"
])

/** Objects that say something of the brand's signal and of what it watches. */
const ours = new Set(["signal", "source"])

const textsIn = (value: Json, field: string, isOurs: boolean): ReadonlyArray<PostedText> => {
  if (typeof value === "string")
    return [{ text: value, field, isPersonal: !isOurs && value.length > 1 && personal.has(field) }]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    textsIn(each, Array.isArray(value) ? field : name, isOurs || ours.has(name))
  )
}

/** The fewest characters that a fragment must share with a text to count as a repetition of it. */
export const minFragment = 16

/** The fewest characters of a line of a text that counts by itself. */
const minLine = 8

/** The fewest characters of a word of a name that counts by itself. */
const minWord = 3

/** The `length` characters of the text from `from` on; null where they cut a character from its marks, or have a space at either end. */
const cutOut = (text: string, from: number, length: number): string | null => {
  const cut = text.slice(from, from + length)
  return isClear(cut) && !/^\p{M}/u.test(cut) && !/^\p{M}/u.test(text.slice(from + length)) ? cut : null
}

/** A text, or a part of one that is the person's wherever it stands. */
export interface Part {
  readonly text: string
  /** The fewest characters that a spelling must keep to count as a repetition. */
  readonly min: number
}

/** All of the text, or at times a word of a name, a line, or a fragment of it. */
export const pickPart = ({ field, text }: PostedText, prng: Prng): Part => {
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

/** Letters that lose a stroke instead of a mark. */
const strokes: Readonly<Record<string, string>> = { ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ŧ: "t" }

/** The text's letters and digits of ASCII in lower case, without marks and strokes: what differs between spellings is gone. Capitals of ı and i are the same. */
const bareLetters = (text: string): string =>
  withoutMarks(text.toUpperCase())
    .toLowerCase()
    .replace(/[łøđðħŧ]/g, (letter) => strokes[letter]!)
    .replace(/[^a-z0-9]/g, "")

/** Whether the text ends with at least two characters that another one begins with. */
const endsWithBeginning = (text: string, of: string): boolean => {
  const most = Math.min(of.length, text.length)
  for (let length = 2; length <= most; length++) if (text.endsWith(of.slice(0, length))) return true
  return false
}

/** Whether the text may have one of the payload in whatever spelling, or end with the beginning of one. It may say so wrongly, but never denies it wrongly. */
export const mayRepeat = (text: string, all: ReadonlyArray<PostedText>): boolean => {
  const [lower, bare] = [text.toLowerCase(), bareLetters(text)]
  const mayHold = (part: string): boolean => {
    const [whole, each] = [part.toLowerCase(), bareLetters(part)]
    return (
      (whole.length > 1 && lower.includes(whole)) ||
      (each.length > 1 && bare.includes(each)) ||
      endsWithBeginning(lower, whole) ||
      endsWithBeginning(bare, each)
    )
  }
  return all.some(({ text: posted }) =>
    [posted, ...posted.split(/\s+/)].some((part) => formsOf(part).some(mayHold))
  )
}

/** The end of a person's simulated name, which the rule `attempts logged` looks for. */
const simulatedName = /-p\d+\./

/** Whether the log may have the text whole: it says nothing of a person. */
export const isHarmless = (text: string, all: ReadonlyArray<PostedText>): boolean =>
  !simulatedName.test(text) && !mayRepeat(text, all)

/**
 * A part behind the beginning of a text that is too short to be a repetition, at times the longest; null where it may be one of another text.
 */
export const pickHarmless = (
  { text }: PostedText,
  all: ReadonlyArray<PostedText>,
  isLongest: boolean,
  prng: Prng
): string | null => {
  const most = Math.min(minFragment - 1, text.length - 1)
  if (!isAscii(text) || most < 1) return null
  const length = isLongest ? most : 1 + prng.below(most)
  const cut = cutOut(text, 1 + prng.below(text.length - length), length)
  return cut === null || !isHarmless(cut, all) ? null : cut
}

/** Often one with other letters than those of ASCII. */
export const pickText = (texts: ReadonlyArray<PostedText>, prng: Prng): PostedText => {
  const others = prng.chance(0.5) ? texts.filter(({ text }) => !isAscii(text)) : []
  return prng.pick(others.length === 0 ? texts : others)
}

/** The texts of the events' data. */
export const postedTexts = (data: ReadonlyArray<Json>): ReadonlyArray<PostedText> =>
  data.flatMap((each) => textsIn(each, "", false))
