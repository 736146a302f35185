/**
 * Writes when keys or tokens were last used behind the requests that use them: reads never wait for writes. A use that can't be written is
 * tried again together with the next one, and once more as the store closes.
 */
import type { Instant, StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Database } from "../database/Database.ts"
import { idOf } from "@lead-signals/sql-rows"

/** Writes when keys and tokens were last used, behind the answer. */
export interface LastUses {
  readonly mark: (keyId: string, minute: Instant) => Effect.Effect<void, StoreUnavailable>
  /** The key's last use that is noted and not written yet; null when none is. */
  readonly unwritten: (keyId: string) => Instant | null
}

type Uses = ReadonlyArray<readonly [keyId: string, minute: Instant]>

/** Keeps the last uses of one table's keys or tokens. */
export const make = (
  database: Pick<typeof Database.Service, "putsOff" | "write">,
  table: "api_key" | "access_token"
): Effect.Effect<LastUses, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pending = new Map<string, Instant>()
    let isWriting = false
    const write = (uses: Uses) =>
      database.write((sql) => {
        for (const [keyId, minute] of uses) {
          sql.run(`UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, ?), ?) WHERE id = ?`, [
            minute,
            minute,
            idOf(keyId)
          ])
        }
      })
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
    yield* Effect.addFinalizer(() => Effect.ignore(writePending))
    return {
      unwritten: (keyId) => pending.get(keyId) ?? null,
      mark: (keyId, minute) =>
        Effect.suspend(() => {
          if (!database.putsOff) return write([[keyId, minute]])
          const before = pending.get(keyId)
          // A use that could not be written is tried again in the next minute, or with another key's.
          if (before !== undefined && before >= minute) return Effect.void
          pending.set(keyId, minute)
          return writeBehind
        })
    }
  })
