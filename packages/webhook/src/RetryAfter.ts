/** Parses the Retry-After header: seconds, or an HTTP date (RFC 9110 §10.2.3). [DELIV-3] */

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Whole seconds from `now`, at least 0; null when the header is missing or malformed. `now` is in
 * milliseconds since 1970.
 */
export const parseSeconds = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ""
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  if (!httpDate.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
