/**
 * The timestamps that filters and observations take: RFC 3339 with the freedoms of TIME-1 and TIME-2, nothing else.
 * A value without a zone is read as UTC, whatever the host's zone. [TIME-6]
 */
import { Either } from "effect"
import type { Instant } from "./Instant.ts"
import { isDay, startOfDay } from "./Calendar.ts"

const grammar =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{3}))?)?(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2}))?)?$/

/** A timestamp whose `+` was sent in a query without encoding: it arrives as a space before the offset. */
const offsetAfterSpace =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{3})?)? [0-9]{2}:?[0-9]{2}$/

/** The end of each refusal of `parse`: the accepted forms, with examples. [TIME-1, TIME-3] */
export const accepted =
  "takes a date such as 2026-01-31, or a date and time such as 2026-01-31T09:30:00.000Z or 2026-01-31T09:30:00+02:00"

const refused = (why: string) => Either.left(`${accepted}; ${why}`)

/**
 * Reads a timestamp as an instant. Left: `accepted` and what is wrong, the end of a sentence whose subject is the
 * parameter. Month 13, 30 February, hour 24, second 60 and an offset beyond 23:59 are refused. [TIME-4]
 */
export const parse = (text: string): Either.Either<Instant, string> => {
  const match = grammar.exec(text)
  if (match === null) {
    return offsetAfterSpace.test(text)
      ? refused("a + before the offset must be encoded as %2B in a query")
      : refused("this is none of these")
  }
  const number = (group: number): number => Number(match[group] ?? 0)
  const [year, month, day, hour, minute, second, millis] = [1, 2, 3, 4, 5, 6, 7].map(number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ]
  const [offsetHours, offsetMinutes] = [number(10), number(11)]
  if (!isDay(year, month, day)) return refused("there is no such day")
  if (hour > 23 || minute > 59 || second > 59) return refused("there is no such time of day")
  if (offsetHours > 23 || offsetMinutes > 59) return refused("an offset lies within 23:59 of UTC")
  const offsetMillis = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[9] === "-" ? -1 : 1)
  const timeOfDayMillis = ((hour * 60 + minute) * 60 + second) * 1000 + millis
  return Either.right(startOfDay(year, month, day) + timeOfDayMillis - offsetMillis)
}
