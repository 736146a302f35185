/** Which delivery an id is of, where an erasure gave two of one event new ids and a lease fits both. */
import { OutboxIds } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"

const idOf = (number: number): string => `wh_${number.toString(16).padStart(32, "0")}`

type Known = Parameters<OutboxIds["learn"]>[0]

/** Two deliveries of one event, the second sent again a second later; each has failed once. The lease of the id 1 is taken for that of `taken`. */
const inDoubt = (taken: 0 | 1) => {
  const ids = new OutboxIds()
  const webhook = { deliveries: [] as Array<Known>, unseen: new Map<string, Array<Known>>() }
  const two = [0, 1].map((place) => ({
    place,
    id: null as string | null,
    webhook,
    event: "activity.detected",
    leadId: 1,
    engagementId: "e1",
    createdAt: 1000 * place,
    state: "pending",
    attempts: 1,
    failures: 1,
    due: { from: 5000 + place, to: 9000 + place },
    resendOf: null,
    resentAs: null,
    log: [{ number: 1, at: 2000 + place }]
  })) as unknown as ReadonlyArray<Known>
  for (const each of two) {
    webhook.deliveries.push(each)
    ids.hide(each)
  }
  const one = two[taken]!
  ids.guess(one, two)
  expect(ids.learn(one, idOf(1))).toBe(true)
  // It is delivered at the second attempt.
  one.attempts++
  one.log.push({ number: 2, at: 8000 } as never)
  one.state = "delivered"
  return { ids, webhook, first: two[0]!, second: two[1]! }
}

const seen = ({ attempts, id, log, state }: Known) => [id, state, attempts, log.map(({ at }) => at)]

describe("a lease that fits two deliveries", () => {
  it("is of the one that an answer shows with its id, whichever of the two is shown first [PII-3]", () => {
    for (const taken of [0, 1] as const) {
      for (const order of [
        [1, 0],
        [0, 1]
      ] as const) {
        for (const actual of [0, 1] as const) {
          const { first, ids, second } = inDoubt(taken)
          const two = [first, second]
          for (const each of order) {
            const isLearnt = ids.learn(two[each]!, each === actual ? idOf(1) : idOf(2))
            expect([taken, order, actual, isLearnt]).toEqual([taken, order, actual, true])
          }
          expect(seen(two[actual]!)).toEqual([idOf(1), "delivered", 2, [2000 + actual, 8000]])
          expect(seen(two[1 - actual]!)).toEqual([idOf(2), "pending", 1, [2001 - actual]])
          expect([ids.deliveryOf(idOf(1)), ids.deliveryOf(idOf(2))]).toEqual([two[actual], two[1 - actual]])
        }
      }
    }
  })

  it("is of the one that was created when an answer says [PII-3]", () => {
    const { first, ids, second } = inDoubt(0)
    expect(ids.tellApart(first, { createdAt: 0 })).toBe(false)
    expect(ids.tellApart(first, { createdAt: 1000 })).toBe(true)
    expect(seen(second)).toEqual([idOf(1), "delivered", 2, [2001, 8000]])
    expect(seen(first)).toEqual([null, "pending", 1, [2000]])
    const answer = { delivery: { id: idOf(1), createdAt: 1000 }, attempts: [{ at: 2001 }] }
    const other = inDoubt(0)
    expect(other.ids.recognised(other.webhook as never, answer)).toBe(other.second)
    expect(other.ids.recognised(other.webhook as never, answer)).toBe(other.second)
  })

  it("is told apart once: a delivery that is in no doubt keeps its id [DELIV-2]", () => {
    const { first, ids, second } = inDoubt(0)
    expect(ids.learn(second, idOf(1))).toBe(true)
    expect(ids.learn(first, idOf(1))).toBe(false)
    expect(ids.learn(second, idOf(3))).toBe(false)
  })

  it("is told apart also where the one that was taken for the other was pruned [PII-3, RET-1]", () => {
    const { first, ids, second, webhook } = inDoubt(0)
    ids.forget(first)
    webhook.deliveries = [second]
    expect(ids.tellApart(second, { createdAt: 0 })).toBe(true)
    expect(webhook.deliveries).toEqual([first])
    expect(seen(first)).toEqual([null, "pending", 1, [2000]])
    expect(ids.learn(first, idOf(2))).toBe(true)
    expect(ids.deliveryOf(idOf(1))).toBe(undefined)
  })
})
