import { storeContract } from "@lead-signals/store-contract"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import * as OwnStore from "./OwnStore.ts"

const newFile = () => join(mkdtempSync(join(tmpdir(), "own-store-")), "leads.jsonl")

storeContract(
  { describe, it },
  {
    name: "own store",
    layer: () => OwnStore.layer(newFile(), { isSynced: false }),
    survivesReopening: true
  }
)
