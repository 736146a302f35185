/** Forms of timestamps and of days, each with the instant that it names. [TIME-1 … TIME-8, MET-5] */
import { type Form, invalid, refused, taken } from "./Form.ts"

const hour = 3_600_000
const day = 24 * hour

/** A way to write a given instant: exactly, or the day, minute or second in which it lies. */
export interface InstantForm {
  /** What is particular about it. */
  readonly name: string
  /** Takes milliseconds since 1970; answers the text, and the instant that it names. */
  readonly write: (instant: number) => { readonly text: string; readonly means: number }
}

const utc = (instant: number): string => new Date(instant).toISOString()

const exactly = (name: string, text: (instant: number) => string): InstantForm => ({
  name,
  write: (instant) => ({ text: text(instant), means: instant })
})

const to = (name: string, unit: number, text: (instant: number) => string): InstantForm => ({
  name,
  write: (instant) => {
    const means = Math.floor(instant / unit) * unit
    return { text: text(means), means }
  }
})

const pad = (n: number): string => String(n).padStart(2, "0")

/** The clock of a zone so many minutes east of UTC, with the offset behind it. */
const inZone = (minutes: number, separator: string) =>
  exactly(
    `offset ${minutes < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}${separator}${pad(Math.abs(minutes) % 60)}`,
    (instant) =>
      `${utc(instant + minutes * 60_000).slice(0, -1)}${minutes < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}${separator}${pad(Math.abs(minutes) % 60)}`
  )

/** All ways to write an instant. Plans name them by their place: new ones are appended. */
export const instantForms: ReadonlyArray<InstantForm> = [
  exactly("UTC", utc),
  exactly("a space and a small z", (instant) => utc(instant).replace("T", " ").replace("Z", "z")),
  exactly("no zone", (instant) => utc(instant).slice(0, -1)),
  inZone(330, ":"),
  exactly("a small t", (instant) => utc(instant).replace("T", "t")),
  to("a date alone", day, (instant) => utc(instant).slice(0, 10)),
  to("minutes, no zone", 60_000, (instant) => utc(instant).slice(0, 16)),
  to("minutes, UTC", 60_000, (instant) => `${utc(instant).slice(0, 16)}Z`),
  to("seconds, no zone", 1000, (instant) => utc(instant).slice(0, 19)),
  to("seconds, UTC", 1000, (instant) => `${utc(instant).slice(0, 19)}Z`),
  inZone(-210, ":"),
  inZone(345, ""),
  inZone(-570, ""),
  inZone(840, ":"),
  inZone(-720, ":"),
  inZone(1439, ":"),
  inZone(-1439, ""),
  inZone(0, ":"),
  exactly("offset -00:00", (instant) => `${utc(instant).slice(0, -1)}-00:00`),
  to("minutes with an offset", 60_000, (instant) => `${utc(instant - 5.5 * hour).slice(0, 16)}-05:30`),
  to("seconds with an offset", 1000, (instant) => `${utc(instant + 9 * hour).slice(0, 19)}+0900`)
]

const fixed = (name: string, text: string, means: string): Form =>
  taken(name, text, { means: Date.parse(means) })

