/** A store whose stretches are cut after a few leads, so that few leads make many. */
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Layer } from "effect"

export const storeOver = (filename: string, greatestStretch: number) =>
  Layer.merge(
    SqliteStore.layer({
      filename,
      synced: false,
      turns: SqliteStore.Turns.none,
      positions: { greatestStretch }
    }),
    webCrypto
  )
