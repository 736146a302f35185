/** The texts of a payload that identify people, in the spellings in which a receiver may repeat them. [DELIV-5, PII-2] */
import { foldCase, isOtherScript, lowerCase, normalize } from "./FoldedText.ts"
import { collapseSpaces, compose, misreadAsLatin, readAsReferences, unescapeAll } from "./ReceivedText.ts"
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

/**
 * A single ASCII character would match everywhere; a single character of another script can be a whole name.
 */
const isIdentifying = (text: string): boolean => text.length >= 2 || isOtherScript(text)

const names = new Set(["name", "firstName", "lastName", "postAuthor"])

/** Each word of a name identifies the person; words of other texts are common ones. */
const isName = (key: string): boolean => names.has(key)

/** Lines of at least this length count as phrases of their own: an echo may begin or end at any line. */
const minLineLength = 8

/** A payload with more phrases than this is not compared: the response is withheld. */
export const maxPhrases = 5000

/** A common fragment of this many characters counts as an echo, wherever the receiver cut it. */
export const minFragmentLength = 16

/** What a response is compared with. */
export interface PersonalTexts {
  /** Matched as a whole: names and their words, texts and their lines. */
  readonly phrases: Set<string>
  /** Matched with their accents: without them they are ASCII, and so short that they would match everywhere. */
  readonly short: Set<string>
  /** Matched in fragments of at least `minFragmentLength` characters. */
  readonly longTexts: Set<string>
  /** Whether the response is ASCII. */
  readonly isPlain: boolean
  /** Whether the response is long enough to hold a fragment. */
  readonly hasFragments: boolean
  /** The texts that were added, names apart: one post can be in every engagement. */
  readonly added: Set<string>
}

/** Letters that are written as two without their form; capitals, among which ß is two already. */
const ligatures = new Map(Object.entries({ Æ: "AE", Œ: "OE", Þ: "TH" }))

/** Letters of German and the Nordic languages, and the two letters that replace each where it can't be written. */
const umlauts = new Map(Object.entries({ Ä: "AE", Ö: "OE", Ü: "UE", Å: "AA", Ø: "OE" }))

/** The minimum length of a text whose umlauts are replaced, in characters: a shorter one could be a part of any word. */
const minTransliterated = 4

/** Characters that ASCII lacks, or Latin-1: each at once, or the two halves of those that UTF-16 has as a pair. */
const lacked = [/[^\0-\x7f]/gu, /[^\0-\x7f]/g, /[^\0-\xff]/gu, /[^\0-\xff]/g]

/** With fewer letters and digits beside the question marks, a text would match everywhere. */
const minKept = 3

/** The text as those write it whose encoding lacks characters: with a question mark for each. */
const withQuestionMarks = (text: string): ReadonlyArray<string> =>
  lacked
    .map((characters) => text.replace(characters, "?"))
    .filter((each) => each !== text && (each.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= minKept)

/**
 * Accents and vowel points that no composed character has, which folding leaves where they are. Signs of Indian scripts are not among them: without
 * these a word is another one.
 */
const looseAccents = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu

/** A backslash at the end escapes what stands behind it. An expression for them would take time quadratic in the length of a run elsewhere. */
const withoutLastBackslashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "\\") end--
  return text.slice(0, end)
}

/**
 * Adds the text as it is, without accents, with two letters for each such as ß or ü, with question marks for what an encoding lacks, as it is misread, as numbered
 * references to its control characters read, as a form writes its plus signs and, when it contains something like an escape, as it reads unescaped; none in
 * ASCII that is shorter than `minLength`.
 */
const addSpellings = (texts: Set<string>, text: string, isPlain: boolean, minLength: number): void => {
  const add = (spelling: string): void => {
    if (spelling.length >= minLength || isOtherScript(spelling)) texts.add(spelling)
  }
  const folded = normalize(text)
  add(folded)
  if (isOtherScript(text)) {
    const bare = folded.replace(looseAccents, "")
    if (bare.length >= minLength) add(bare)
    const capitals = text.toUpperCase()
    const latin = capitals.replace(/[ÆŒÞ]/g, (letter) => ligatures.get(letter)!)
    for (const longer of [text.toLowerCase(), capitals, latin]) {
      if (longer.length !== text.length) add(normalize(longer))
    }
    const transliterated = compose(latin).replace(/[ÄÖÜÅØ]/g, (letter) => umlauts.get(letter)!)
    if (transliterated.length >= minTransliterated) add(normalize(transliterated))
    // An encoding without combining marks still has the letter before the mark, so the decomposed text is a spelling of its own.
    const written = new Set([text, compose(text)])
    for (const each of new Set([...written].flatMap(withQuestionMarks))) add(normalize(each))
    const referred = readAsReferences(text)
    if (referred !== text) add(normalize(referred))
    const read = isPlain ? "" : misreadAsLatin(text)
    // In the older form of the encoding these are control characters, which no excerpt has.
    for (const each of [read, read.replace(/[\u0152-\u2122]/g, "")]) {
      const misread = normalize(each)
      if (misread.length > 1) add(misread)
    }
  }
  if (text.includes("+")) add(normalize(text.replaceAll("+", " ")).trim())
  if (/[\\&%]|=(?:\n|[0-9A-F]{2})/i.test(text))
    add(foldCase(unescapeAll(withoutLastBackslashes(text), "whole")))
}

/** Letters that are written with their accents behind them take more characters. */
const maxShortLength = 8

const addPhrase = ({ isPlain, phrases, short }: PersonalTexts, text: string, minLength = 2): void => {
  // An excerpt can't repeat more of a text than it holds.
  const phrase = text.slice(0, maxExcerptBytes).trim()
  addSpellings(phrases, phrase, isPlain, minLength)
  const composed = phrase.length > maxShortLength ? phrase : collapseSpaces(phrase)
  if (composed.length < minLength && isOtherScript(composed)) short.add(lowerCase(composed))
}

/** Adds the texts of a value of the payload, which stands under the key. Stops when there are more than `maxPhrases`. */
export const collectPersonalTexts = (value: unknown, key: string, found: PersonalTexts): void => {
  const { added, hasFragments, isPlain, longTexts, phrases } = found
  if (typeof value === "string") {
    const addedAs = `${isName(key)} ${value}`
    if (added.has(addedAs)) return
    added.add(addedAs)
    if (isIdentifying(value.trim())) addPhrase(found, value)
    if (hasFragments && value.length >= minFragmentLength)
      addSpellings(longTexts, value, isPlain, minFragmentLength)
    if (isName(key)) {
      for (const part of value.split(/\s+/)) {
        if (part.length > 2 || isOtherScript(part)) addPhrase(found, part, 3)
      }
    } else if (value.includes("\n")) {
      for (const line of value.split("\n")) {
        if (phrases.size > maxPhrases) return
        if (line.trim().length >= minLineLength) addPhrase(found, line)
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
