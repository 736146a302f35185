/** A lock between processes on one database, for work that lasts longer than a transaction of the store may. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { attempt, session } from "./Session.ts"

/** The first number of the locks of this kind, beside those that transactions take. */
const lockClass = 0x4c536967

/**
 * Runs the work while no other process runs any under the same lock of the database; waits for one that does. A process that waited then
 * must look first whether the other has done it. A transaction holds the lock, so that it works over a pooler that shares connections
 * between transactions, too; it ends with the process that holds it.
 */
export const exclusively = <A, E, R>(
  url: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* session(url, "lead_signals", null, true)
      yield* attempt(async () => {
        await sql.run("BEGIN")
        for (const limit of ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"])
          await sql.run(`SET LOCAL ${limit} = 0`)
        // Without parameters: the portal of a statement that has some stays open, and its snapshot would make `CREATE INDEX CONCURRENTLY` wait.
        await sql.run(`SELECT pg_advisory_xact_lock(${lockClass}, 1)`)
      })
      return yield* work
    })
  )
