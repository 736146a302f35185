/**
 * Pairs of a pruning and what writes or sends what it removes, stepped statement by statement.
 *
 * @slow hundreds of interleavings in thorough runs
 */
import { describe, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { checkPair, pairs, steppedStore } from "./Interleavings.ts"

describe.skipIf(isWithoutPostgres || !isThorough)(
  "transactions of two nodes, stepped statement by statement,",
  () => {
    const store = steppedStore(2)

    it.each(pairs.ofPrunings)("%s and %s end as one after the other", async (a, b) => {
      await checkPair(store, [a, b])
    })
  }
)
