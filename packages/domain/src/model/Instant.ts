import { millisPerDay, millisPerMinute } from "./Duration.ts"

/** Instants are milliseconds since 1970-01-01T00:00:00Z, as `Clock` gives them; on the wire ISO 8601, UTC, with `Z`. */
export type Instant = number

/** The formatted date of each day since 1970. Formatting the date is the slow part, and an answer's instants lie in few days. */
const dates = new Map<number, string>()
const maxDates = 1000

/** The date of a day since 1970, such as `2026-01-05T`. */
const dateOf = (day: number): string => {
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * millisPerDay).toISOString().slice(0, "2026-01-05T".length)
  if (dates.size >= maxDates) dates.clear()
  dates.set(day, date)
  return date
}

const padded = (count: number, length: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => String(n).padStart(length, "0"))

const twoDigits = padded(60, 2)
const threeDigits = padded(1000, 3)

/** The first instant of the minute that contains `instant`. */
export const minuteOf = (instant: Instant): Instant => Math.floor(instant / millisPerMinute) * millisPerMinute

/** Formats an instant as `2026-01-05T10:00:00.000Z`. It must lie in the years 0000 to 9999. [LIST-8] */
export const formatInstant = (instant: Instant): string => {
  const whole = Math.trunc(instant)
  const day = Math.floor(whole / millisPerDay)
  const millis = whole - day * millisPerDay
  const seconds = Math.floor(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  const hour = twoDigits[Math.floor(minutes / 60)]!
  return `${dateOf(day)}${hour}:${twoDigits[minutes % 60]!}:${twoDigits[seconds % 60]!}.${threeDigits[millis % 1000]!}Z`
}

/** As `formatInstant`; null for null, a time that nobody knows. */
export const formatInstantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)

/** Whether `formatInstant` can format the instant: it lies in the years 0000 to 9999, UTC. */
export const isShowable = (instant: Instant): boolean =>
  instant >= -62_167_219_200_000 && instant <= 253_402_300_799_999
