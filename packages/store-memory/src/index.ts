/** All store ports in memory, for tests, simulations, and hosts that need no persistence. */
import { Effect, Layer } from "effect"
import * as MemoryAccessTokenStore from "./MemoryAccessTokenStore.ts"
import * as MemoryAuditLog from "./MemoryAuditLog.ts"
import * as MemoryBrandStore from "./MemoryBrandStore.ts"
import * as MemoryCampaignStore from "./MemoryCampaignStore.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryIdempotencyRecords from "./MemoryIdempotencyRecords.ts"
import * as MemoryKeyStore from "./MemoryKeyStore.ts"
import * as MemoryLeadStore from "./MemoryLeadStore.ts"
import * as MemoryOutbox from "./MemoryOutbox.ts"
import * as MemoryPruning from "./MemoryPruning.ts"
import * as MemoryRateWindows from "./MemoryRateWindows.ts"
import * as MemorySignalStore from "./MemorySignalStore.ts"
import * as MemoryStoreHealth from "./MemoryStoreHealth.ts"
import * as MemoryWebhookStore from "./MemoryWebhookStore.ts"
import { Memory, MemoryState } from "./MemoryState.ts"

export { Memory }

const stores = Layer.mergeAll(
  MemoryBrandStore.layer,
  MemoryKeyStore.layer,
  MemoryAccessTokenStore.layer,
  MemoryAuditLog.layer,
  MemoryIdempotencyRecords.layer,
  MemorySignalStore.layer,
  MemoryCampaignStore.layer,
  MemoryWebhookStore.layer,
  MemoryStoreHealth.layer,
  MemoryLeadStore.layer,
  MemoryOutbox.layer,
  MemoryDeliveries.layer,
  MemoryRateWindows.layer,
  MemoryPruning.layer
)

/** All store ports over the given memory, which may outlive the program. */
export const layerOver = (memory: Memory) =>
  Layer.scopedContext(
    Effect.map(Layer.build(Layer.provide(stores, MemoryState.layer(memory))), (built) =>
      MemoryIdempotencyRecords.bound(memory, built)
    )
  )

/** All store ports over a new memory, which all users of the layer in one program share. */
export const layer = Layer.unwrapEffect(Effect.sync(() => layerOver(new Memory())))
