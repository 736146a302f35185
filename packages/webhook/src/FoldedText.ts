/** Texts in the form in which spellings of one name are equal. `foldCase` and `lowerCase` keep the length, so that positions stay valid. */
import { collapseSpaces } from "./ReceivedText.ts"

/** Whether the text has characters other than ASCII. */
export const isOtherScript = (text: string): boolean => /[^\p{ASCII}]/u.test(text)

/** Folded characters of other scripts that are kept: to fold one takes as long as to look up fifty. */
const maxFolded = 4096
const folded = new Map<string, string>()

/** In lower case, by way of capitals, which ς and σ, and ı and i, have in common. As long as the character, so that positions stay valid. */
const lowerCharacter = (character: string): string => {
  const upper = character.toUpperCase()
  const lower = (upper.length === character.length ? upper : character).toLowerCase()
  return lower.length === character.length ? lower : character
}

/** Letters whose stroke no form of Unicode takes off. */
const strokes = new Map(Object.entries({ ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ŧ: "t" }))

/** In lower case, without accents and strokes, which receivers that keep ASCII alone leave out. As long as the character. */
const foldCharacter = (character: string): string => {
  const known = folded.get(character)
  if (known !== undefined) return known
  const lower = lowerCharacter(character)
  const plain = lower.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
  const made = plain.length === character.length ? (strokes.get(plain) ?? plain) : lower
  if (folded.size >= maxFolded) folded.clear()
  folded.set(character, made)
  return made
}

const foldBy = (text: string, foldOther: (character: string) => string): string =>
  isOtherScript(text)
    ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/[^\p{ASCII}]/gu, foldOther)
    : text.toLowerCase()

/** In lower case, without accents and strokes. */
export const foldCase = (text: string): string => foldBy(text, foldCharacter)

/** In lower case, with accents. */
export const lowerCase = (text: string): string => foldBy(text, lowerCharacter)

/** Folded, with single spaces, without control characters and composed: that can be shorter. */
export const normalize = (text: string): string => foldCase(collapseSpaces(text))
