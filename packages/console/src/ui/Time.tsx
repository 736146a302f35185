/** Instants, as the reader's clock and language have them. */
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" })
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" })
const dayOfYear = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", year: "numeric" })

const [minute, hour, oneDay] = [60_000, 3_600_000, 86_400_000]
const maxRelativeDays = 7

const shortTime = (iso: string, now = Date.now()): string => {
  const instant = Date.parse(iso)
  const away = instant - now
  const distance = Math.abs(away)
  if (distance < minute) return away > 0 ? "in a moment" : "just now"
  if (distance < hour) return relative.format(Math.round(away / minute), "minute")
  if (distance < oneDay) return relative.format(Math.round(away / hour), "hour")
  if (distance < maxRelativeDays * oneDay) return relative.format(Math.round(away / oneDay), "day")
  const isThisYear = new Date(instant).getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? day : dayOfYear).format(instant)
}

/** Date and time to the minute, of an ISO 8601 text. */
export const exactTime = (iso: string): string => exact.format(Date.parse(iso))

const second = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" })

/** For instants that are compared with others of the same minute. */
export const toTheSecond = (iso: string): string => second.format(Date.parse(iso))

/** A short form; the exact time is its hint. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
    {shortTime(at)}
  </time>
)
