/** The rule `retries wait` for a host, whose store nobody sees. */
import { Checks, KnownFacts, oracles } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { plan, second, start } from "./judged.ts"

/** What the rule says of each post of one delivery, at these seconds, each answered at once with this status. */
const judged = (
  posts: ReadonlyArray<readonly [seconds: number, status: number]>,
  killedAt?: number,
  maxDelay: number | null = null
) => {
  const facts = new KnownFacts(plan)
  if (killedAt !== undefined) {
    const at = start + killedAt * second
    facts.incidents.note("kill", at, at + second, 0)
  }
  const webhook = {
    id: "1",
    behaviour: "failing",
    ordering: maxDelay === null ? "none" : "lead",
    maxDelay,
    enabledAt: 0,
    disabledAt: null
  }
  const rule = oracles.find(({ name }) => name === "retries wait")!
  const oracle = rule.instantiate(facts, new Checks(rule.name))
  return posts.map(([seconds, status]) => {
    const at = start + seconds * second
    const post = {
      id: "wh_1",
      webhook,
      at,
      sent: { at, byClock: at, process: 0, heardAt: at },
      status,
      subject: "activity.detected e1",
      retryAfterSeconds: null,
      retryAfterDate: null
    }
    facts.receive(post as never)
    return oracle.posted!(post as never)
  })
}

describe("the waits between attempts, by what a receiver sees", () => {
  it("are those of the schedule [DELIV-3]", () => {
    expect(
      judged([
        [0, 500],
        [6, 500],
        [306, 500]
      ])
    ).toEqual([null, null, null])
    expect(
      judged([
        [0, 500],
        [6, 500],
        [12, 500]
      ])[2]
    ).toBe("attempt 3 of wh_1 came 6 s after the last, not 240 s")
    expect(
      judged([
        [0, 500],
        [1, 500]
      ])[1]
    ).toBe("attempt 2 of wh_1 came 1 s after the last, not 4 s")
    expect(
      judged([
        [0, 200],
        [300, 200]
      ])[1]
    ).toBe("wh_1 was taken, and came again")
  })

  it("end with the time that an ordered webhook has for an event [ORD-4]", () => {
    expect(
      judged(
        [
          [0, 500],
          [6, 500],
          [60, 500]
        ],
        undefined,
        60
      )
    ).toEqual([null, null, null])
    expect(
      judged(
        [
          [0, 500],
          [6, 500],
          [50, 500]
        ],
        undefined,
        60
      )[2]
    ).toBe("attempt 3 of wh_1 came 44 s after the last, not 51 s")
  })

  it("begin anew with an attempt whose process was killed before it could record the one before [DELIV-2]", () => {
    expect(
      judged(
        [
          [0, 500],
          [60, 500],
          [66, 500]
        ],
        1
      )
    ).toEqual([null, null, null])
    expect(
      judged(
        [
          [0, 200],
          [60, 200]
        ],
        1
      )
    ).toEqual([null, null])
    expect(
      judged(
        [
          [0, 500],
          [60, 500],
          [62, 500]
        ],
        1
      )[2]
    ).toContain("came 2 s after the last, not 4 s")
    // By then it was recorded.
    expect(
      judged(
        [
          [0, 500],
          [60, 500],
          [66, 500]
        ],
        50
      )[2]
    ).toContain("attempt 3 of wh_1 came 6 s")
    expect(
      judged(
        [
          [0, 200],
          [60, 200]
        ],
        50
      )[1]
    ).toBe("wh_1 was taken, and came again")
  })
})
