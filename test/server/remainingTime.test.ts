/** The time that an import says it has left, against the time that it then takes. */
import { Duration } from "effect"
import { describe, expect, it } from "vitest"
import { remainingTime } from "@lead-signals/server/internal"

const counts = { recorded: 0, duplicate: 0, suppressed: 0, rejected: 0 }
const bytesInAll = 1000

/** Runs an import whose pieces take so long; answers by how much each estimate was wrong, as a share of the time really left. */
const errorsOf = (secondsOf: (share: number) => number): ReadonlyArray<number> => {
  const estimate = remainingTime()
  const pieces = Array.from({ length: bytesInAll }, (_, i) => secondsOf(i / bytesInAll))
  const inAll = pieces.reduce((sum, each) => sum + each, 0)
  let elapsed = 0
  return pieces.slice(0, -1).map((each, i) => {
    elapsed += each
    const left = inAll - elapsed
    return estimate({ counts, bytesDone: i + 1, bytesInAll }, Duration.seconds(elapsed)) / left - 1
  })
}

const max = (errors: ReadonlyArray<number>): number => Math.max(...errors.map(Math.abs))

describe("the time that an import has left", () => {
  it("is right where the pace stays", () => {
    expect(max(errorsOf(() => 0.3))).toBeLessThan(0.001)
  })

  it("is soon right again when the pace has changed", () => {
    const errors = errorsOf((share) => (share < 0.2 ? 0.1 : 0.5))
    expect(max(errors.slice(300))).toBeLessThan(0.01)
  })

  it("is wrong by a third at most, and less towards the end, where the last lines take twice as long as the first", () => {
    const errors = errorsOf((share) => 0.2 * (1 + share))
    expect(max(errors)).toBeLessThan(0.34)
    expect(max(errors.slice(500))).toBeLessThan(1 / 4)
  })

  it("is not known while nothing is done", () => {
    const estimate = remainingTime()
    expect(estimate({ counts, bytesDone: 0, bytesInAll }, Duration.seconds(1))).toBe(Infinity)
    expect(estimate({ counts, bytesDone: bytesInAll, bytesInAll }, Duration.seconds(2))).toBe(0)
  })
})
