/**
 * The contract of stores over SQLite files, in this thread and in others.
 *
 * @slow every case of the contract in files of its own
 */
import { type Runner, storeContract } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { describe, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { HistoryCoverage } from "../harness/HistoryCoverage.ts"

/** The rank index answers from the first lead on, in buckets of three. */
const rankIndex = { findingEffort: 0, maxBucketLeads: 3 }
const coverage = new HistoryCoverage()

storeContract(
  { describe, it },
  {
    name: "SQLite",
    layer: () => SqliteStore.layer({ filename: emptyStoreFile(), synced: false, rankIndex, maxUnindexed: 2 }),
    survivesReopening: true,
    leadHistories: isThorough ? 1000 : 12,
    deliveryHistories: isThorough ? 200 : 10,
    onCoverage: coverage.add
  }
)

/** By default the cases that read and erase much: the others do the same in a thread as without. */
const inThreads: Runner["it"] = (title, body, timeoutMillis) => {
  const run = isThorough || /over generated histories|PII-3/.test(title) ? it : it.skip
  run(title, body, timeoutMillis)
}

/** What takes long there, and what is erased, is done in threads: here all of it is. */
storeContract(
  { describe, it: inThreads },
  {
    name: "SQLite in threads",
    layer: () =>
      SqliteStore.layer({
        filename: emptyStoreFile(),
        synced: false,
        rankIndex,
        maxEffort: 0,
        maxUnindexed: 0,
        searchTexts: { minLeads: 1, pauseMillis: 0, pieceLeads: 3 }
      }),
    survivesReopening: true,
    leadHistories: isThorough ? 300 : 2,
    deliveryHistories: isThorough ? 100 : 1
  }
)

describe("SQLite: generated histories", () => {
  // By default the store in memory checks it, with more histories.
  it.runIf(isThorough)("reach what they are for", coverage.check)
})
