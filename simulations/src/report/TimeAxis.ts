/** Where instants stand on the timeline: near ones apart enough to be seen, and long gaps as breaks of one width. */
import type { TraceEvent } from "@lead-signals/simulation-kernel"

/** A gap of this length or more is a break. */
export const breakMillis = 2000
const breakWidth = 58

/** A time in which nothing happened. */
export interface Break {
  readonly from: number
  readonly to: number
  readonly skippedMillis: number
}

/** In pixels: where each instant stands, where gaps are folded, and how wide it all is. */
export interface TimeAxis {
  readonly xOf: ReadonlyMap<number, number>
  readonly breaks: ReadonlyArray<Break>
  readonly width: number
}

/** Between two events that are close: twice the time takes a little more room. */
const pixelsOf = (millis: number): number => 6 * Math.log2(1 + millis / 2)

/** Places one instant after the other, in the order of a history. */
export class Placement {
  private x = 24
  private last: number | null = null

  /** Where the instant stands; with the break before it, if there is one. */
  place(at: number): { readonly x: number; readonly gap: Break | null } {
    const skippedMillis = at - (this.last ?? at)
    const from = this.x
    const isBreak = skippedMillis >= breakMillis
    if (isBreak) this.x += breakWidth
    else if (skippedMillis > 0) this.x += pixelsOf(skippedMillis)
    this.last = Math.max(this.last ?? at, at)
    return { x: this.x, gap: isBreak ? { from: from + 8, to: from + breakWidth - 8, skippedMillis } : null }
  }
}

/** The events must be in the order of their times. */
export const timeAxis = (events: ReadonlyArray<TraceEvent>): TimeAxis => {
  const xOf = new Map<number, number>()
  const breaks: Array<Break> = []
  const placement = new Placement()
  let width = 24
  for (const { at } of events) {
    const { gap, x } = placement.place(at)
    if (gap !== null) breaks.push(gap)
    xOf.set(at, x)
    width = x
  }
  return { xOf, breaks, width }
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
