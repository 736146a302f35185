/** The emitter's side of the outbox, on SQLite: takes due deliveries and records attempts. */
import {
  Batches,
  DeliverySlots,
  type Instant,
  type Leased,
  type LeaseRequest,
  Outbox,
  type Webhook
} from "@lead-signals/domain"
import { idOf, leaseOf } from "@lead-signals/sql-rows"
import { Clock, Effect, Layer, Queue } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import type { Secrets } from "../rows/Secrets.ts"
import { record } from "../writes/AttemptRecord.ts"
import { keepBodies, type LeaseMemory, type Taken, withBodies } from "../writes/DeliveryBodies.ts"
import { deferWaiting, oldestDue, skippedBefore, whatIsDue } from "../writes/DueRows.ts"

/**
 * Takes due deliveries within one transaction, in which it looks again: another process may have taken what was due before. It sets
 * waiting ones of ordered webhooks aside first, so that they hide nothing that is due behind them. [DELIV-2, DELIV-7, ORD-2]
 */
const lease = (
  sql: Connection,
  secrets: Secrets,
  request: LeaseRequest,
  now: Instant,
  memory: LeaseMemory
): Leased => {
  const { limits, underWay } = request
  const { candidates, nextDueAt: nextOfOthers } = whatIsDue(sql, secrets, request, now)
  const rowsOf = (webhook: Webhook): number =>
    Batches.rowsFor(webhook, DeliverySlots.maxSlotsOf(webhook.id, limits, underWay))
  const isAllTested = candidates
    .filter(({ webhook }) => webhook.ordering === "lead")
    .map(({ webhook }) => deferWaiting(sql, idOf(webhook.id), now, rowsOf(webhook)))
    .every((isAll) => isAll)
  const due = oldestDue(
    sql,
    candidates.map(({ webhook }) => webhook),
    now,
    rowsOf
  )
  const formed = candidates.map((candidate) => {
    const { batches, readyAt } = Batches.form(due.get(candidate.webhookId)!, candidate.webhook, now)
    return { ...candidate, batches, readyAt, due: batches.length }
  })
  // A place was kept for an ordered webhook whose due events all waited. They are set aside now, and another webhook may use the place.
  if (isAllTested && formed.some(({ due: posts, webhook }) => webhook.ordering === "lead" && posts === 0))
    return lease(sql, secrets, request, now, memory)
  const nextDueAt = formed.reduce<Instant | null>(
    (next, { readyAt }) => (readyAt === null ? next : Math.min(next ?? readyAt, readyAt)),
    nextOfOthers
  )
  const shares = DeliverySlots.allocate(formed, limits, underWay)
  let posts = 0
  const shared = formed.flatMap(({ batches, webhook, webhookId }) =>
    batches.slice(0, shares.get(webhookId) ?? 0).flatMap((rows) => {
      const batch = Batches.isBatched(webhook) ? posts++ : null
      return rows.map((row): Taken => ({ ...row, webhook, batch }))
    })
  )
  memory.isMoreDue = formed.some(
    ({ batches, webhook, webhookId }) =>
      batches.length > (shares.get(webhookId) ?? 0) || due.get(webhookId)!.length >= rowsOf(webhook)
  )
  if (shared.length === 0) return { leases: [], nextDueAt: isAllTested ? nextDueAt : now }
  const taken = Batches.withoutOverflow(withBodies(sql, shared, request.body, memory))
  keepBodies(sql, taken)
  const until = now + request.leaseMillis
  const tokenOf = ({ batch }: Taken): string => DeliverySlots.leaseToken(request.token, batch)
  for (const [token, each] of Map.groupBy(taken, tokenOf)) {
    sql.run("UPDATE delivery SET lease = ?, due_at = ? WHERE seq IN (SELECT value FROM json_each(?))", [
      token,
      until,
      JSON.stringify(each.map(({ seq }) => seq))
    ])
  }
  const leases = taken.map((each) =>
    leaseOf(each, each.webhook, { token: tokenOf(each), until }, () => skippedBefore(sql, each))
  )
  const next = Math.min(nextDueAt ?? until, until)
  return { leases, nextDueAt: taken.length < shared.length || !isAllTested ? now : next }
}

const make = Effect.map(Database, (database) => {
  const memory: LeaseMemory = { bodyLength: null, isMoreDue: false }
  return Outbox.of({
    lease: (request) =>
      Effect.gen(function* () {
        if (!memory.isMoreDue) {
          const now = yield* Clock.currentTimeMillis
          const { candidates, nextDueAt } = yield* database.read((sql) =>
            whatIsDue(sql, database.secrets, request, now)
          )
          if (candidates.length === 0) return { leases: [], nextDueAt }
        }
        return yield* database.write((sql, at) => lease(sql, database.secrets, request, at, memory))
      }),
    record: (attempts) => database.write((sql, now) => record(sql, attempts, now)),
    queued: Queue.take(database.queued)
  })
})

/** The port of the outbox. Needs the `Database`. */
export const layer = Layer.effect(Outbox, make)
