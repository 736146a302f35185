/** Replaces each run of control characters in a text from elsewhere by a space: it could otherwise steer the terminal. */
export const stripControlCharacters = (text: string): string => text.replace(/\p{Cc}+/gu, " ")
