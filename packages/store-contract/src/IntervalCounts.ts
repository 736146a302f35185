/** Counts over time, compared with a walk over all that the reference has. [SERIES-5, SERIES-6] */
import { type BrandId, type CountSeries, Deliveries, LeadStore, Intervals } from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual } from "./Assertions.ts"
import type { LeadWorld } from "./LeadWorld.ts"
import type { ReferenceDeliveries } from "./reference/ReferenceDeliveries.ts"

interface Happened {
  readonly at: number
  readonly group: string | null
}

/** Intervals that begin before what happened first and end within it, so that both ends matter. */
const spansOver = (happened: ReadonlyArray<Happened>): ReadonlyArray<CountSeries.CountedIntervals> => {
  const instants = happened.map(({ at }) => at).sort((a, b) => a - b)
  const middle = instants[Math.floor(instants.length / 2)] ?? 0
  return Intervals.intervals.flatMap((interval) =>
    [instants[0] ?? 0, middle].map((from) => ({
      start: Intervals.startOf(interval, from) - Intervals.intervalMillis[interval],
      millis: Intervals.intervalMillis[interval],
      count: 3
    }))
  )
}

const naive = (
  happened: ReadonlyArray<Happened>,
  { count, millis, start }: CountSeries.CountedIntervals
): ReadonlyArray<string> => {
  const groups = [...new Set(happened.map(({ group }) => group))]
  return Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    groups.flatMap((group) => {
      const [from, to] = [start + index * millis, start + (index + 1) * millis]
      const n = happened.filter((each) => each.group === group && each.at >= from && each.at < to).length
      return n === 0 ? [] : [`${n} of ${group} in interval ${index}`]
    })
  )
}

const rendered = (counts: ReadonlyArray<CountSeries.IntervalCount>): ReadonlyArray<string> =>
  counts.map(({ group, index, n }) => `${n} of ${group} in interval ${index}`).sort()

/** The leads and engagements of the world, by each group that they have. */
export const checkCounts = ({ brand, reference }: LeadWorld) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const engagements = reference.rows.flatMap((row) => row.engagements)
    const cases: ReadonlyArray<readonly [CountSeries.Counted, ReadonlyArray<Happened>]> = [
      [{ of: "leads", by: "none" }, reference.rows.map(({ createdAt }) => ({ at: createdAt, group: null }))],
      [
        { of: "leads", by: "signal" },
        reference.rows.flatMap(({ createdAt, signals }) =>
          [...signals].map((group) => ({ at: createdAt, group }))
        )
      ],
      [
        { of: "engagements", by: "none" },
        engagements.map(({ trackedAt }) => ({ at: trackedAt, group: null }))
      ],
      [
        { of: "engagements", by: "signal" },
        engagements.map(({ signalId, trackedAt }) => ({ at: trackedAt, group: signalId }))
      ],
      [
        { of: "engagements", by: "type" },
        engagements.map(({ trackedAt, type }) => ({ at: trackedAt, group: type }))
      ]
    ]
    for (const [counted, happened] of cases) {
      for (const intervals of spansOver(happened)) {
        assertEqual(
          `LeadStore.counts of ${counted.of} by ${counted.by} in intervals of ${intervals.millis} ms`,
          rendered(yield* store.counts(brand.id, counted, intervals)),
          [...naive(happened, intervals)].sort()
        )
      }
    }
  })

/** The deliveries of the brand that ended. */
export const checkDeliveryCounts = (brandId: BrandId, reference: ReferenceDeliveries) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const ended = reference.deliveries.flatMap(({ finishedAt, state, webhook }) =>
      finishedAt === null || webhook.deleted ? [] : [{ at: finishedAt, group: state }]
    )
    for (const intervals of spansOver(ended)) {
      assertEqual(
        `Deliveries.counts in intervals of ${intervals.millis} ms`,
        rendered(yield* deliveries.counts(brandId, intervals)),
        [...naive(ended, intervals)].sort()
      )
    }
  })
