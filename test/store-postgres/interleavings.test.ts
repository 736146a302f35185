/**
 * Transactions of writing methods, of two or three nodes, stepped statement by statement: whatever the order, the answers and the end state
 * are those of one after the other.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { Schedules } from "./Schedules.ts"
import type { SteppedNode } from "./Stepper.ts"
import { SteppedStore } from "./SteppedStore.ts"
import { leadMethods, type World } from "./WritingMethods.ts"

const of = (count: number): SteppedStore<World> => {
  const store = new SteppedStore(leadMethods, count)
  beforeAll(() => store.open())
  afterAll(() => store.close())
  return store
}

/** Runs the methods in every order with so few preemptions, the first so many orders at most. Answers how many there were. */
const checkOrders = async (
  store: SteppedStore<World>,
  names: ReadonlyArray<string>,
  { maxOrders, maxPreemptions }: { readonly maxOrders: number; readonly maxPreemptions: number }
): Promise<number> => {
  const expected = await store.serialOutcomes(names)
  const schedules = new Schedules<SteppedNode>(maxPreemptions)
  let orders = 0
  do {
    const { outcome } = await store.interleaved(names, (standing) => schedules.choose(standing))
    orders++
    if (!expected.includes(outcome)) expect(outcome, `order ${schedules.shown()}`).toBe(expected[0])
  } while (orders < maxOrders && schedules.next())
  return orders
}

describe.skipIf(isWithoutPostgres)("transactions of two nodes, stepped statement by statement,", () => {
  const store = of(2)

  const all = Object.keys(leadMethods.methods)
  const prunings = all.filter((name) => name.startsWith("pruning"))
  const late = new Set([...prunings, "queue of an event that was never sent"])
  /** Methods that write or send what a pruning removes. */
  const meetPrunings = /^(?:queue|record of a success|commit of a known lead|erase$|lease$|recover)/
  const earlier = all.filter((name) => !late.has(name))
  const pairs = [
    ...earlier.flatMap((a, i) => earlier.slice(i).map((b) => [a, b] as const)),
    ...prunings.flatMap((a) => all.filter((b) => meetPrunings.test(b)).map((b) => [a, b] as const)),
    ...prunings.map((a) => [a, a] as const)
  ]
  /** Few statements of each bear on the other's. All pairs take minutes. */
  const sample = [
    ["commit on a post of a lead", "erase"],
    ["lease", "lease of another"],
    ["deletion of the webhook", "queue of the newest event"],
    ["commit of a new lead", "removeSome"],
    ["pruning of events", "queue of an event that was never sent"],
    ["pruning of dead letters", "queue again"]
  ] as const

  it.each(isThorough ? pairs : sample)("%s and %s end as one after the other", async (a, b) => {
    await store.checkPair([a, b], isThorough ? [1, 3, 100] : [100])
  })

  /** Pairs that lock less than all that they read or write. */
  it.runIf(isThorough).each([
    ["record of a success", "record of 410"],
    ["record of a success", "lease"],
    ["record of a success", "disabling the webhook"],
    ["record of a success", "deletion of the webhook"],
    ["record of a success", "erase"],
    ["commit of a new lead", "commit of the same new lead"],
    ["commit on a post of a lead", "erase"],
    ["lease", "lease of another"]
  ] as const)(
    "%s and %s end as one after the other in every order, of 50 at most",
    { timeout: 900_000 },
    async (a, b) => {
      const orders = await checkOrders(store, [a, b], {
        maxOrders: 50,
        maxPreemptions: Number.POSITIVE_INFINITY
      })
      expect(orders).toBeGreaterThan(1)
    }
  )
})

describe.skipIf(isWithoutPostgres || !isThorough)(
  "transactions of three nodes, stepped statement by statement,",
  () => {
    const store = of(3)

    it.each([
      ["commit on a post of a lead", "erase", "lease"],
      ["commit of a new lead", "commit of the same new lead", "amend"],
      ["record of a success", "record of 410", "lease"],
      ["record of a success", "disabling the webhook", "lease of another"],
      ["deletion of the webhook", "queue of the newest event", "record of a success"],
      ["commit of a known lead", "removeSome", "beginning of the brand's deletion"]
    ] as const)(
      "%s, %s and %s end as one after the other when one is preempted once, in 30 orders at most",
      { timeout: 900_000 },
      async (...names) => {
        expect(await checkOrders(store, names, { maxOrders: 30, maxPreemptions: 1 })).toBeGreaterThan(6)
      }
    )
  }
)
