/**
 * Rate windows, in a small file beside the database, so that all processes on one database share them and no request
 * waits for the disk: the file is not synced, and what a loss of power takes is a minute's windows.
 *
 * A process takes requests of a busy key out of the file ahead: it need not go there for each. So no more are let through than
 * the limit, however many processes there are; what one has taken, others can't spend, nor can anybody when it dies. That is
 * one in two hundred of the limit at most, and none of a limit below 200: there each request is counted in the file.
 */
import { RateWindows } from "@lead-signals/domain"
import { type Clock, Effect, Layer } from "effect"
import { connectVolatile } from "./Database.ts"
import { patiently } from "./Patience.ts"
import { idOf } from "./Rows.ts"

interface WindowRow {
  readonly started_at: number
  readonly used: number
}

/** A window as the file has it, of which this process may still spend so many that count as used there. */
interface Taken {
  readonly startedAt: number
  readonly used: number
  readonly left: number
  readonly takenAt: number
}

const takenAheadOf = (limit: number): number => Math.floor(limit / 200)

/** For so long a process tells what is left by what it saw when it took requests ahead; others may have spent since. */
const greatestAgeMillis = 1000

/** Of more keys than any process sees in a minute, all that was taken ahead is let go. */
const greatestKeys = 10_000

type Step = Parameters<(typeof RateWindows.Service)["step"]>[1]

export const layer = (filename: string) =>
  Layer.scoped(
    RateWindows,
    Effect.gen(function* () {
      const sql = yield* connectVolatile(filename)
      yield* patiently(() =>
        sql.run(
          "CREATE TABLE IF NOT EXISTS rate_window (key_id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, used INTEGER NOT NULL) STRICT"
        )
      )
      const takenOf = new Map<string, Taken>()
      /** Of what was taken ahead; null when the file must be asked. */
      const spendTaken = (keyId: string, step: Step, now: number) => {
        const taken = takenOf.get(keyId)
        if (taken === undefined || taken.left === 0) return null
        if (now < taken.takenAt || now - taken.takenAt >= greatestAgeMillis) return null
        const used = taken.used - taken.left
        const { decision, window } = step({ startedAt: taken.startedAt, used }, now)
        if (window.startedAt !== taken.startedAt || window.used !== used + 1) return null
        takenOf.set(keyId, { ...taken, left: taken.left - 1 })
        return decision
      }
      const spendOfFile = (keyId: string, step: Step, clock: Clock.Clock) =>
        sql.transaction(() => {
          const now = clock.unsafeCurrentTimeMillis()
          const key = idOf(keyId)
          const row = sql.get<WindowRow>("SELECT started_at, used FROM rate_window WHERE key_id = ?", [key])
          const taken = takenOf.get(keyId)
          const unspent = taken !== undefined && taken.startedAt === row?.started_at ? taken.left : 0
          const { decision, window } = step(
            row === undefined ? null : { startedAt: row.started_at, used: row.used - unspent },
            now
          )
          const left = Math.min(takenAheadOf(decision.limit), decision.remaining)
          const used = window.used + left
          sql.run("INSERT OR REPLACE INTO rate_window VALUES (?, ?, ?)", [key, window.startedAt, used])
          return { decision, taken: { startedAt: window.startedAt, used, left, takenAt: now } }
        })
      return RateWindows.of({
        step: (keyId, step) =>
          Effect.clockWith((clock) => {
            const decision = spendTaken(keyId, step, clock.unsafeCurrentTimeMillis())
            if (decision !== null) return Effect.succeed(decision)
            return Effect.map(
              patiently(() => spendOfFile(keyId, step, clock)),
              (spent) => {
                if (takenOf.size >= greatestKeys) takenOf.clear()
                takenOf.set(keyId, spent.taken)
                return spent.decision
              }
            )
          })
      })
    })
  )
