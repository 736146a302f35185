/** Writes when keys or tokens were last used, behind the requests that use them and once more as the store closes. */
import { type Instant, type LastUse, PendingUses, type StoreUnavailable } from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import { Effect, type Scope } from "effect"
import { type Database, withinEnd } from "../connection/Database.ts"

/** Notes uses, and adds those that are not written yet to what is read. */
export interface LastUses extends Pick<PendingUses, "withUses"> {
  /** Writes the use behind the effect, or as a part of it if the database takes no writes behind a request. */
  readonly mark: (keyId: string, minute: Instant) => Effect.Effect<void, StoreUnavailable>
}

const statements = {
  // In order of the keys: two nodes that note the same keys must not wait for each other.
  api_key: `WITH locked AS MATERIALIZED (
             SELECT k.brand_id, k.id, given.minute FROM unnest($1::bigint[], $2::bigint[]) AS given(id, minute)
               JOIN lead_signals.api_key k ON k.id = given.id
               WHERE k.last_used_at IS NULL OR k.last_used_at < given.minute ORDER BY k.id FOR NO KEY UPDATE OF k)
           UPDATE lead_signals.api_key k SET last_used_at = greatest(k.last_used_at, locked.minute) FROM locked
             WHERE k.brand_id = locked.brand_id AND k.id = locked.id`,
  access_token: `WITH locked AS MATERIALIZED (
             SELECT t.id, given.minute FROM unnest($1::bigint[], $2::bigint[]) AS given(id, minute)
               JOIN lead_signals.access_token t ON t.id = given.id
               WHERE t.last_used_at IS NULL OR t.last_used_at < given.minute ORDER BY t.id FOR NO KEY UPDATE OF t)
           UPDATE lead_signals.access_token t SET last_used_at = greatest(t.last_used_at, locked.minute) FROM locked
             WHERE t.id = locked.id`
}

/** Keeps the last uses of one table's keys or tokens. */
export const make = (
  database: Pick<typeof Database.Service, "putsOff" | "write">,
  table: keyof typeof statements
): Effect.Effect<LastUses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const write = (uses: ReadonlyArray<LastUse>) =>
      database.write((sql) =>
        sql.run(statements[table], [uses.map(([keyId]) => idOf(keyId)), uses.map(([, minute]) => minute)])
      )
    const pending = new PendingUses(write)
    yield* Effect.addFinalizer(() => withinEnd(pending.writeAll))
    return {
      withUses: (read) => pending.withUses(read),
      mark: (keyId, minute) =>
        Effect.suspend(() =>
          database.putsOff ? pending.note(keyId, minute) : Effect.asVoid(write([[keyId, minute]]))
        )
    }
  })
