/** The `Pruning` port, on SQLite. Freed pages go to the file's list of free pages, which later rows take first. */
import {
  type Pruned,
  type PruneRequest,
  Pruning,
  type PruneLease,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { leadsChangeUnrecorded } from "../cache/LeadChanges.ts"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { countDue, find, remove } from "../writes/Pruning.ts"

/** Takes the lease, or keeps it. A lease from a time that is far ahead, after the clock was set back, is void. */
const takeLease = (sql: Connection, { holder, leaseMillis }: PruneLease, now: number): boolean => {
  sql.run(
    `UPDATE pruning SET holder = ?, held_until = ?
       WHERE id = 1 AND (holder = ? OR held_until NOT BETWEEN ? AND ?)`,
    [holder, now + leaseMillis, holder, now + 1, now + leaseMillis]
  )
  return sql.value<string>("SELECT holder FROM pruning WHERE id = 1") === holder
}

const leasedElsewhere: Pruned = { removed: 0, oldest: null, next: null, isLeasedElsewhere: true }

const make = Effect.map(Database, (database) => {
  const removePiece =
    (request: PruneRequest) =>
    (sql: Connection, now: number): Pruned => {
      const { kind, lease } = request
      if (lease !== null && !takeLease(sql, lease, now)) return leasedElsewhere
      const { keys, next, oldest } = find[kind](sql, request)
      if (keys.length > 0) {
        if (kind === "leads") leadsChangeUnrecorded(sql)
        remove[kind](sql, keys, now)
      }
      return { removed: keys.length, oldest, next, isLeasedElsewhere: false }
    }
  const isPersonal = ({ kind }: PruneRequest): boolean => kind === "engagements" || kind === "leads"
  return Pruning.of({
    prune: (request) =>
      Effect.flatMap(
        // Looks first, over what readers see: a round that finds nothing writes nothing.
        database.read((sql) => find[request.kind](sql, request)),
        ({ keys, next }): Effect.Effect<Pruned, StoreUnavailable> => {
          if (keys.length === 0)
            return Effect.succeed({ removed: 0, oldest: null, next, isLeasedElsewhere: false })
          // With the last piece the write-ahead log goes that holds pages of before.
          return Effect.tap(database.write(removePiece(request)), (pruned) =>
            pruned.next === null && isPersonal(request) ? database.truncateWal : Effect.void
          )
        }
      ),
    countDue: (limits) => database.read((sql) => countDue(sql, limits)),
    newestPrunedEvent: database.read((sql) =>
      sql.value<number>("SELECT newest_event FROM pruning WHERE id = 1")!
    )
  })
})

/** The port of pruning. Needs the file's `Database`. */
export const layer = Layer.effect(Pruning, make)
