/**
 * Makes plain text of a collected comment. It removes tags, HTML comments, the content of script and style elements, and
 * control characters except newline and tab; it decodes the common HTML entities. A `<` that remains never starts a tag. The
 * time is linear in the length of the text, whatever the text. [ENG-6]
 */

const namedEntities: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " "
}

/** The character of a numeric entity; the empty text for a number that is no Unicode scalar value. */
const codePoint = (value: number): string =>
  value > 0 && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff) ? String.fromCodePoint(value) : ""

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g,
    (_, decimal, hex, name) =>
      name === undefined
        ? codePoint(decimal === undefined ? parseInt(hex, 16) : Number(decimal))
        : namedEntities[name]!
  )

/** The character after the `<` of a tag, a comment or a declaration. */
const tagStart = /[a-zA-Z/!?]/

/** Elements whose content is not text. */
const hidden = ["script", "style"]

/** The text in lower case, with every character at its index: where lower case has another length, as for `İ`, only ASCII is lowered. */
const lowerCased = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
}

/**
 * The index at which the tag ends whose name begins at `from`: the first `>` before `limit` outside of a quoted attribute value; -1 without one.
 * A quote that is not closed before `limit` does not count as a quote.
 */
const tagEnd = (text: string, from: number, limit: number): number => {
  for (let at = from; at < limit; at++) {
    if (text[at] === ">") return at
    if (text[at] !== "=") continue
    let value = at + 1
    while (text[value] === " ") value++
    const quote = text[value]
    if (quote !== '"' && quote !== "'") continue
    const closing = text.indexOf(quote, value + 1)
    if (closing >= 0 && closing < limit) at = closing
  }
  return -1
}

/** Removes markup in one pass. A `<` whose tag is never closed stays as text, so that no words are lost. */
const stripTags = (text: string): string => {
  const searched = lowerCased(text)
  /** The last index of each needle, -1 once there is none: so no part of the text is searched twice, and the time stays linear. */
  const indexes = new Map<string, number>()
  const find = (needle: string, from: number): number => {
    const known = indexes.get(needle)
    if (known !== undefined && (known < 0 || known >= from)) return known
    const at = searched.indexOf(needle, from)
    indexes.set(needle, at)
    return at
  }
  let out = ""
  let at = 0
  while (at < text.length) {
    const open = text.indexOf("<", at)
    if (open < 0) break
    out += text.slice(at, open)
    at = open
    if (text.startsWith("<!--", open)) {
      const close = find("-->", open + 4)
      if (close >= 0) {
        at = close + 3
        continue
      }
    } else if (tagStart.test(text[open + 1] ?? "")) {
      const nested = text.indexOf("<", open + 1)
      const close = tagEnd(text, open + 1, nested < 0 ? text.length : nested)
      if (close >= 0) {
        at = close + 1
        const element = hidden.find((name) =>
          new RegExp(`^${name}(?![a-z0-9])`).test(searched.slice(open + 1, open + 9))
        )
        const end = element === undefined ? -1 : find(`</${element}`, at)
        if (end >= 0) at = end
        else if (/^\/?(?:p|div|br|li|tr|h[1-6])(?![a-z0-9])/.test(searched.slice(open + 1, open + 6)))
          out += "\n"
        continue
      }
    }
    out += "<"
    at = open + 1
  }
  return out + text.slice(at)
}

const dropControls = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "")

/** A character that one of the steps of `dropMarkup` could change. */
// eslint-disable-next-line no-control-regex
const marked = /[<&\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const dropMarkup = (seen: string): string =>
  stripTags(dropControls(decodeEntities(stripTags(dropControls(seen))))).replace(
    /<+/g,
    (run, at: number, text: string) => (tagStart.test(text[at + run.length] ?? "") ? "" : run)
  )

/**
 * Turns a collected comment into plain text: without tags, without control characters except newline and tab, without white
 * space at either end, and with at most one empty line in a row. [ENG-6]
 */
export const sanitise = (seen: string): string =>
  (marked.test(seen) ? dropMarkup(seen) : seen).replace(/\n{3,}/g, "\n\n").trim()
