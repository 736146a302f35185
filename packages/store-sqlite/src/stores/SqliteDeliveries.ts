/** The operator's side of the outbox, on SQLite: reads and resends deliveries. */
import {
  Deliveries,
  type DeliveryId,
  type DeliveryPage,
  type DeliveryState,
  type FoundDelivery,
  Page,
  type QueueRequest
} from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { Effect, Layer, Option, Queue } from "effect"
import { Database } from "../database/Database.ts"
import { insertDeliveries } from "../writes/DeliveryQueue.ts"
import { countDeliveries } from "../rows/IntervalCounts.ts"
import {
  attemptOf,
  type AttemptRow,
  deliveryColumns,
  deliveryOf,
  type DeliveryRow,
  idOf,
  lastAttemptOf,
  type LastAttemptRow
} from "@lead-signals/sql-rows"

const withEvent = "LEFT JOIN event e ON e.position = d.position"

interface Dead {
  readonly seq: number
  readonly id: DeliveryId
  readonly position: number | null
}

/** Queues the deliveries again, and records with each the id of its resend. */
const sendAgain = (
  sql: Connection,
  webhookId: number,
  those: ReadonlyArray<Dead>,
  ids: () => DeliveryId,
  now: number
): ReadonlyArray<DeliveryId> => {
  const again = those.map(({ id, position }) => ({
    id: ids(),
    webhookId,
    position,
    resendOf: id,
    orderedLead: null
  }))
  insertDeliveries(sql, again, now)
  sql.run(
    "UPDATE delivery SET resent_as = j.value ->> 1 FROM json_each(?) j WHERE delivery.seq = j.value ->> 0",
    [JSON.stringify(those.map(({ seq }, i) => [seq, again[i]!.id]))]
  )
  return again.map(({ id }) => id)
}

/** The webhook can be deleted since the caller read it. */
const isThere = (sql: Connection, webhookId: string): boolean =>
  sql.get("SELECT 1 FROM webhook WHERE id = ?", [idOf(webhookId)]) !== undefined

/** A test has no event. */
const noEvent = { position: null }

const newestEvent = (
  sql: Connection,
  brandId: string,
  { event, leadId }: Extract<QueueRequest, { readonly what: "newest-event" }>
): { readonly position: number } | undefined =>
  sql.get(
    "SELECT position FROM event WHERE lead_id = ? AND brand_id = ? AND event = ? ORDER BY position DESC LIMIT 1",
    [leadId, idOf(brandId), event]
  )

/** One page of a webhook's deliveries. */
const readPage = (
  sql: Connection,
  webhookId: string,
  { page, state }: { readonly state: DeliveryState | null; readonly page: Page.Page }
): DeliveryPage => {
  const webhook = idOf(webhookId)
  const [where, params] =
    state === null ? ["webhook_id = ?", [webhook]] : ["webhook_id = ? AND state = ?", [webhook, state]]
  const count = sql.get<{ n: number }>(
    `SELECT coalesce(sum(n), 0) AS n FROM delivery_count WHERE ${where}`,
    params
  )
  const rows = sql.all<DeliveryRow & LastAttemptRow>(
    `SELECT ${deliveryColumns}, a.at, a.duration_millis, a.status, a.error
       FROM (SELECT seq FROM delivery WHERE ${where} ORDER BY seq DESC LIMIT ? OFFSET ?) p
       CROSS JOIN delivery d ON d.seq = p.seq ${withEvent}
       LEFT JOIN attempt a ON a.delivery_seq = d.seq AND a.number = d.attempts ORDER BY d.seq DESC`,
    [...params, page.pageSize, Page.offset(page)]
  )
  return {
    total: count!.n,
    deliveries: rows.map((row) => ({ ...deliveryOf(row), lastAttempt: lastAttemptOf(row) }))
  }
}

/** The delivery with its attempts. */
const readDelivery = (sql: Connection, webhookId: string, id: DeliveryId): Option.Option<FoundDelivery> => {
  const row = sql.get<DeliveryRow & { seq: number; body: string | null }>(
    `SELECT d.seq, b.body, ${deliveryColumns} FROM delivery d ${withEvent} LEFT JOIN delivery_body b ON b.seq = d.seq
       WHERE d.id = ? AND d.webhook_id = ?`,
    [id, idOf(webhookId)]
  )
  if (row === undefined) return Option.none()
  const attempts = sql.all<AttemptRow>("SELECT * FROM attempt WHERE delivery_seq = ? ORDER BY number", [
    row.seq
  ])
  return Option.some({ delivery: deliveryOf(row), attempts: attempts.map(attemptOf), body: row.body })
}

/** Queues what the request names, if the webhook is still there. */
const queueDelivery = (
  sql: Connection,
  { brandId, id: webhookId }: { readonly id: string; readonly brandId: string },
  request: QueueRequest,
  ids: () => DeliveryId,
  now: number
): Option.Option<DeliveryId> => {
  if (request.what === "again") {
    const found = sql.all<Dead>("SELECT seq, id, position FROM delivery WHERE id = ? AND webhook_id = ?", [
      request.deliveryId,
      idOf(webhookId)
    ])
    const [again] = sendAgain(sql, idOf(webhookId), found, ids, now)
    return Option.fromNullable(again)
  }
  const event = request.what === "test" ? noEvent : newestEvent(sql, brandId, request)
  if (event === undefined || !isThere(sql, webhookId)) return Option.none()
  const delivery = {
    id: ids(),
    webhookId: idOf(webhookId),
    resendOf: null,
    orderedLead: null,
    ...event
  }
  insertDeliveries(sql, [delivery], now)
  return Option.some(delivery.id)
}

/** Queues dead letters again, the oldest first. Returns how many. */
const recoverDead = (
  sql: Connection,
  webhookId: string,
  { events, limit, since }: Parameters<(typeof Deliveries.Service)["recover"]>[1],
  ids: () => DeliveryId,
  now: number
): number => {
  const found = sql.all<Dead>(
    `SELECT d.seq, d.id, d.position FROM delivery d ${withEvent}
       WHERE d.webhook_id = ? AND d.state = 'dead' AND d.resent_as IS NULL AND d.finished_at >= ?
         AND (d.position IS NULL OR e.event IN (SELECT value FROM json_each(?)))
       ORDER BY d.finished_at, d.seq LIMIT ?`,
    [idOf(webhookId), since, JSON.stringify(events), limit]
  )
  return sendAgain(sql, idOf(webhookId), found, ids, now).length
}

const make = Effect.map(Database, (database) => {
  const queue = <A>(work: (sql: Connection, now: number) => A) =>
    Effect.tap(database.write(work), () => Queue.offer(database.queued, undefined))

  return Deliveries.of({
    list: (webhookId, query) => database.read((sql) => readPage(sql, webhookId, query)),
    get: (webhookId, id) => database.read((sql) => readDelivery(sql, webhookId, id)),
    queue: (webhook, request, ids) => queue((sql, now) => queueDelivery(sql, webhook, request, ids, now)),
    recover: (webhookId, request, ids) => queue((sql, now) => recoverDead(sql, webhookId, request, ids, now)),
    counts: (brandId, intervals) => database.read((sql) => countDeliveries(sql, idOf(brandId), intervals))
  })
})

/** The port of deliveries. Needs the `Database`. */
export const layer = Layer.effect(Deliveries, make)
