/** Removes many rows in several transactions, so that other writes wait for none of them long. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { Connection } from "../connection/Connection.ts"
import type { Database } from "../database/Database.ts"
import type { Piece } from "../writes/RemovalPiece.ts"

/** Runs `remove` until it leaves nothing. Returns whether there was something to remove. */
export const removeInPieces = (
  database: Pick<typeof Database.Service, "write">,
  remove: (sql: Connection, now: number) => Piece
): Effect.Effect<boolean, StoreUnavailable> =>
  Effect.gen(function* () {
    for (let wasThere = false; ; wasThere = true) {
      const removed = yield* database.write(remove)
      if (removed !== "some") return wasThere || removed === "gone"
    }
  })
