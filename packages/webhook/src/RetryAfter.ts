/** Reads a Retry-After header: seconds, or a date of HTTP (RFC 9110 §10.2.3). [DELIV-3] */

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Whole seconds from now, at least 0; null when there is none that can be read. `now` is in milliseconds. */
export const seconds = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ""
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  if (!httpDate.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
