import * as MemoryStore from "@lead-signals/store-memory"
import { deliveryContract } from "./DeliveryContract.ts"
import { directoryContract } from "./DirectoryContract.ts"
import { leadStoreContract } from "./LeadStoreContract.ts"

leadStoreContract("memory", () => MemoryStore.layer, 1000)
directoryContract("memory", () => MemoryStore.layer)
deliveryContract("memory", () => MemoryStore.layer, 600)
