/** The stores that the emitter is tested on, and the durations that its clauses speak of, in milliseconds. */
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const stores = [
  ["memory", () => MemoryStore.layer],
  ["SQLite", () => SqliteStore.layer({ filename: emptyStoreFile(), synced: false })]
] as const
