/** The rule `deliveries kept` on what is recorded of attempts, beside what their receivers heard and answered, and on batches that were to go. */
import { describe, expect, it } from "vitest"
import { second, start } from "./judged.ts"
import { type Attempt, idOf, outbox } from "./judgedOutbox.ts"

describe("deliveries kept", () => {
  /** What the rule says of the attempt as it is recorded, and what it leaves unsaid. */
  const recorded = (attempt: Attempt, { isPaused = false, outcome = "retried" } = {}) => {
    const judged = outbox()
    judged.commit([1])
    const { token } = judged.lease([1])
    judged.at(20)
    if (isPaused) judged.facts.incidents.note("pause", start + second, start + second, 0)
    return [judged.attempt(1, token, attempt, outcome), judged.weakened().map(([reason]) => reason)]
  }
  const still = "the process stood still, or its clock was set, since the lease"

  it("lets no attempt be recorded as unanswered whose receiver was heard in time [DELIV-3, DELIV-5]", () => {
    for (const error of ["connection", "timeout"] as const) {
      const taken = { status: 200, error, lasted: 14_599 }
      const wrong = `${idOf(1)} is recorded with the error ${error}, and its receiver answered 200`
      expect(recorded(taken)).toEqual([wrong, []])
      expect(recorded({ ...taken, lasted: 14_600 })).toEqual([null, []])
    }
    expect(recorded({ status: 200, error: "connection" }, { isPaused: true })).toEqual([null, [still]])
  })

  it("lets an attempt be recorded with the time at which it was posted, and how long that took [DELIV-5]", () => {
    const taken = { status: 200, lasted: 1000 }
    const of = (more: object, isPaused = false) =>
      recorded({ ...taken, ...more }, { outcome: "delivered", isPaused })
    expect(of({})).toEqual([null, []])
    expect(of({ late: 1 })).toEqual([`an attempt of ${idOf(1)} is recorded 1 ms after it was posted`, []])
    expect(of({ took: 978 })).toEqual([`an attempt of ${idOf(1)} is recorded with 1000 ms, and took 978`, []])
    expect(of({ took: 979 })).toEqual([null, []])
    expect(of({ late: 1 }, true)).toEqual([null, [still]])
  })

  it("lets an attempt go where its webhook is, and nowhere else [DELIV-3, DELIV-6]", () => {
    const url = "https://receiver.example/before"
    expect(recorded({ status: 200, url }, { outcome: "delivered" })).toEqual([
      `an attempt of ${idOf(1)} is recorded at ${url}, and was leased for https://receiver.example/`,
      []
    ])
  })

  it("lets a batch that is full, or has waited its time, not be left while its webhook has a place [BATCH-2]", () => {
    const left = "a delivery is due and is not leased with 0 others, and webhook 7 has a place for it"
    /** The verdict on a lease of nothing, so many seconds after so many engagements of a webhook that wants three at once within a minute. */
    const leftAfter = (seconds: number, engagements: number, places = 0) => {
      const { at, commit, lease } = outbox(undefined, { maxBatch: 3, maxWait: 60 })
      commit(Array.from({ length: engagements }, (_, i) => i + 1))
      at(seconds)
      const underWay = {
        total: places,
        failingTotal: 0,
        byWebhook: new Map([["7", places]]),
        fast: new Set<string>()
      }
      return lease([], { underWay }).wrong
    }
    expect(leftAfter(30, 2)).toBe(null)
    expect(leftAfter(30, 3)).toBe(left)
    expect(leftAfter(0.999, 3)).toBe(null)
    expect(leftAfter(60, 1)).toBe(null)
    expect(leftAfter(61, 1)).toBe(left)
    expect(leftAfter(61, 3, 32)).toBe(null)
  })
})
