/**
 * Transactions on deliveries of ordered webhooks, and the erasure of an author who is a lead, stepped statement by statement: whatever the
 * order, they end as one after the other, and none waits for another in a circle.
 *
 * @slow hundreds of interleavings in thorough runs
 */
import { describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { checkOrders, checkPair, steppedStoreOf } from "./Interleavings.ts"
import { orderedMethods } from "./OrderedMethods.ts"

/** Each with others that lock some of the same leads, webhooks or deliveries. */
const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  "record of successes": [
    "erase the author",
    "erase a reader",
    "removeSome",
    "lease",
    "pruning of deliveries",
    "end of the order",
    "enabling the other without order",
    "deletion of the webhook",
    "queue again"
  ],
  "record of ends": ["erase the author", "pruning of dead letters", "recover"],
  "record of 410": ["erase the author", "end of the order"],
  "erase the author": [
    "erase a reader",
    "commit on a post of the author",
    "amend",
    "lease",
    "pruning of deliveries",
    "pruning of dead letters",
    "pruning of events"
  ]
}
const pairs = Object.entries(rooms).flatMap(([a, others]) => others.map((b) => [a, b] as const))

describe.skipIf(isWithoutPostgres || !isThorough)("transactions of two nodes on ordered webhooks,", () => {
  const store = steppedStoreOf(orderedMethods, 2)

  it.each(pairs)("%s and %s end as one after the other [ORD-2]", { timeout: 300_000 }, async (a, b) => {
    expect(await checkPair(store, [a, b], [2, 100])).toBeGreaterThan(1)
  })
})

describe.skipIf(isWithoutPostgres || !isThorough)("transactions of three nodes on ordered webhooks,", () => {
  const store = steppedStoreOf(orderedMethods, 3)

  it.each([
    ["record of successes", "erase the author", "erase a reader"],
    ["pruning of dead letters", "erase the author", "deletion of the webhook"],
    ["record of failures", "erase the author", "lease"],
    ["record of successes", "end of the order", "erase the author"],
    ["queue again", "erase the author", "pruning of events"],
    ["enabling the other without order", "erase the author", "recover"]
  ] as const)(
    "%s, %s and %s end as one after the other when one is preempted once, in 30 orders at most [ORD-2]",
    { timeout: 300_000 },
    async (...names) => {
      expect(await checkOrders(store, names, { maxOrders: 30, maxPreemptions: 1 })).toBeGreaterThan(6)
    }
  )
})
