import { storeContract } from "@lead-signals/store-contract"
import * as MemoryStore from "@lead-signals/store-memory"
import { describe, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { HistoryCoverage } from "../harness/HistoryCoverage.ts"

const coverage = new HistoryCoverage()

storeContract(
  { describe, it },
  {
    name: "memory",
    layer: () => MemoryStore.layer,
    leadHistories: isThorough ? 1000 : 100,
    deliveryHistories: isThorough ? 600 : 100,
    onCoverage: coverage.add
  }
)

describe("memory: generated histories", () => {
  it("reach what they are for", coverage.check)
})
