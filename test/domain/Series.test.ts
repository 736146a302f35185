/** Which intervals a series has, where a feed of events goes on, and how counts are grouped. */
import {
  CountSeries,
  formatInstant,
  Intervals,
  maxPositionsBehind,
  resumeEvents,
  SeriesQueries
} from "@lead-signals/domain"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const now = Date.UTC(2026, 0, 7, 12, 30)
const spanOf = (query: Record<string, string>) =>
  Either.getOrThrow(SeriesQueries.readCounts(Object.entries(query), [], now)).span
const textsOf = (query: Record<string, string>) =>
  Intervals.startsOf(spanOf(query)).map((start) => new Date(start).toISOString())

const instant = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-30"), noInvalidDate: true })

describe("intervals", () => {
  it("hold their instants, begin at full hours, at midnight or on a Monday, and follow each other [SERIES-1]", () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...Intervals.intervals), (date, interval) => {
        const at = date.getTime()
        const start = Intervals.startOf(interval, at)
        const length = Intervals.intervalMillis[interval]
        expect(start <= at && at < start + length).toBe(true)
        expect(Intervals.startOf(interval, start)).toBe(start)
        expect(Intervals.startOf(interval, start - 1)).toBe(start - length)
        const begin = new Date(start)
        expect([begin.getUTCMinutes(), begin.getUTCSeconds(), begin.getUTCMilliseconds()]).toEqual([0, 0, 0])
        if (interval !== "hour") expect(begin.getUTCHours()).toBe(0)
        if (interval === "week") expect(begin.getUTCDay()).toBe(1)
      })
    )
  })

  it("end with the one that has begun, and have defaults of their own [SERIES-2]", () => {
    expect(textsOf({ startDate: "2026-01-06", endDate: "2026-01-09" })).toEqual([
      "2026-01-06T00:00:00.000Z",
      "2026-01-07T00:00:00.000Z"
    ])
    expect(spanOf({ interval: "hour" }).count).toBe(24 + 13)
    expect(spanOf({}).count).toBe(30)
    expect(spanOf({ interval: "week" }).count).toBe(26)
    expect(textsOf({ interval: "week" }).at(-1)).toBe("2026-01-05T00:00:00.000Z")
    expect(spanOf({ startDate: "2027-01-01", endDate: "2027-01-02" }).count).toBe(0)
  })

  it("begin in the years that answers can have [SERIES-2, LIST-8]", () => {
    const read = (query: Record<string, string>) =>
      SeriesQueries.readCounts(Object.entries(query), [], now).pipe(
        Either.match({
          onLeft: ({ parameter }) => parameter as string,
          onRight: ({ span }) => formatInstant(span.start)
        })
      )
    // 3 January of the year 0000 was a Monday.
    expect(read({ endDate: "0000-01-05" })).toBe("endDate")
    expect(read({ endDate: "0000-01-30" })).toBe("0000-01-01T00:00:00.000Z")
    expect(read({ startDate: "0000-01-01", endDate: "0000-01-05" })).toBe("0000-01-01T00:00:00.000Z")
    expect(read({ interval: "week", startDate: "0000-01-02", endDate: "0000-01-05" })).toBe("startDate")
    expect(read({ interval: "week", startDate: "0000-01-03", endDate: "0000-01-05" })).toBe(
      "0000-01-03T00:00:00.000Z"
    )
  })

  it("are 400 at most, whatever is asked [SERIES-2]", () => {
    fc.assert(
      fc.property(instant, instant, fc.constantFrom(...Intervals.intervals), (a, b, interval) => {
        const [startDate, endDate] = [a, b]
          .sort((x, y) => +x - +y)
          .map((date) => date.toISOString().slice(0, 10))
        const read = SeriesQueries.readCounts(
          Object.entries({ interval, startDate: startDate!, endDate: endDate! }),
          [],
          Date.UTC(9999, 11, 31)
        )
        if (Either.isLeft(read)) {
          expect(read.left.parameter).toBe("startDate")
          return
        }
        const { count, start } = read.right.span
        const length = Intervals.intervalMillis[interval]
        expect(count <= SeriesQueries.maxIntervals).toBe(true)
        // Both days lie in the intervals, and no interval lies beside them.
        expect(start <= Date.parse(startDate!) && Date.parse(startDate!) < start + length).toBe(true)
        const end = Date.parse(endDate!) + 86_400_000
        expect(start + (count - 1) * length < end && end <= start + count * length).toBe(true)
      })
    )
  })
})

describe("a series of counts", () => {
  it("loses nothing when groups are put together [SERIES-5]", () => {
    const counts = fc.array(
      fc.record({
        index: fc.nat(5),
        group: fc.constantFrom("a", "b", "c", "d", null),
        n: fc.integer({ min: 1, max: 9 })
      })
    )
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 6 }), (found, limit) => {
        const { groups, rest } = CountSeries.largest(CountSeries.byGroup(6, found), limit)
        const sumAt = (i: number): number =>
          groups.reduce((sum, group) => sum + group.counts[i]!, 0) + (rest?.[i] ?? 0)
        for (let i = 0; i < 6; i++)
          expect(sumAt(i)).toBe(found.filter(({ index }) => index === i).reduce((sum, { n }) => sum + n, 0))
        const totals = groups.map((group) => group.counts.reduce((sum, n) => sum + n, 0))
        expect(totals).toEqual([...totals].sort((a, b) => b - a))
        expect(groups.length <= limit).toBe(true)
      })
    )
  })
})

describe("a feed of events", () => {
  it("goes on after the id, unless it is unknown or too far behind [LIVE-2]", () => {
    const newest = 50_000
    const first = newest - maxPositionsBehind
    const resume = (id: string | undefined, newestPruned = 0) => resumeEvents(id, { newest, newestPruned })
    expect(resume(undefined)).toEqual({ position: newest, gap: null })
    expect(resume("")).toEqual({ position: newest, gap: null })
    expect(resume(String(first))).toEqual({ position: first, gap: null })
    expect(resume(String(newest))).toEqual({ position: newest, gap: null })
    expect(resume(String(first - 1))).toEqual({ position: newest, gap: "too_old" })
    for (const id of [String(newest + 1), "01", "1.0", " 1", "abc"])
      expect(resume(id)).toEqual({ position: newest, gap: "unknown" })
  })

  it("does not go on before an event that was pruned [LIVE-2, RET-5]", () => {
    const resume = (id: number, newest: number) => resumeEvents(String(id), { newest, newestPruned: 100 })
    expect(resume(99, 200)).toEqual({ position: 200, gap: "too_old" })
    expect(resume(100, 200)).toEqual({ position: 100, gap: null })
    // All events were pruned.
    expect(resume(100, 0)).toEqual({ position: 100, gap: null })
    expect(resume(99, 0)).toEqual({ position: 100, gap: "too_old" })
    expect(resume(101, 0)).toEqual({ position: 100, gap: "unknown" })
  })
})
