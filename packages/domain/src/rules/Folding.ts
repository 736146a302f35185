/**
 * Text made comparable, the same on every host: no locale, no `Intl`. Names sort, and texts are searched, by these
 * forms; every store must order them by Unicode code point.
 */

/** Most texts are, and normalizing leaves them as they are; a list that looks at texts folds hundreds. */
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

/**
 * A run of more than thirty combining marks; the first thirty stay. Normalisation puts marks in their canonical order in
 * time quadratic in their number. Unicode's stream-safe text format (UAX #15, 13) has the same bound, and no orthography
 * puts ten marks on a base. The two halfwidth letters decompose to marks.
 */
const longRunOfMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** NFKC, in time linear in the text, whatever the text. */
const normalize = (text: string): string => text.replace(longRunOfMarks, "$1").normalize("NFKC")

/**
 * Greatest length of a folded text in UTF-16 units, which bounds what a search reads of one lead; the rest is cut off. Texts
 * within `textLimits` stay below it, unless their characters stand for whole words; older stored texts can exceed it.
 */
const greatestFolded = 2000

/** Leaves no half of a surrogate pair. */
const cut = (text: string): string =>
  text.length <= greatestFolded ? text : text.slice(0, greatestFolded).replace(/[\ud800-\udbff]$/, "")

/** The form that names sort by: NFKC, lower case. [SORT-6] */
export const nameKey = (name: string): string =>
  cut(isAscii(name) ? name.toLowerCase() : normalize(cut(name)).toLowerCase())

/**
 * The form that is searched: NFKC, lower case, and σ for the final ς, which lower-casing a whole word gives but
 * lower-casing a part of it may not. What contains the folded needle, character for character, is a match. [LIST-4]
 */
export const searchKey = (text: string): string =>
  cut(isAscii(text) ? text.toLowerCase() : normalize(normalize(cut(text)).toLowerCase().replaceAll("ς", "σ")))

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
