/** Ids are decimal digits of safe integers; any other text is no id of anything, and 0 never is. */
export const idOf = (text: string): number =>
  /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0

/** A text with U+0000, which Postgres can't hold, is no key of anything; null equals nothing there. */
export const keyText = (text: string): string | null => (text.includes("\0") ? null : text)
