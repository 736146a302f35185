/** Texts as the specification compares them: by code point, without regard to case and to how a character is written. */

const points = (text: string): Array<number> => Array.from(text, (character) => character.codePointAt(0)!)

/** Below zero: a comes before b. A text comes before those that it begins. */
export const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [points(a), points(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

/** Each character by itself: there and back again gives what folding gives, but where two letters share a capital. */
const foldedCharacter = (character: string): string => {
  if (character === "ı") return character
  if (/\p{Script=Cherokee}/u.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/**
 * The text without regard to case and to how a character is written. The runtime's version of Unicode decides about characters that Unicode 16 does
 * not assign, which products leave as they are: no text that is compared has any but noncharacters. [SORT-6, LIST-4]
 */
export const folded = (text: string): string =>
  Array.from(text.normalize("NFKC"), foldedCharacter).join("").split("i\u0307").join("i").normalize("NFKC")

/** Folds each text once: a list compares the same names again and again. */
export class FoldedTexts {
  private readonly made = new Map<string, string>()

  fold(text: string): string {
    const known = this.made.get(text)
    if (known !== undefined) return known
    const made = folded(text)
    this.made.set(text, made)
    return made
  }
}
