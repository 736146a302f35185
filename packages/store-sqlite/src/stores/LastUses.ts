/** Writes when keys or tokens were last used, behind the requests that use them and once more as the store closes. */
import { type Instant, type LastUse, PendingUses, type StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Database } from "../database/Database.ts"
import { idOf } from "@lead-signals/sql-rows"

/** Notes uses, and adds those that are not written yet to what is read. */
export interface LastUses extends Pick<PendingUses, "withUses"> {
  /** Writes the use behind the effect, or as a part of it if the database takes no writes behind a request. */
  readonly mark: (keyId: string, minute: Instant) => Effect.Effect<void, StoreUnavailable>
}

/** Keeps the last uses of one table's keys or tokens. */
export const make = (
  database: Pick<typeof Database.Service, "putsOff" | "write">,
  table: "api_key" | "access_token"
): Effect.Effect<LastUses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const write = (uses: ReadonlyArray<LastUse>) =>
      database.write((sql) => {
        for (const [keyId, minute] of uses) {
          sql.run(`UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, ?), ?) WHERE id = ?`, [
            minute,
            minute,
            idOf(keyId)
          ])
        }
      })
    const pending = new PendingUses(write)
    yield* Effect.addFinalizer(() => Effect.ignore(pending.writeAll))
    return {
      withUses: (read) => pending.withUses(read),
      mark: (keyId, minute) =>
        Effect.suspend(() => (database.putsOff ? pending.note(keyId, minute) : write([[keyId, minute]])))
    }
  })
