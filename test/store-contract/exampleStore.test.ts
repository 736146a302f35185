/**
 * The store of `examples/own-store` keeps the contract that the other stores keep, here with few histories: `packed/packed.test.ts` runs the
 * example's own tests, as many histories as the suite makes by itself, from packed packages.
 */
import { storeContract } from "@lead-signals/store-contract"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "vitest"

type StoreLayer = Parameters<typeof storeContract>[1]["layer"]

// The example is a project of its own, so its types are not known here.
const place = new URL("../../examples/own-store/src/OwnStore.ts", import.meta.url).href
const OwnStore = (await import(place)) as {
  readonly layer: (file: string, options: { readonly isSynced: boolean }) => ReturnType<StoreLayer>
}

storeContract(
  { describe, it },
  {
    name: "example's own store",
    layer: () =>
      OwnStore.layer(join(mkdtempSync(join(tmpdir(), "own-store-")), "leads.jsonl"), { isSynced: false }),
    survivesReopening: true,
    leadHistories: 10,
    deliveryHistories: 30
  }
)
