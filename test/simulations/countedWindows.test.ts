/** The count of requests that `limits hold` goes by. */
import { inputOf, scenarioNamed } from "@lead-signals/simulations"
import { Checks, CountedWindows, KnownFacts } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"

const start = Date.UTC(2026, 0, 5, 8)
const { plan } = inputOf(scenarioNamed("swarm")!, 1)

/** A key of this limit, whose requests processes count at a true time in milliseconds from the start. */
const counting = (limit: number) => {
  const facts = new KnownFacts(plan)
  const checks = new Checks("limits hold")
  const windows = new CountedWindows(facts, checks)
  const key = { id: "1", requestsPerMinute: limit }
  /** Counts a request, of which the store says that so many are left. */
  const count = (
    millis: number,
    remaining: number,
    { allowed = true, clock = 0, opened = 0, process = 0 } = {}
  ) => {
    const now = start + millis
    facts.now = () => now
    const decision = windows.count(
      key as never,
      {
        answer: { allowed, limit, remaining, resetAt: start + opened + 60_000 },
        serviceNow: now + clock,
        process: { index: process, now: now + clock, hasAnswerAt: now + clock, waitFactor: 1 }
      } as never
    )
    return [decision.isAllowed, decision.remaining, decision.resetAt - start]
  }
  const weakened = () => checks.counts.flatMap((each) => Object.entries(each.weakened))
  return { count, facts, weakened, windows }
}

describe("the counted windows", () => {
  it("let in as many requests as the limit, and open again when they end [RATE-1, RATE-3]", () => {
    const { count, weakened } = counting(2)
    expect(count(0, 1)).toEqual([true, 1, 60_000])
    expect(count(10, 0)).toEqual([true, 0, 60_000])
    expect(count(59_999, 0, { allowed: false })).toEqual([false, 0, 60_000])
    expect(count(60_000, 1, { opened: 60_000 })).toEqual([true, 1, 120_000])
    expect(weakened()).toEqual([])
  })

  it("do not go by what the store says wrongly", () => {
    const { count, weakened } = counting(10)
    expect(count(0, 9)).toEqual([true, 9, 60_000])
    expect(count(1, 7)).toEqual([true, 8, 60_000])
    expect(count(2, 9, { allowed: false })).toEqual([true, 7, 60_000])
    expect(weakened()).toEqual([])
  })

  it("may be full sooner by what a killed process had taken ahead, and by no more [RATE-5]", () => {
    for (const [used, isFull] of [
      [199, true],
      [198, false]
    ] as const) {
      const { count, facts, weakened } = counting(200)
      for (let each = 0; each < used; each++) count(each, 199 - each)
      facts.incidents.note("kill", start + used, start + used + 1, 0)
      expect(count(used + 10, 0, { allowed: false })).toEqual([!isFull, 0, 60_000])
      expect(weakened().length).toBe(1)
    }
  })

  it("open anew when the clock was set back before their beginning [RATE-3]", () => {
    const { count } = counting(10)
    count(0, 9)
    expect(count(1000, 9, { clock: -5000, opened: -4000 })).toEqual([true, 9, 56_000])
  })

  it("allow a kill to lose one in two hundred of a large limit, and nothing of a small one [RATE-5]", () => {
    for (const [limit, lost, isForgiven] of [
      [400, 2, true],
      [400, 3, false],
      [199, 1, false]
    ] as const) {
      const { count, facts, weakened } = counting(limit)
      count(0, limit - 1)
      facts.incidents.note("kill", start + 5, start + 6, 0)
      expect(count(10, limit - 2 - lost)[1]).toBe(limit - 2 - (isForgiven ? lost : 0))
      expect(weakened()).toEqual(
        isForgiven ? [["a process was killed that had taken requests of a large limit ahead", 1]] : []
      )
    }
  })

  it("allow several processes of one clock to keep a large limit's requests for each other [RATE-5]", () => {
    const { count, weakened } = counting(400)
    count(0, 399)
    expect(count(10, 396, { process: 1 })).toEqual([true, 396, 60_000])
    // More than one process can have taken ahead.
    expect(count(20, 390, { process: 1 })).toEqual([true, 397, 60_000])
    expect(weakened()).toEqual([])
  })

  it("take the store's word where clocks differ over a large limit, and not over a small one", () => {
    const large = counting(400)
    large.count(0, 399)
    expect(large.count(10, 399, { process: 1, clock: -5000, opened: -4990 })).toEqual([true, 399, 55_010])
    expect(large.weakened()).toEqual([])
    expect(large.count(20, 398, { process: 0 })).toEqual([true, 398, 60_000])
    expect(large.weakened()).toEqual([["processes with differing clocks share a large window", 1]])
  })

  it("are gone after a loss of power, and taken over once after a failover that lost commits [RATE-5]", () => {
    const { count, facts, weakened, windows } = counting(10)
    count(0, 9)
    count(1, 8)
    facts.powerLostAt.push(start + 2)
    expect(count(3, 9, { opened: 3 })).toEqual([true, 9, 60_003])
    windows.tailLost()
    expect(count(4, 9, { opened: 4 })).toEqual([true, 9, 60_004])
    expect(count(5, 9, { opened: 4 })).toEqual([true, 8, 60_004])
    expect(weakened()).toEqual([["a failover set the window back", 1]])
  })
})
