/** The latest attempts of deliveries, summed up by intervals of time. */
import type { Delivery } from "../api/client.ts"

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const lengths = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day, 28 * day] as const
/** More bars than this can't be told apart. */
const maxIntervals = 40

/** Figures by interval, each list as long as `times`. */
export interface AttemptTotals {
  /** When each interval begins, in milliseconds since 1970. */
  readonly times: ReadonlyArray<number>
  /** The length of an interval, in milliseconds. */
  readonly length: number
  /** How many attempts were answered with a 2xx. */
  readonly taken: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
  /** In milliseconds; null where nothing was attempted. */
  readonly median: ReadonlyArray<number | null>
  readonly slowest: ReadonlyArray<number | null>
}

/** Whether the receiver took the post: a 2xx. Null is no answer. */
export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** In at most 40 intervals, each a round length of time. Null where nothing was attempted. */
export const attemptTotals = (deliveries: ReadonlyArray<Delivery>): AttemptTotals | null => {
  const attempts = deliveries.flatMap(({ lastAttempt }) =>
    lastAttempt === null
      ? []
      : [
          {
            at: Date.parse(lastAttempt.at),
            millis: lastAttempt.durationMillis,
            isTaken: isTaken(lastAttempt.status)
          }
        ]
  )
  if (attempts.length === 0) return null
  const instants = attempts.map(({ at }) => at)
  const [first, last] = [Math.min(...instants), Math.max(...instants)]
  const length = lengths.find((each) => (last - first) / each < maxIntervals - 1) ?? lengths.at(-1)!
  const from = Math.floor(first / length) * length
  const times = Array.from({ length: Math.floor((last - from) / length) + 1 }, (_, i) => from + i * length)
  const within = Map.groupBy(attempts, ({ at }) => Math.floor((at - from) / length))
  const count = (wanted: boolean) =>
    times.map((_, i) => (within.get(i) ?? []).filter((each) => each.isTaken === wanted).length)
  const sorted = times.map((_, i) => (within.get(i) ?? []).map(({ millis }) => millis).sort((a, b) => a - b))
  return {
    times,
    length,
    taken: count(true),
    failed: count(false),
    median: sorted.map((millis) => millis[Math.floor((millis.length - 1) / 2)] ?? null),
    slowest: sorted.map((millis) => millis.at(-1) ?? null)
  }
}
