/** The numbers behind the plots of a webhook's deliveries. */
import { describe, expect, it } from "vitest"

// The console is no library: it is compiled apart.
const module = new URL("../../packages/console/src/settings/attemptTotals.ts", import.meta.url).href
const { attemptTotals } = await import(module)

const delivery = (at: string, durationMillis: number, status: number | null) => ({
  lastAttempt: { at, durationMillis, status, error: status === null ? "timeout" : null }
})

describe("the totals of attempts", () => {
  it("count those taken and failed in intervals of time, with the median and the slowest", () => {
    const totals = attemptTotals([
      delivery("2026-01-05T10:02:10.000Z", 10, 200),
      delivery("2026-01-05T10:02:50.000Z", 90, 500),
      delivery("2026-01-05T10:02:59.999Z", 20, 204),
      { lastAttempt: null },
      delivery("2026-01-05T10:00:30.000Z", 15_000, null)
    ])!
    expect(totals).toEqual({
      times: [0, 1, 2].map((minutes) => Date.UTC(2026, 0, 5, 10, minutes)),
      length: 60_000,
      taken: [0, 0, 2],
      failed: [1, 0, 1],
      median: [15_000, null, 20],
      slowest: [15_000, null, 90]
    })
  })

  it("choose intervals so long that their number stays small, and are none without attempts", () => {
    const week = attemptTotals([
      delivery("2026-01-01T00:00:00.000Z", 1, 200),
      delivery("2026-01-08T00:00:00.000Z", 1, 200)
    ])!
    expect([week.length, week.times.length]).toEqual([6 * 3_600_000, 29])
    expect(attemptTotals([{ lastAttempt: null }])).toBeNull()
  })
})
