/** Parses the Retry-After header: seconds, or an HTTP date (RFC 9110 §10.2.3). [DELIV-3] */

/** The greatest result, about 31 years: a retry waits for a day at most. */
const maxSeconds = 999_999_999

const month = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
const time = "(?<time>\\d{2}:\\d{2}:\\d{2})"
const weekday = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
const longWeekday = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"

/** The form that senders write, and the two older ones that recipients must accept: RFC 850's and asctime's (RFC 9110 §5.6.7). */
const forms = [
  new RegExp(`^${weekday}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^${longWeekday}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^${weekday} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`)
]

/** The latest year with these last two digits that is at most 50 after that of `now`. */
const fullYear = (lastDigits: number, now: number): number => {
  const latest = new Date(now).getUTCFullYear() + 50
  return latest - ((latest - lastDigits) % 100)
}

/** Milliseconds since 1970; null when the text is no HTTP date. */
const parseDate = (text: string, now: number): number | null => {
  for (const form of forms) {
    const fields = form.exec(text)?.groups
    if (fields === undefined) continue
    const year = fields["year"]!.length === 2 ? fullYear(Number(fields["year"]), now) : fields["year"]
    const day = fields["day"]!.replace(" ", "0")
    const at = Date.parse(`${day} ${fields["month"]} ${year} ${fields["time"]} GMT`)
    return Number.isNaN(at) ? null : at
  }
  return null
}

/**
 * Whole seconds from `now`, from 0 to 999,999,999 where the header has a number; null when the header is missing or malformed. `now` is
 * in milliseconds since 1970.
 */
export const parseSeconds = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ""
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text), maxSeconds)
  const at = parseDate(text, now)
  return at === null ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
