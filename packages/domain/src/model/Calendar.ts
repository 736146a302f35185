/** The proleptic Gregorian calendar, as far as checking a date needs it. */

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** Whether the calendar has the day; `month` and `day` count from 1. [TIME-4] */
export const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)

/**
 * The day's first instant in UTC, in milliseconds since 1970. Years 0 to 99 are themselves, unlike in `Date.UTC`. The
 * day must exist.
 */
export const startOfDay = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, day)

/** Whether the text is `YYYY-MM-DD` and names a day that exists. [MET-5] */
export const isDate = (text: string): boolean => {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]))
}
