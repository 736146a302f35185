/**
 * Writes when keys or tokens were last used behind the requests that use them: reads never wait for writes. A use that can't be written is
 * tried again together with the next one, and once more as the store closes.
 */
import type { Instant, StoreUnavailable } from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import { Effect, type Scope } from "effect"
import { type Database, withinEnd } from "../connection/Database.ts"

/** Writes when keys and tokens were last used, behind the answer. */
export interface LastUses {
  readonly mark: (keyId: string, minute: Instant) => Effect.Effect<void, StoreUnavailable>
  /** The last uses, by key, that are noted and not written yet, as they are now. */
  readonly unwritten: () => ReadonlyMap<string, Instant>
}

type Uses = ReadonlyArray<readonly [keyId: string, minute: Instant]>

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
    const pending = new Map<string, Instant>()
    let isWriting = false
    const write = (uses: Uses) =>
      database.write((sql) =>
        sql.run(statements[table], [uses.map(([keyId]) => idOf(keyId)), uses.map(([, minute]) => minute)])
      )
    const writePending: Effect.Effect<void, StoreUnavailable> = Effect.suspend(() => {
      const uses = [...pending]
      return uses.length === 0
        ? Effect.void
        : Effect.flatMap(write(uses), () => {
            for (const [keyId, minute] of uses) if (pending.get(keyId) === minute) pending.delete(keyId)
            return writePending
          })
    })
    const writeBehind = Effect.suspend(() => {
      if (isWriting) return Effect.void
      isWriting = true
      const end = Effect.sync(() => {
        isWriting = false
      })
      return Effect.asVoid(Effect.forkDaemon(Effect.ensuring(Effect.ignore(writePending), end)))
    })
    yield* Effect.addFinalizer(() => withinEnd(writePending))
    return {
      unwritten: () => new Map(pending),
      mark: (keyId, minute) =>
        Effect.suspend(() => {
          if (!database.putsOff) return Effect.asVoid(write([[keyId, minute]]))
          const before = pending.get(keyId)
          // A use that could not be written is tried again in the next minute, or with another key's.
          if (before !== undefined && before >= minute) return Effect.void
          pending.set(keyId, minute)
          return writeBehind
        })
    }
  })
