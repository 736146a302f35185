/** A part of many items by their keys, against sorting them. */
import { type KeyedOrder, selectByKeys } from "@lead-signals/store-sqlite/internal"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

/** Items by three keys each, of which the last is their number. */
const orderOf = (keys: ReadonlyArray<readonly [number, number]>) => {
  let compared = 0
  const keyOf = (item: number, level: number): number => (level === 2 ? item : keys[item]![level]!)
  const order: KeyedOrder = {
    writeKeys: (items, level, written) => items.forEach((item, i) => (written[i] = keyOf(item, level))),
    levelAfter: (level) => (level < 2 ? level + 1 : null),
    compare: (a, b) => {
      compared++
      for (const level of [0, 1]) {
        const [left, right] = [keyOf(a, level), keyOf(b, level)]
        if (left !== right) return left < right ? -1 : 1
      }
      return a - b
    }
  }
  return { order, compared: () => compared }
}

/** Numbers of all sizes, few, close together, and missing ones. */
const key = fc.oneof(
  fc.double({ noNaN: true, min: Number.NEGATIVE_INFINITY, minExcluded: true }),
  fc.constantFrom(0, -0, 1, 1.5, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE),
  fc.constant(Number.POSITIVE_INFINITY),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_100 })
)

describe("a part of many items by their keys", () => {
  it("is that of the sorted list, whatever the keys [SORT-3, SORT-5]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, key), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 2000 }),
        fc.nat(),
        fc.nat(),
        (distinct, count, a, b) => {
          // More than are compared at once; those of the same keys are told apart by their numbers alone.
          const keys = Array.from({ length: count }, (_, i) => distinct[(i * 7) % distinct.length]!)
          const { order } = orderOf(keys)
          const items = Uint32Array.from(keys, (_, i) => i)
          const [from, to] = [Math.min(a, b), Math.max(a, b)]
            .map((place) => place % (count + 1))
            .sort((x, y) => x - y) as [number, number]
          const sorted = Array.from(items).sort(order.compare)
          expect(selectByKeys(items, from, to, order)).toEqual(sorted.slice(from, to))
        }
      ),
      { numRuns: cases(100) }
    )
  })

  it.each([
    ["even", (i: number) => (i * 7919) % 100_000],
    ["rising", (i: number) => i],
    ["few", (i: number) => i % 3],
    ["equal", () => 5],
    ["mostly missing", (i: number) => (i % 1000 === 0 ? i : Number.POSITIVE_INFINITY)]
  ])("compares few of a hundred thousand: %s keys [SORT-5]", (_, keyOf) => {
    const count = 100_000
    const { compared, order } = orderOf(Array.from({ length: count }, (_, i) => [keyOf(i), 0] as const))
    const items = Uint32Array.from({ length: count }, (_, i) => i)
    for (const from of [0, 33_333, 66_660, count - 25]) selectByKeys(items, from, from + 25, order)
    expect(compared()).toBeLessThan(20_000)
  })

  it("reads no item more than some twenty times, with keys of which each round tells one apart [SORT-5]", () => {
    // Each outlier is as far from the next as buckets reach: doubles have room for 170 of them.
    const outliers = Array.from({ length: 170 }, (_, i) => 2 ** (1023 - 12 * i))
    const close = Array.from({ length: 1000 }, (_, i) => ((i * 7) % 1000) * Number.MIN_VALUE)
    const all = [...close, ...outliers]
    const { order } = orderOf(all.map((each) => [each, 0] as const))
    const reads = new Uint32Array(all.length)
    const writeKeys: KeyedOrder["writeKeys"] = (items, level, written) => {
      for (const item of items) reads[item]!++
      order.writeKeys(items, level, written)
    }
    const items = Uint32Array.from(all, (_, i) => i)
    const sorted = Array.from(items).sort(order.compare)
    expect(selectByKeys(items, 500, 520, { ...order, writeKeys })).toEqual(sorted.slice(500, 520))
    expect(Math.max(...reads)).toBeLessThanOrEqual(24)
  })
})
