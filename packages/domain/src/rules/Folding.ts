/**
 * Text made comparable, the same on every host: no locale, no `Intl`. Names sort, and texts are searched, by these
 * forms; every store must order them by Unicode code point.
 */

/** Most texts are, and normalizing leaves them as they are; a list that looks at texts folds hundreds. */
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

/** The form that names sort by: NFKC, lower case. [SORT-6] */
export const nameKey = (name: string): string =>
  isAscii(name) ? name.toLowerCase() : name.normalize("NFKC").toLowerCase()

/**
 * The form that is searched: NFKC, lower case, and σ for the final ς, which lower-casing a whole word gives but
 * lower-casing a part of it may not. What contains the folded needle, character for character, is a match. [LIST-4]
 */
export const searchKey = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFKC")

/** UTF-16 puts U+E000 … U+FFFF after the surrogates; code points put them before. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Compares by Unicode code point, as SQLite compares UTF-8 and unlike JavaScript's `<`. */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
