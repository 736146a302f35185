/** Removes many rows in several transactions, so that other writes wait for none of them long. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { Connection } from "../connection/Connection.ts"
import type { Database } from "../connection/Database.ts"

/** What one transaction did: removed the last rows, found nothing to remove, or removed some rows and left others. */
export type Piece = "gone" | "missing" | "some"

/** Rows of a small table, such as readings or hashes of erased persons, that one transaction removes at most. */
export const maxRowsPerPiece = 5000

/** Runs `remove` until it leaves nothing. Returns whether there was something to remove. */
export const removeInPieces = (
  database: Pick<typeof Database.Service, "write">,
  remove: (sql: Connection, now: number) => Promise<Piece>
): Effect.Effect<boolean, StoreUnavailable> =>
  Effect.gen(function* () {
    for (let wasThere = false; ; wasThere = true) {
      const removed = yield* database.write(remove)
      if (removed !== "some") return wasThere || removed === "gone"
    }
  })
