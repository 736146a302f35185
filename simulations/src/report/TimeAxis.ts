/** Where instants stand on the timeline: near ones apart enough to be seen, and long gaps as breaks of one width. */
import type { TraceEvent } from "@lead-signals/simulation-kernel"

/** A gap of this length or more is a break. */
export const breakMillis = 2000
const breakWidth = 58

/** A time in which nothing happened. */
interface Break {
  readonly from: number
  readonly to: number
  readonly skippedMillis: number
}

export interface TimeAxis {
  readonly xOf: ReadonlyMap<number, number>
  readonly breaks: ReadonlyArray<Break>
  readonly width: number
}

/** Between two events that are close: twice the time takes a little more room. */
const pixelsOf = (millis: number): number => 6 * Math.log2(1 + millis / 2)

export const timeAxis = (events: ReadonlyArray<TraceEvent>): TimeAxis => {
  const xOf = new Map<number, number>()
  const breaks: Array<Break> = []
  let [x, last] = [24, events[0]?.at ?? 0]
  for (const { at } of events) {
    const skippedMillis = at - last
    if (skippedMillis >= breakMillis) {
      breaks.push({ from: x + 8, to: x + breakWidth - 8, skippedMillis })
      x += breakWidth
    } else if (skippedMillis > 0) x += pixelsOf(skippedMillis)
    last = Math.max(last, at)
    xOf.set(at, x)
  }
  return { xOf, breaks, width: x }
}

/** A duration in at most two units: `38 s`, `2 min 5 s`, `3 h 12 min`, `2 days 4 h`. */
export const duration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), seconds >= 172_800 ? "days" : "day"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"]
  ] as const
  const first = parts.findIndex(([amount]) => amount > 0)
  return first < 0
    ? "0 s"
    : parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount} ${unit}`)
        .join(" ")
}
