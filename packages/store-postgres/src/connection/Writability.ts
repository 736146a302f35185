/** Whether the database can be written: remembers why a write failed, until one succeeds again. */
import type { StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { Transactor } from "./Transactions.ts"

/** Remembers failures that concern every write: a full disk, a database that turned read-only. */
export class Writability {
  private failure: string | null = null

  /** A reason that any client may read; null while writes succeed. */
  get problem(): string | null {
    return this.failure
  }

  watch<A>(write: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> {
    return Effect.tapBoth(write, {
      onFailure: ({ publicReason }) =>
        Effect.sync(() => {
          if (publicReason !== undefined) this.failure = publicReason
        }),
      onSuccess: () =>
        Effect.sync(() => {
          this.failure = null
        })
    })
  }
}

/** Asks whether reads work; after a failed write, tries to write. */
export const statusOf = (
  transactor: Transactor,
  effectOf: <A>(run: () => Promise<A>) => Effect.Effect<A, StoreUnavailable>,
  writability: Writability
): Effect.Effect<StoreStatus, StoreUnavailable> => {
  const read = effectOf(() =>
    transactor.read((sql) => sql.get("SELECT id FROM lead_signals.migration ORDER BY id DESC LIMIT 1"))
  )
  const tryWriting = writability.watch(
    effectOf(() =>
      transactor.write((sql) => sql.run("UPDATE lead_signals.migration SET applied_at = applied_at"))
    )
  )
  return Effect.gen(function* () {
    yield* read
    if (writability.problem !== null) yield* Effect.ignore(tryWriting)
    return { writeProblem: writability.problem }
  })
}
