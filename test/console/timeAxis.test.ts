/** The axis of time of the console's plots. */
import { describe, expect, it } from "vitest"

// The console is no library: it is compiled apart.
const module = new URL("../../packages/console/src/plots/timeAxis.ts", import.meta.url).href
const { timeLabels, timeSpan } = await import(module)

const day = 86_400

describe("an axis of time", () => {
  it("gives the only interval of a plot some intervals around it, and not years", () => {
    expect(timeSpan([1000 * day], "bars", 60)).toEqual([1000 * day - 120, 1000 * day + 180])
    expect(timeSpan([1000 * day], "lines", null)).toEqual([998 * day, 1003 * day])
  })

  it("ends after the last bar, and at the last point of a line", () => {
    const times = [0, day, 2 * day]
    expect(timeSpan(times, "bars", null)).toEqual([0, 3 * day])
    expect(timeSpan(times, "lines", null)).toEqual([0, 2 * day])
    expect(timeSpan([], "bars", 60)).toEqual([-120, 180])
  })

  it("calls ticks by what tells them apart", () => {
    const labels = timeLabels("UTC")
    expect(labels([0, day / 2, day], day / 2)).toEqual(["Jan 1", "12:00", "Jan 2"])
    expect(labels([0, 30, 60], 30)).toEqual(["Jan 1", "00:00:30", "00:01:00"])
    // Ticks that lie closer than their name can tell have it once.
    expect(labels([day, day + 3600, 2 * day], day)).toEqual(["Jan 2", "", "Jan 3"])
  })
})
