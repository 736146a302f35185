/** How the reference model compares texts and engagements. */

const points = (text: string): Array<number> => Array.from(text, (character) => character.codePointAt(0)!)

/** By code points. [SORT-6] */
export const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [points(a), points(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

/** The order of a lead's engagements: the latest first, of one time the greatest id first. [ENG-1] */
export const newestFirst = (
  a: { trackedAt: number; id: string },
  b: { trackedAt: number; id: string }
): number => b.trackedAt - a.trackedAt || compareTexts(b.id, a.id)

/** Each character by itself: there and back again gives what folding gives, but where two letters share a capital. */
const foldedCharacter = (character: string): string => {
  if (character === "ı") return character
  if (/\p{Script=Cherokee}/u.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** The text without regard to case and to how a character is written. [SORT-6, LIST-4] */
export const folded = (text: string): string =>
  Array.from(text.normalize("NFKC"), foldedCharacter).join("").split("i\u0307").join("i").normalize("NFKC")
