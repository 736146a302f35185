/** Lines of CSV as RFC 4180 has them, which no spreadsheet runs. [CLI-11] */

/** What a spreadsheet takes for the beginning of a formula, also in full-width forms and after white space that it ignores. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u

/**
 * A cell. Null and undefined are empty. A text that a spreadsheet would run as a formula begins with an apostrophe; a number never does.
 */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = typeof value === "string" && formula.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line with its end. */
export const csvLine = (cells: ReadonlyArray<unknown>): string => `${cells.map(cellOf).join(",")}\r\n`
