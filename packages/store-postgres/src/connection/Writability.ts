/** Whether the database can be written: remembers why a write failed, until one succeeds again. */
import type { StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { randomBytes, randomInt } from "node:crypto"
import type { Connection } from "./Connection.ts"
import { isReadOnly } from "./Failures.ts"
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

/** A text so large that it needs room on the disk. Postgres can't compress it. */
const trialText = (): string => randomBytes(192 * 1024).toString("base64")

/** Ends the transaction of a trial, of which nothing stays. */
class TrialEnded extends Error {}

/** Writes a large row and rolls it back. Rejects with the failure that keeps it from that. */
const tryWriting = async (transactor: Transactor): Promise<void> => {
  try {
    await transactor.write(async (sql) => {
      await sql.run("INSERT INTO lead_signals.delivery_body (brand_id, seq, body) VALUES (0, $1, $2)", [
        -randomInt(2 ** 40),
        trialText()
      ])
      throw new TrialEnded()
    })
  } catch (error) {
    if (!(error instanceof TrialEnded)) throw error
  }
}

/**
 * Asks whether reads work, whether the keys are still those of the database, and whether the server is read-only; after a failed write, tries to
 * write.
 */
export const statusOf = (
  transactor: Transactor,
  verifyKeys: (sql: Connection) => Promise<void>,
  effectOf: <A>(run: () => Promise<A>) => Effect.Effect<A, StoreUnavailable>,
  writability: Writability
): Effect.Effect<StoreStatus, StoreUnavailable> => {
  const read = effectOf(() =>
    transactor.read((sql) =>
      sql.get<{ readonly is_read_only: boolean }>(
        `SELECT current_setting('transaction_read_only') = 'on' AS is_read_only
         FROM lead_signals.migration ORDER BY id DESC LIMIT 1`
      )
    )
  )
  const trial = writability.watch(effectOf(() => tryWriting(transactor)))
  return Effect.gen(function* () {
    const row = yield* read
    yield* effectOf(() => transactor.read(verifyKeys))
    if (row?.is_read_only === true) return { writeProblem: isReadOnly }
    if (writability.problem !== null) yield* Effect.ignore(trial)
    return { writeProblem: writability.problem }
  })
}
