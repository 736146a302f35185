/** Texts from elsewhere, made harmless for a terminal. [CLI-9] */

/** What changes the order in which a terminal shows the characters beside it. */
const bidiControls = /\p{Bidi_Control}/gu

/** What steers a terminal, or breaks a line on some. */
const controls = /[\p{Cc}\u2028\u2029]+/gu

/**
 * Replaces each run of control characters in a text from elsewhere by a space: it could otherwise steer the terminal. Removes marks that
 * turn the direction of writing, by which a text could show the words beside it in another order.
 */
export const stripControlCharacters = (text: string): string =>
  text.replace(bidiControls, "").replace(controls, " ")

/** The same for a text of several lines, which stay lines. */
export const stripFromLines = (text: string): string =>
  text.split("\n").map(stripControlCharacters).join("\n")

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * One line of JSON in which every character that could steer a terminal is escaped. `JSON.stringify` leaves U+007F to U+009F, among them a
 * terminal's one-character introducer of a sequence, and the marks of direction as they are. The value is the same.
 */
export const terminalSafeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped)

/** The same in lines, indented by two spaces, for people. */
export const terminalSafeJsonLines = (value: unknown): string =>
  // The line feeds are those between its lines: in a string they are escaped.
  JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped)
