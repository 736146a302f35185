/**
 * Transactions of two and of three nodes in many orders of all their statements.
 *
 * @slow hundreds of interleavings in thorough runs
 */
import { describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { checkOrders, steppedStore } from "./Interleavings.ts"

describe.skipIf(isWithoutPostgres || !isThorough)(
  "transactions of two nodes, stepped statement by statement,",
  () => {
    const store = steppedStore(2)

    /** Pairs that lock less than all that they read or write. */
    it.each([
      ["record of a success", "record of 410"],
      ["record of a success", "lease"],
      ["record of a success", "disabling the webhook"],
      ["record of a success", "deletion of the webhook"],
      ["record of a success", "erase"],
      ["commit of a new lead", "commit of the same new lead"],
      ["commit on a post of a lead", "erase"],
      ["lease", "lease of another"]
    ] as const)("%s and %s end as one after the other in every order, of 50 at most", async (a, b) => {
      const orders = await checkOrders(store, [a, b], {
        maxOrders: 50,
        maxPreemptions: Number.POSITIVE_INFINITY
      })
      expect(orders).toBeGreaterThan(1)
    })
  }
)

describe.skipIf(isWithoutPostgres || !isThorough)(
  "transactions of three nodes, stepped statement by statement,",
  () => {
    const store = steppedStore(3)

    it.each([
      ["commit on a post of a lead", "erase", "lease"],
      ["commit of a new lead", "commit of the same new lead", "amend"],
      ["record of a success", "record of 410", "lease"],
      ["record of a success", "disabling the webhook", "lease of another"],
      ["deletion of the webhook", "queue of the newest event", "record of a success"],
      ["commit of a known lead", "removeSome", "beginning of the brand's deletion"]
    ] as const)(
      "%s, %s and %s end as one after the other when one is preempted once, in 30 orders at most",
      async (...names) => {
        expect(await checkOrders(store, names, { maxOrders: 30, maxPreemptions: 1 })).toBeGreaterThan(6)
      }
    )
  }
)
