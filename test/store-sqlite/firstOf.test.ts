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

  it("are found, and in no quadratic time, in an order that is made against the choice of pivots", () => {
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
    // The first pivots are the smallest again, and what is left is in the other order.
    const turned = values.map((value) => (value < count / 8 ? value : 2 * count - value))
    const inOrder = (i: number, j: number) => turned[i]! - turned[j]! || i - j
    const sorted = turned.map((_, i) => i).sort(inOrder)
    for (const [from, to] of [
      [count - 20, count],
      [count / 2, count / 2 + 20]
    ] as const) {
      comparisons = 0
      expect(firstOf(count, from, to, (i, j) => (comparisons++, inOrder(i, j)))).toEqual(
        sorted.slice(from, to)
      )
      expect(comparisons).toBeLessThan(count * 100)
    }
  })
})
