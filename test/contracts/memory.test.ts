import * as MemoryStore from "@lead-signals/store-memory"
import { cases, isThorough } from "../Thoroughness.ts"
import { deliveryContract } from "./DeliveryContract.ts"
import { directoryContract } from "./DirectoryContract.ts"
import { leadStoreContract } from "./LeadStoreContract.ts"

leadStoreContract("memory", () => MemoryStore.layer, isThorough ? 1000 : 100)
directoryContract("memory", () => MemoryStore.layer)
deliveryContract("memory", () => MemoryStore.layer, cases(600))
