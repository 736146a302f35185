/** Texts that come from elsewhere, on their way to a terminal. */

/** No control character of theirs reaches it. */
export const withoutControls = (text: string): string => text.replace(/\p{Cc}+/gu, " ")

/** Of an answer that no server of ours gives, a proxy's login page for one. */
export const foreignAnswer = (url: string): string =>
  `The answer is not one of Lead Signals; does the server run at ${url}?`

/** The server can't answer now. A proxy before a server that is being started anew says 502 or 504, and a slow connection brings 408. */
export const isUnavailable = (status: number): boolean => [408, 502, 503, 504].includes(status)

/** What a server says of a refusal, in its own words. */
export const refusalOf = (body: string): string => {
  try {
    return (JSON.parse(body) as { error: { message: string } }).error.message
  } catch {
    return "The answer is not one of Lead Signals."
  }
}
