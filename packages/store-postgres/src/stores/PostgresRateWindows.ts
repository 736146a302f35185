/**
 * Rate windows on Postgres: all nodes share one budget. The table is not logged: what a crash of the server takes is a minute's windows.
 *
 * A node takes requests of a busy key ahead, so that it need not ask the database for each: one in fifty of the limit, and none of a
 * limit below 100. What a node has taken others can't spend, nor can anybody when it dies. No more are let through than the limit,
 * however many nodes there are. While the database can't be written, each node counts in memory for itself. [RATE-5, RATE-6]
 */
import {
  RateLimit,
  RateWindows,
  RequestReserve,
  SharedRateWindows,
  WindowsInMemory
} from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import { type Clock, Effect, Layer } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"

type Step = RateLimit.RateStep
type Window = RateLimit.RateWindow

/** How many requests of a limit a node counts in advance. */
const takenAheadOf = (limit: number): number => (limit < 100 ? 0 : Math.floor(limit / 50))

/** A window that began so little after now was begun by a node whose clock is ahead of this one's by less than a round trip. */
const clockDifferenceMillis = 1000

/**
 * Replaces the window if it is still the one that is known, in one statement: answers the window that is there now, and whether it is
 * the new one.
 */
const replaceSql = `WITH put AS (
    INSERT INTO lead_signals.rate_window AS w (key_id, started_at, used) VALUES ($1, $2, $3)
    ON CONFLICT (key_id) DO UPDATE SET started_at = excluded.started_at, used = excluded.used
      WHERE w.started_at = $4 AND w.used = $5
    RETURNING started_at, used)
  SELECT started_at, used, true AS is_new FROM put
  UNION ALL SELECT started_at, used, false FROM lead_signals.rate_window WHERE key_id = $1 AND NOT EXISTS (SELECT 1 FROM put)`

interface Row {
  readonly started_at: number
  readonly used: number
  readonly is_new: boolean
}

/** The time at which a request counts: `now`, or the window's beginning where the clock of the node that began it is a little ahead. */
const timeFor = (window: Window | null, now: number): number =>
  window !== null && window.startedAt > now && window.startedAt - now <= clockDifferenceMillis
    ? window.startedAt
    : now

const make = Effect.gen(function* () {
  const database = yield* Database
  const reserve = new RequestReserve(timeFor)
  /** Windows counted here while the database can't be asked. */
  const alone = new WindowsInMemory()
  /** Keys that ask the database, with the number of their requests that do or wait to. */
  const keyLocks = new Map<string, { readonly semaphore: Effect.Semaphore; waiting: number }>()

  const spendInDatabase = async (sql: Connection, keyId: string, step: Step, clock: Clock.Clock) => {
    let known: Window | null = reserve.get(keyId)
    for (;;) {
      const now = clock.unsafeCurrentTimeMillis()
      const before = RateLimit.laterWindow(reserve.withoutReserve(keyId, known), alone.get(keyId))
      const { decision, window } = step(before, timeFor(before, now))
      const left = Math.min(takenAheadOf(decision.limit), decision.remaining)
      const used = window.used + left
      const row = await sql.get<Row>(replaceSql, [
        idOf(keyId),
        window.startedAt,
        used,
        known?.startedAt ?? null,
        known?.used ?? null
      ])
      if (row?.is_new === true) {
        reserve.put(keyId, { startedAt: window.startedAt, used, left, takenAt: now })
        alone.delete(keyId)
        return decision
      }
      // Another node has changed it since: none is there, or this one is.
      known = row === undefined ? null : { startedAt: row.started_at, used: row.used }
    }
  }

  /** Runs the requests of a key one after the other: requests of one node would replace each other's windows in vain. */
  const withKeyLock = <A, E>(keyId: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const lock = keyLocks.get(keyId) ?? { semaphore: Effect.unsafeMakeSemaphore(1), waiting: 0 }
      keyLocks.set(keyId, lock)
      lock.waiting++
      const end = Effect.sync(() => {
        if (--lock.waiting === 0) keyLocks.delete(keyId)
      })
      return Effect.ensuring(lock.semaphore.withPermits(1)(work), end)
    })

  const windows = new SharedRateWindows({
    reserve,
    spend: (keyId, step, clock) =>
      withKeyLock(
        keyId,
        Effect.suspend(() => {
          // The request before may have taken some ahead.
          const spent = reserve.spend(keyId, step, clock.unsafeCurrentTimeMillis())
          return spent !== null
            ? Effect.succeed(spent)
            : database.read((sql) => spendInDatabase(sql, keyId, step, clock))
        })
      ),
    spendAlone: (keyId, step, now) =>
      alone.spend(
        keyId,
        (window, at) => step(window, timeFor(window, at)),
        now,
        () => reserve.withoutReserve(keyId, reserve.get(keyId))
      ),
    messages: {
      lost: "rate windows are kept in memory: the database can't be asked",
      found: "rate windows are kept in the database again"
    }
  })
  return RateWindows.of({ step: windows.step })
})

/** The port of rate windows. Needs the `Database`. */
export const layer = Layer.effect(RateWindows, make)
