/** Counts the fields and elements of a JSON text without parsing it. */

const quote = '"'.charCodeAt(0)
const backslash = "\\".charCodeAt(0)
const comma = ",".charCodeAt(0)
const openingBrace = "{".charCodeAt(0)
const openingBracket = "[".charCodeAt(0)

/** The index of the quote that ends the string that begins at `from`; the length where none does. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(quote, from + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let before = at
    while (bytes[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
  return bytes.length
}

/**
 * Whether a JSON text, in UTF-8, has more than `max` fields and elements, at all depths together. Each stands behind a comma or is the first of its object
 * or array; an empty object or array counts as one more. It takes time linear in the text, whatever the text.
 */
export const hasTooManyParts = (bytes: Uint8Array, max: number): boolean => {
  if (bytes.length <= max) return false
  let parts = 0
  for (let at = 0; at < bytes.length && parts <= max; at++) {
    const byte = bytes[at]!
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma || byte === openingBrace || byte === openingBracket) parts++
  }
  return parts > max
}
