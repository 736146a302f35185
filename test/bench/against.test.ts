/** What the comparison with an earlier commit says of a shape. */
import { describe, expect, it } from "vitest"
import { type AgainstFigure, againstAsText, isComparable, verdictOf } from "./Against.ts"

const figure = (changes: Partial<AgainstFigure>): AgainstFigure => ({
  shape: "first-page",
  leads: 10_000,
  hits: { earlier: [400], now: [400] },
  difference: null,
  earlier: [100, 100, 100, 100],
  now: [100, 100, 100, 100],
  micros: { earlier: [40], now: [40] },
  ...changes
})

describe("a shape beside an earlier commit", () => {
  it("is slower where three rounds of four are below 0.85, and unclear where fewer are", () => {
    const verdict = (micros: number, ...now: ReadonlyArray<number>) =>
      verdictOf(figure({ earlier: now.map(() => 100), now, micros: { earlier: [40], now: [micros] } }))
    expect(verdict(50, 90, 80, 100, 86)).toBe("as fast")
    expect(verdict(50, 80, 80, 80, 120)).toBe("unclear")
    expect(verdict(50, 80, 80, 80, 80, 120)).toBe("slower")
    expect(verdict(46, 80, 80, 80, 80, 120)).toBe("unclear")
  })

  it("has no verdict where its requests find another number of leads", () => {
    const found = (earlier: number, now: number) => ({ hits: { earlier: [earlier], now: [now] } })
    expect(isComparable({ hits: null })).toBe(true)
    for (const [earlier, now] of [
      [0, 0],
      [1, 3],
      [100, 150],
      [150, 100]
    ] as const)
      expect(isComparable(found(earlier, now)), `${earlier} and ${now}`).toBe(true)
    for (const [earlier, now] of [
      [0, 1],
      [12, 0],
      [100, 151]
    ] as const)
      expect(isComparable(found(earlier, now)), `${earlier} and ${now}`).toBe(false)
    const some = { earlier: [0, 5, 5, 5, 5, 5], now: [9, 5, 5, 5, 5, 5] }
    expect(isComparable({ hits: some })).toBe(true)
    expect(isComparable({ hits: { ...some, now: [9, 50, 5, 5, 5, 5] } })).toBe(false)
    const other = figure({ ...found(0, 12), shape: "random-name-part", earlier: [], now: [] })
    expect(verdictOf(other)).toBe("other hits")
    const text = againstAsText([figure({}), other], "abc")
    expect(text).toMatch(/random-name-part +10,000 +finds 0 +finds 12/)
    expect(text).toContain("2 shapes: 1 as fast, 0 unclear, 0 slower, 1 with other hits")
  })
})