const fixedForms: ReadonlyArray<Form> = [
  fixed("a leap day", "2024-02-29", "2024-02-29T00:00:00Z"),
  fixed("the leap day of a century", "2000-02-29T12:00:00Z", "2000-02-29T12:00:00Z"),
  fixed("an offset over the end of a leap day", "2024-03-01T01:00:00+02:00", "2024-02-29T23:00:00Z"),
  fixed("the last millisecond of a day", "2026-01-05T23:59:59.999Z", "2026-01-05T23:59:59.999Z"),
  fixed("before 1970", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
  fixed("the year 0000", "0000-01-01", "0000-01-01T00:00:00Z"),
  fixed("the year 0099", "0099-06-01T00:00:00Z", "0099-06-01T00:00:00Z"),
  fixed("the end of the year 9999", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z")
]

const noDay: ReadonlyArray<readonly [string, string]> = [
  ["month 13", "2026-13-01"],
  ["month 00", "2026-00-10"],
  ["day 00", "2026-01-00"],
  ["day 32", "2026-01-32"],
  ["30 February", "2026-02-30"],
  ["31 April", "2026-04-31"],
  ["29 February of a common year", "2025-02-29"],
  ["29 February of 1900", "1900-02-29"],
  ["slashes", "2026/01/05"],
  ["no dashes", "20260105"],
  ["one digit a part", "2026-1-5"],
  ["two digits of a year", "26-01-05"],
  ["a year alone", "2026"],
  ["a month alone", "2026-01"],
  ["a year of five digits", "12026-01-05"],
  ["a signed year", "+002026-01-05"],
  ["a week", "2026-W02-1"],
  ["a day of the year", "2026-005"],
  ["the day first", "05-01-2026"],
  ["a name of a month", "2026-Jan-05"],
  ["full-width digits", "２０２６-01-05"],
  ["Arabic digits", "٢٠٢٦-٠١-٠٥"],
  ["another dash", "2026\u201101\u201105"],
  ["a space before", " 2026-01-05"],
  ["a space after", "2026-01-05 "],
  ["a line break after", "2026-01-05\n"],
  ["U+0000 after", "2026-01-05\u0000"],
  ["empty", ""],
  ["a word", "yesterday"],
  ["epoch seconds", "1767600000"],
  ["epoch milliseconds", "1767600000000"]
]

const noTime: ReadonlyArray<readonly [string, string]> = [
  ["hour 24", "2026-01-05T24:00:00Z"],
  ["minute 60", "2026-01-05T10:60:00Z"],
  ["second 60", "2026-01-05T10:00:60Z"],
  ["an offset of a day", "2026-01-05T10:00:00+24:00"],
  ["an offset of 60 minutes", "2026-01-05T10:00:00+05:60"],
  ["an offset of hours alone", "2026-01-05T10:00:00+05"],
  ["an offset with seconds", "2026-01-05T10:00:00+05:30:00"],
  ["an offset with another minus", "2026-01-05T10:00:00\u221205:00"],
  ["a space before the offset", "2026-01-05T10:00:00 -05:00"],
  ["a zone twice", "2026-01-05T10:00:00ZZ"],
  ["a zone and an offset", "2026-01-05T10:00:00Z+01:00"],
  ["a zone by name", "2026-01-05T10:00:00 UTC"],
  ["a zone on a date", "2026-01-05Z"],
  ["an offset on a date", "2026-01-05+02:00"],
  ["a fraction of one digit", "2026-01-05T10:00:00.5Z"],
  ["a fraction of two digits", "2026-01-05T10:00:00.50Z"],
  ["a fraction of six digits", "2026-01-05T10:00:00.500000Z"],
  ["a fraction without digits", "2026-01-05T10:00:00.Z"],
  ["a fraction behind a comma", "2026-01-05T10:00:00,500Z"],
  ["a fraction of a minute", "2026-01-05T10:00.500Z"],
  ["an hour alone", "2026-01-05T10"],
  ["one digit of an hour", "2026-01-05T9:00"],
  ["no time behind the T", "2026-01-05T"],
  ["two spaces", "2026-01-05  10:00:00Z"],
  ["another letter", "2026-01-05X10:00:00Z"],
  ["compact", "20260105T100000Z"],
  ["RFC 1123", "Mon, 05 Jan 2026 10:00:00 GMT"]
]

/** The forms of an instant, written as each of them is. */
const written = (instant: number): ReadonlyArray<Form> =>
  instantForms.map(({ name, write }) => {
    const { means, text } = write(instant)
    return taken(name, text, { means })
  })

/** Long after all simulated time, and after that of tests. */
const toCome = Date.parse("2100-06-01T10:20:30.456Z")
/** Before all simulated time. */
const isPast = ({ means }: Form): boolean => (means as number) < Date.parse("2026-01-01T00:00:00Z")
const isYetToCome = ({ means }: Form): boolean => (means as number) > toCome

/** The end of a new credential: a time that has passed is refused. [AUTH-12] */
export const endForms: ReadonlyArray<Form> = [
  ...written(toCome),
  ...fixedForms.filter(isYetToCome),
  ...fixedForms.filter(isPast).map(({ name, value }) => refused(name, value)),
  ...[...noDay, ...noTime].map(([name, text]) => refused(name, text))
]

/** A timestamp; without the forms that vary with the instant, which `instantForms` has. */
export const timestampForms = (instant: number, isQuery: boolean): ReadonlyArray<Form> => [
  ...written(instant),
  ...fixedForms,
  ...[...noDay, ...noTime].map(([name, text]) => refused(name, text)),
  ...(isQuery
    ? [refused("a plus that was not encoded", "2026-01-05T10:00:00 02:00", { ...invalid, names: "%2B" })]
    : [])
]

/** Timestamps that answers cannot show, since they lie outside the years 0000 to 9999. */
export const unshowable: ReadonlyArray<Form> = [
  refused("before the year 0000, UTC", "0000-01-01T00:00:00.000+00:01"),
  refused("after the year 9999, UTC", "9999-12-31T23:59:59.999-00:01")
]

const noDays: ReadonlyArray<Form> = [
  ...noDay.map(([name, text]) => refused(name, text)),
  refused("a time", "2026-01-05T00:00:00Z")
]

/** A day of figures over time, where the other end of the span is today or not given. [SERIES-1] */
export const spanDayForms: ReadonlyArray<Form> = [taken("a day", "2026-01-04"), ...noDays]

/** A day. [MET-5] */
export const dayForms: ReadonlyArray<Form> = [
  taken("a day", "2026-01-04"),
  taken("a leap day", "2024-02-29"),
  taken("the first day", "0000-01-01"),
  taken("the last day", "9999-12-31"),
  ...noDays
]
