/** The operator's side of the outbox, on Postgres: reads and resends deliveries. */
import {
  Deliveries,
  type DeliveryId,
  type DeliveryPage,
  type DeliveryState,
  type FoundDelivery,
  Page,
  type QueueRequest
} from "@lead-signals/domain"
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
import { Effect, Layer, Option } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { countDeliveries } from "../rows/IntervalCounts.ts"
import { keyText } from "../rows/Ids.ts"
import { leadIdOf } from "../rows/LeadRows.ts"
import { attemptContext, bodyContext, openValues, type SealedColumn } from "../rows/SealedRows.ts"
import { insertDeliveries } from "../writes/DeliveryQueue.ts"

const withEvent = "LEFT JOIN lead_signals.event e ON e.brand_id = d.brand_id AND e.position = d.position"

interface Dead {
  readonly brand_id: number
  readonly seq: number
  readonly id: DeliveryId
  readonly position: number | null
}

/** Queues the deliveries again, and records with each the id of its resend. */
const sendAgain = async (
  sql: Connection,
  webhookId: number,
  those: ReadonlyArray<Dead>,
  ids: () => DeliveryId,
  now: number
): Promise<ReadonlyArray<DeliveryId>> => {
  if (those.length === 0) return []
  const again = those.map(({ brand_id, id, position }) => ({
    id: ids(),
    brandId: brand_id,
    webhookId,
    position,
    resendOf: id
  }))
  await sql.run(
    `UPDATE lead_signals.delivery d SET resent_as = given.id
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given(brand_id, seq, id)
       WHERE d.brand_id = given.brand_id AND d.seq = given.seq`,
    [those.map(({ brand_id }) => brand_id), those.map(({ seq }) => seq), again.map(({ id }) => id)]
  )
  await insertDeliveries(sql, again, now)
  return again.map(({ id }) => id)
}

/** Locks leads of events against their erasure, in the order in which all transactions lock leads. */
const lockLeads = (
  sql: Connection,
  brandId: number,
  positions: ReadonlyArray<number>
): Promise<ReadonlyArray<unknown>> =>
  sql.all(
    `SELECT 1 FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id IN (
         SELECT e.lead_id FROM lead_signals.event e WHERE e.brand_id = $1 AND e.position = ANY ($2::bigint[]))
       ORDER BY l.id FOR KEY SHARE`,
    [brandId, positions]
  )

/** Locks the deliveries, whose webhook is locked, and their leads; answers those that are still there. */
const lockDead = async (sql: Connection, found: ReadonlyArray<Dead>): Promise<ReadonlyArray<Dead>> => {
  const brandId = found[0]?.brand_id
  if (brandId === undefined) return []
  await lockLeads(
    sql,
    brandId,
    found.flatMap(({ position }) => position ?? [])
  )
  // An erasure of a post's author gives a delivery another id.
  const rows = await sql.all<Pick<Dead, "seq" | "id">>(
    `SELECT seq, id FROM lead_signals.delivery WHERE brand_id = $1 AND seq = ANY ($2::bigint[])
       ORDER BY seq FOR NO KEY UPDATE`,
    [brandId, found.map(({ seq }) => seq)]
  )
  const ids = new Map(rows.map(({ id, seq }) => [seq, id]))
  return found.flatMap((each) => {
    const id = ids.get(each.seq)
    return id === undefined ? [] : [{ ...each, id }]
  })
}

/** Locks the webhook, which can be deleted since the caller read it. Answers its brand; undefined when there is none. */
const lockWebhook = (
  sql: Connection,
  webhookId: string
): Promise<{ readonly brand_id: number } | undefined> =>
  sql.get("SELECT brand_id FROM lead_signals.webhook WHERE id = $1 FOR NO KEY UPDATE", [idOf(webhookId)])

/** The lead's newest event of the type; locks the lead against its erasure. */
const newestEvent = async (
  sql: Connection,
  brandId: string,
  { event, leadId }: Extract<QueueRequest, { readonly what: "newest-event" }>
): Promise<{ readonly position: number } | undefined> => {
  const params = [idOf(brandId), leadIdOf(leadId)]
  await sql.get("SELECT 1 FROM lead_signals.lead WHERE brand_id = $1 AND id = $2 FOR KEY SHARE", params)
  return sql.get(
    `SELECT position FROM lead_signals.event WHERE brand_id = $1 AND lead_id = $2 AND event = $3
       ORDER BY position DESC LIMIT 1`,
    [...params, event]
  )
}

/** One page of a webhook's deliveries. */
const readPage = async (
  sql: Connection,
  webhookId: string,
  { page, state }: { readonly state: DeliveryState | null; readonly page: Page.Page }
): Promise<DeliveryPage> => {
  const count = await sql.get<{ readonly n: number }>(
    `SELECT coalesce(sum(n), 0)::bigint AS n FROM lead_signals.delivery_count
       WHERE webhook_id = $1 AND ($2::text IS NULL OR state = $2)`,
    [idOf(webhookId), state]
  )
  const rows = await sql.all<DeliveryRow & LastAttemptRow>(
    `SELECT ${deliveryColumns}, a.at, a.duration_millis, a.status, a.error
       FROM (SELECT brand_id, seq FROM lead_signals.delivery
         WHERE webhook_id = $1 ${state === null ? "" : "AND state = $4"} ORDER BY seq DESC LIMIT $2 OFFSET $3) p
       JOIN lead_signals.delivery d ON d.brand_id = p.brand_id AND d.seq = p.seq ${withEvent}
       LEFT JOIN lead_signals.attempt a
         ON a.brand_id = d.brand_id AND a.delivery_seq = d.seq AND a.number = d.attempts ORDER BY d.seq DESC`,
    [idOf(webhookId), page.pageSize, Page.offset(page), ...(state === null ? [] : [state])]
  )
  return {
    total: count!.n,
    deliveries: rows.map((row) => ({ ...deliveryOf(row), lastAttempt: lastAttemptOf(row) }))
  }
}

