/** A store whose rank buckets hold a few leads each, so that few leads make many, and in which few leads wait for the search indexes. */
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Layer } from "effect"
import { maxUnindexed } from "./DerivedTables.ts"

export const storeOver = (filename: string, maxBucketLeads: number) =>
  Layer.merge(
    SqliteStore.layer({
      filename,
      synced: false,
      ticks: SqliteStore.TickScheduler.none,
      rankIndex: { maxBucketLeads },
      maxUnindexed
    }),
    webCrypto
  )
