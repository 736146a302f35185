/** Ways in which programs write and misread a text: capitals, accents, transliterations, and UTF-8 taken for windows-1252. [DELIV-5] */
import type { Prng } from "@lead-signals/simulation-kernel"
import { utf8 } from "./Quotations.ts"

/** Whether the text reads as it is written: without escapes, control characters, or spaces other than single ones within. */
export const isClear = (text: string): boolean =>
  text.isWellFormed() && !/[\\&%=+^\p{Cc}\p{Cn}]|[^\S ]|^ | $| {2}/u.test(text)

/** Whether each character is of ASCII. */
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** The text without accents and vowel points. */
export const withoutMarks = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "")

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

/** The text with two letters for each letter that has such a transliteration. */
const transliterated = (text: string): string =>
  text.normalize("NFC").replace(/[ÄÖÜÅØÆŒÞäöüåøæœþß]/g, (letter) => twoLetters[letter]!)

/** The text with two letters for each that is two joined ones, and for no other. */
const unjoined = (text: string): string => text.replace(/[ÆŒÞæœþß]/g, (letter) => twoLetters[letter]!)

/** Whether compatibility takes letters apart, such as a ligature: nobody takes one letter apart and leaves another joined. */
const hasJoined = (text: string): boolean => text.normalize("NFKC") !== text.normalize("NFC")

/** With fewer letters and digits between the question marks a text is nobody's. */
const minLettersKept = 3

/** The fewest characters of a transliteration that counts as a repetition. */
const minTransliterated = 4

/** A way to write a text that is still the person's; null where it is not. */
export type Spelling = (text: string) => string | null

/** With a question mark for each of the characters, which the encoding of a receiver lacks. */
const lacking =
  (characters: RegExp): Spelling =>
  (text) => {
    const kept = text.replace(characters, "?")
    return kept !== text && (kept.match(/[\p{L}\p{N}]/gu) ?? []).length < minLettersKept ? null : kept
  }

/** The characters of windows-1252 from 0x80 to 0x9f. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

/** UTF-8 read as Latin-1. */
const misread = (text: string): string => {
  let read = ""
  for (const octet of utf8(text)) read += String.fromCharCode(octet)
  return read
}

/** Spellings that have letters and digits of the text alone, and question marks. */
export const spellings: ReadonlyArray<Spelling> = [
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

/** UTF-8 read as windows-1252. */
const misreadAsWindows = (text: string): string =>
  misread(text).replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80]!)

/** The text, and what has other letters of ASCII where a receiver wrote or misread it in whatever way. */
export const formsOf = (text: string): ReadonlyArray<string> =>
  isAscii(text)
    ? [text]
    : [
        text,
        transliterated(text),
        unjoined(text),
        text.replace(/[^\0-\x7f]/g, ""),
        misread(text),
        misreadAsWindows(text)
      ]

/** UTF-8 read as Latin-1, and as windows-1252. */
const misreadings = [misread, misreadAsWindows].map((read): Spelling => (text) => {
  const spelled = read(text)
  return spelled === text || /[^\S ]/.test(spelled) ? null : spelled
})

/** These, and the text as a receiver misreads it. */
export const allSpellings: ReadonlyArray<Spelling> = [...spellings, ...misreadings]

/** The text in one of the spellings, mostly in one that differs; null where that is nobody's. */
export const respelled = (text: string, ways: ReadonlyArray<Spelling>, prng: Prng): string | null => {
  const other = prng.chance(0.3)
    ? []
    : ways.map((spell) => spell(text)).filter((spelled) => spelled !== null && spelled !== text)
  return other.length === 0 ? prng.pick(ways)(text) : prng.pick(other)
}

/** The characters of the text, composed and without control characters, which no excerpt has. */
export const composedLength = (text: string): number => text.normalize("NFC").replace(/\p{Cc}/gu, "").length