/** The delivery with its body and attempts, decrypted. */
const readDelivery = async (
  sql: Connection,
  webhookId: string,
  id: DeliveryId
): Promise<Option.Option<FoundDelivery>> => {
  const row = await sql.get<
    DeliveryRow & {
      readonly brand_id: number
      readonly seq: number
      readonly body: string | null
      readonly sealed: SealedColumn
    }
  >(
    `SELECT d.brand_id, d.seq, b.body, b.sealed, ${deliveryColumns} FROM lead_signals.delivery d ${withEvent}
       LEFT JOIN lead_signals.delivery_body b ON b.brand_id = d.brand_id AND b.seq = d.seq
       WHERE d.id = $1 AND d.webhook_id = $2`,
    [keyText(id), idOf(webhookId)]
  )
  if (row === undefined) return Option.none()
  const attempts = await sql.all<AttemptRow & { readonly sealed: SealedColumn }>(
    `SELECT number, at, duration_millis, status, error, response, batch_id, format, sealed FROM lead_signals.attempt
       WHERE brand_id = $1 AND delivery_seq = $2 ORDER BY number`,
    [row.brand_id, row.seq]
  )
  const { brand_id: brandId, seq } = row
  const [body, ...responses] = await openValues(sql, [
    { brandId, value: row.sealed, context: bodyContext(brandId, seq) },
    ...attempts.map(({ number, sealed }) => ({
      brandId,
      value: sealed,
      context: attemptContext(brandId, seq, number)
    }))
  ])
  return Option.some({
    delivery: deliveryOf(row),
    attempts: attempts.map((attempt, i) =>
      attemptOf({ ...attempt, response: responses[i] ?? attempt.response })
    ),
    body: row.sealed === null ? row.body : body!
  })
}

/** Queues what the request names, if the webhook is still there. */
const queueDelivery = async (
  sql: Connection,
  { brandId, id: webhookId }: { readonly id: string; readonly brandId: string },
  request: QueueRequest,
  ids: () => DeliveryId,
  now: number
): Promise<Option.Option<DeliveryId>> => {
  const webhook = await lockWebhook(sql, webhookId)
  if (webhook === undefined) return Option.none()
  if (request.what === "again") {
    const found = await sql.all<Dead>(
      "SELECT brand_id, seq, id, position FROM lead_signals.delivery WHERE id = $1 AND webhook_id = $2",
      [keyText(request.deliveryId), idOf(webhookId)]
    )
    const [again] = await sendAgain(sql, idOf(webhookId), await lockDead(sql, found), ids, now)
    return Option.fromNullable(again)
  }
  const event = request.what === "test" ? { position: null } : await newestEvent(sql, brandId, request)
  if (event === undefined) return Option.none()
  const delivery = {
    id: ids(),
    brandId: webhook.brand_id,
    webhookId: idOf(webhookId),
    resendOf: null,
    position: event.position
  }
  await insertDeliveries(sql, [delivery], now)
  return Option.some(delivery.id)
}

/** Queues dead letters again, the oldest first. Returns how many. */
const recoverDead = async (
  sql: Connection,
  webhookId: string,
  { events, limit, since }: Parameters<(typeof Deliveries.Service)["recover"]>[1],
  ids: () => DeliveryId,
  now: number
): Promise<number> => {
  if ((await lockWebhook(sql, webhookId)) === undefined) return 0
  const found = await sql.all<Dead>(
    `SELECT d.brand_id, d.seq, d.id, d.position FROM lead_signals.delivery d ${withEvent}
       WHERE d.webhook_id = $1 AND d.state = 'dead' AND d.resent_as IS NULL AND d.finished_at >= $2
         AND (d.position IS NULL OR e.event = ANY ($3::text[]))
       ORDER BY d.finished_at, d.seq LIMIT $4`,
    [idOf(webhookId), since, events, limit]
  )
  return (await sendAgain(sql, idOf(webhookId), await lockDead(sql, found), ids, now)).length
}

const make = Effect.map(Database, (database) => {
  const queue = <A>(work: (sql: Connection, now: number) => Promise<A>) =>
    Effect.zipLeft(database.write(work), database.announceQueued)

  return Deliveries.of({
    list: (webhookId, query) => database.readSnapshot((sql) => readPage(sql, webhookId, query)),
    get: (webhookId, id) => database.readSnapshot((sql) => readDelivery(sql, webhookId, id)),
    queue: (webhook, request, ids) => queue((sql, now) => queueDelivery(sql, webhook, request, ids, now)),
    recover: (webhookId, request, ids) => queue((sql, now) => recoverDead(sql, webhookId, request, ids, now)),
    counts: (brandId, intervals) => database.read((sql) => countDeliveries(sql, idOf(brandId), intervals))
  })
})

/** The port of deliveries. Needs the `Database`. */
export const layer = Layer.effect(Deliveries, make)
