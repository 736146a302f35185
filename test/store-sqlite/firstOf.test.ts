/** The first of many in an order, against sorting, and in an order that is made against it. */
import { firstOf } from "@lead-signals/store-sqlite/internal"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the first of many in an order", () => {
  it("are those of a sorted list", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.nat(), fc.nat(), (values, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)].map((place) =>
          Math.min(place, values.length)
        ) as [number, number]
        const compare = (i: number, j: number) => values[i]! - values[j]!
        const sorted = values.map((_, i) => i).sort(compare)
        expect(firstOf(values.length, from, to, compare)).toEqual(sorted.slice(from, to))
      })
    )
  })

  it("take no quadratic time in an order that is made against the choice of pivots", () => {
    const count = 4000
    // Values are decided while they are compared, so that each pivot is the smallest that is left (McIlroy, "A Killer Adversary for Quicksort").
    const undecided = count
    const values = Array.from({ length: count }, () => undecided)
    let [decided, candidate, comparisons] = [0, 0, 0]
    const compare = (i: number, j: number): number => {
      comparisons++
      if (values[i] === undecided && values[j] === undecided) values[i === candidate ? i : j] = decided++
      if (values[i] === undecided) candidate = i
      else if (values[j] === undecided) candidate = j
      return values[i]! - values[j]!
    }
    firstOf(count, count - 20, count, compare)
    expect(comparisons).toBeLessThan(count * 100)
  })
})
