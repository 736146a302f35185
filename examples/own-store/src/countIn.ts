/** Counts what happened in each interval, by group. */
import type { CountSeries } from "@lead-signals/domain"

export const countIn = <Group extends string | null>(
  { count, millis, start }: CountSeries.CountedIntervals,
  things: ReadonlyArray<{ readonly at: number; readonly group: Group }>
): ReadonlyArray<CountSeries.IntervalCount<Group>> => {
  const counts = new Map<string, { readonly index: number; readonly group: Group; n: number }>()
  for (const { at, group } of things) {
    const index = Math.floor((at - start) / millis)
    if (index < 0 || index >= count) continue
    const key = JSON.stringify([index, group])
    const found = counts.get(key) ?? { index, group, n: 0 }
    found.n++
    counts.set(key, found)
  }
  return [...counts.values()]
}
