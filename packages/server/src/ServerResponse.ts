/** Readings of a response that may come from a Lead Signals server, or from whatever answers at its address. */

/** The message for a response that no Lead Signals server gives, such as a proxy's login page. */
export const foreignResponseMessage = (url: string): string =>
  `The response does not come from Lead Signals; does the server run at ${url}?`

/** Whether a later try may succeed. A proxy before a restarting server answers 502 or 504, a slow connection gives 408. */
export const isUnavailable = (status: number): boolean => [408, 502, 503, 504].includes(status)

/** The server's own message in the body of an error response. */
export const refusalMessage = (body: string): string => {
  try {
    return (JSON.parse(body) as { error: { message: string } }).error.message
  } catch {
    return "The response does not come from Lead Signals."
  }
}
