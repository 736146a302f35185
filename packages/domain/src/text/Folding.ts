/**
 * Folds texts for comparison, in the same way on every host: without locale, `Intl` and the runtime's version of Unicode. Names
 * sort, and searches compare, by folded texts; every store must order them by Unicode code point. Stores fold the earlier text of
 * a lead again to remove what they keep of it, so a text must have one folded form for good.
 */
import { expansions, runs } from "./CaseFoldingTable.ts"
import { normalize } from "./Unicode16.ts"

/** Whether the text is printable ASCII, as most are: normalisation leaves it as it is, which saves time where hundreds are folded. */
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

/**
 * The maximum length of a folded text in UTF-16 units, which bounds what a search reads of one lead; the rest is cut off. Texts
 * within `textLimits` stay below it, unless they have many characters that fold to whole words; texts stored earlier can exceed it.
 */
const maxFoldedLength = 2000

/** Cuts the text to `maxFoldedLength`, and leaves no half of a surrogate pair. */
const cut = (text: string): string =>
  text.length <= maxFoldedLength ? text : text.slice(0, maxFoldedLength).replace(/[\ud800-\udbff]$/, "")

/** The folded form of each character that does not fold to itself. */
const folds = new Map<string, string>(expansions)
for (let i = 0; i < runs.length; i += 4) {
  const [first, count, step, shift] = runs.slice(i, i + 4) as [number, number, number, number]
  for (let from = first; from < first + count * step; from += step) {
    folds.set(String.fromCodePoint(from), String.fromCodePoint(from + shift))
  }
}

const foldCase = (text: string): string => {
  let folded = ""
  for (const character of text) folded += folds.get(character) ?? character
  return folded
}

/**
 * The form that names sort by and that searches compare: NFKC of Unicode 16, Unicode's full case folding, NFKC again, since
 * folding can undo it. Normalisation leaves characters of later versions as they are; case folding is that of Unicode 17. Full
 * case folding depends on no language and no position in a word: ß folds to ss, a final ς to σ. İ folds to i with a combining dot
 * above, which is dropped, so that istanbul finds İstanbul. A text matches if its folded form contains the folded needle,
 * character for character. [SORT-6, LIST-4]
 */
export const fold = (text: string): string =>
  cut(
    isAscii(text) ? text.toLowerCase() : normalize(foldCase(normalize(cut(text))).replaceAll("i\u0307", "i"))
  )

/** The rank of a UTF-16 unit in code point order: U+E000 … U+FFFF come before the surrogates, unlike in UTF-16. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Compares by Unicode code point, as SQLite compares UTF-8 and unlike JavaScript's `<`: negative, 0 or positive. */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
