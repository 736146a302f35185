/** A text with U+0000, which Postgres can't hold, is no key of anything; null equals nothing there. */
export const keyText = (text: string): string | null => (text.includes("\0") ? null : text)
