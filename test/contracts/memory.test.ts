import * as MemoryStore from "@lead-signals/store-memory"
import { directoryContract } from "./DirectoryContract.ts"
import { leadStoreContract } from "./LeadStoreContract.ts"

leadStoreContract("memory", () => MemoryStore.layer, 1000)
directoryContract("memory", () => MemoryStore.layer)
