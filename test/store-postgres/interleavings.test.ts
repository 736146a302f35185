/**
 * Pairs of a method that writes leads and one of deliveries, stepped statement by statement: in a default run a few pairs of every kind.
 *
 * @slow hundreds of interleavings in thorough runs
 */
import { describe, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { checkPair, pairs, steppedStore } from "./Interleavings.ts"

describe.skipIf(isWithoutPostgres)("transactions of two nodes, stepped statement by statement,", () => {
  const store = steppedStore(2)

  /** Few statements of each bear on the other's. All pairs take minutes. */
  const sample = [
    ["commit on a post of a lead", "erase"],
    ["lease", "lease of another"],
    ["deletion of the webhook", "queue of the newest event"],
    ["pruning of events", "queue of an event that was never sent"]
  ] as const

  it.each(isThorough ? pairs.between : sample)("%s and %s end as one after the other", async (a, b) => {
    await checkPair(store, [a, b])
  })

  it("a lead and the delivery that a call queues for it end as one after the other when leads are pruned [RET-2, RET-7, STORE-1]", async () => {
    await checkPair(store, ["pruning of leads", "queue of the event of a quiet lead"])
  })
})
