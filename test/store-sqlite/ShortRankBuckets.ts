/** A store whose rank buckets hold a few leads each, so that few leads make many. */
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Layer } from "effect"

export const storeOver = (filename: string, maxBucketLeads: number) =>
  Layer.merge(
    SqliteStore.layer({
      filename,
      synced: false,
      ticks: SqliteStore.TickScheduler.none,
      rankIndex: { maxBucketLeads }
    }),
    webCrypto
  )
