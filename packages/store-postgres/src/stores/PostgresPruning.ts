/** The `Pruning` port, on Postgres. Autovacuum makes the room of removed rows free for later ones. */
import {
  type Pruned,
  type PruneRequest,
  Pruning,
  type PruneLease,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { defaults, type ListingOptions } from "../query/LeadPages.ts"
import { find, type Found } from "../writes/DueRows.ts"
import { lockBrand } from "../writes/Locks.ts"
import { countDue, removals } from "../writes/Pruning.ts"

/** Locks the row that a lease is in, as one with a lease does: a piece may change it later, after rows that come behind it. */
const lockPruning = "SELECT 1 FROM lead_signals.pruning WHERE id = 1 FOR NO KEY UPDATE"

/** Takes the lease, or keeps it. A lease from a time that is far ahead is void. */
const takePruningLease = async (
  sql: Connection,
  { holder, leaseMillis }: PruneLease,
  now: number
): Promise<boolean> => {
  const taken = await sql.run(
    `UPDATE lead_signals.pruning SET holder = $1, held_until = $3
       WHERE id = 1 AND (holder = $1 OR held_until NOT BETWEEN $2 AND $3)`,
    [holder, now + 1, now + leaseMillis]
  )
  return taken === 1
}

const leasedElsewhere: Pruned = { removed: 0, oldest: null, next: null, isLeasedElsewhere: true }

const make = ({ maxBucketLeads }: ListingOptions) =>
  Effect.map(Database, (database) => {
    const remove = removals(maxBucketLeads)
    const removePiece =
      (request: PruneRequest, found: Found) =>
      async (sql: Connection, now: number): Promise<Pruned> => {
        const { kind, lease } = request
        // Nobody records observations of the brand meanwhile, and the brand's lock comes before all others.
        if (kind === "leads") await lockBrand(sql, found.brandId)
        if (lease === null) await sql.run(lockPruning)
        else if (!(await takePruningLease(sql, lease, now))) return leasedElsewhere
        const removed = await remove[kind](sql, request, found, now)
        return {
          removed: removed.length,
          oldest: removed.length === 0 ? null : Math.min(...removed.map(({ at }) => at)),
          // Where a piece begins anew, nothing would be left out of a round that met only rows that others hold.
          next: removed.length === 0 && found.next?.length === 0 ? null : found.next,
          isLeasedElsewhere: false
        }
      }
    return Pruning.of({
      prune: (request) =>
        Effect.flatMap(
          // Looks first: a round that finds nothing writes nothing.
          database.readSnapshot((sql) => find[request.kind](sql, request)),
          (found): Effect.Effect<Pruned, StoreUnavailable> =>
            found.keys.length === 0
              ? Effect.succeed({ removed: 0, oldest: null, next: found.next, isLeasedElsewhere: false })
              : database.write(removePiece(request, found))
        ),
      countDue: (limits) => database.readSnapshot((sql) => countDue(sql, limits)),
      newestPrunedEvent: Effect.map(
        database.read((sql) =>
          sql.get<{ readonly n: number }>("SELECT newest_event AS n FROM lead_signals.pruning WHERE id = 1")
        ),
        (row) => row?.n ?? 0
      )
    })
  })

/** The port of pruning. Needs the `Database`. */
export const layer = (options: Partial<ListingOptions> | undefined): Layer.Layer<Pruning, never, Database> =>
  Layer.effect(Pruning, make({ ...defaults, ...options }))
