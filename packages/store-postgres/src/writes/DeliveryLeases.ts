/**
 * Takes due deliveries of webhooks whose rows it locks, and writes their leases with the bodies that are posted. The locks keep emitters of
 * several nodes from each other's deliveries. [DELIV-2, DELIV-7]
 */
import {
  Batches,
  DeliverySlots,
  type Instant,
  type Leased,
  type LeaseRequest,
  type Webhook
} from "@lead-signals/domain"
import { idOf, leaseOf, type TakenDeliveryRow, type WebhookRow } from "@lead-signals/sql-rows"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection } from "../connection/Connection.ts"
import { webhookColumns, webhookOf } from "../rows/DirectoryRows.ts"
import { bodyContext } from "../rows/SealedRows.ts"
import { sealFor } from "../sealing/SealedValue.ts"
import { type Body, type DueRow, readBodies } from "./DeliveryBodies.ts"
import { deferWaiting, type DueBound, skippedBefore, stateBefore, noBound } from "./DeliveryOrder.ts"
import { type DeliveryShares, leasesOfOthers, ownTokens, type WebhookShare } from "./DeliveryShares.ts"

interface LockedWebhooks {
  readonly webhooks: ReadonlyMap<number, Webhook>
  /** By id, for those that are ordered. */
  readonly bounds: ReadonlyMap<number, DueBound>
}

/**
 * Locks the webhooks, in the order of their ids; leaves those out that were disabled or deleted meanwhile. Sets aside what waits in the
 * orders of their leads.
 */
const lockWebhooks = async (
  sql: Connection,
  request: LeaseRequest,
  shares: ReadonlyArray<WebhookShare>,
  now: Instant
): Promise<LockedWebhooks> => {
  const rows = await sql.all<WebhookRow>(
    `SELECT ${webhookColumns} FROM lead_signals.webhook w WHERE w.id = ANY ($1::bigint[]) AND w.enabled
       ORDER BY w.id FOR NO KEY UPDATE`,
    [shares.map(({ webhook }) => idOf(webhook.id))]
  )
  const webhooks = new Map(rows.map((row) => [row.id, webhookOf(row, sql.keys)]))
  const bounds = new Map<number, DueBound>()
  for (const [id, webhook] of webhooks) {
    const limit = Batches.rowsFor(webhook, request.limits.perWebhook)
    if (webhook.ordering === "lead") bounds.set(id, await deferWaiting(sql, id, now, limit))
  }
  return { webhooks, bounds }
}

/**
 * Locks the oldest due of each locked webhook, as many as the posts carry that it has places for. Passes over those that an erasure removes just now. The
 * webhook's lock keeps other emitters from the same: its count of their leases is exact.
 */
const takeSql = `SELECT t.brand_id, t.seq, t.id, t.webhook_id, t.position, t.created_at, t.due_at AS "dueAt", t.failures,
    t.position IS NULL AS "isTest", w.posts,
    t.resend_of, t.ordered_lead, t.before
  FROM (
    SELECT w.*, greatest(0, least(w.places, w.own_limit - (${leasesOfOthers}))) AS posts
    FROM unnest($2::bigint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::bigint[], $9::bigint[])
      WITH ORDINALITY AS w(id, places, own_limit, size, most, until_due, until_seq, place)) w
  CROSS JOIN LATERAL (
    SELECT d.*, CASE WHEN d.ordered_lead IS NOT NULL THEN ${stateBefore} END AS before FROM lead_signals.delivery d
    WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.due_at <= $1 AND (d.due_at, d.seq) <= (w.until_due, w.until_seq)
      AND (d.ordered_lead IS NULL OR ${stateBefore} IS DISTINCT FROM 'pending') ORDER BY d.due_at, d.seq
    LIMIT least(w.posts * w.size, w.most) FOR NO KEY UPDATE SKIP LOCKED) t
  ORDER BY w.place, t.due_at, t.seq`

/** A delivery that is to be leased. */
type Taken = DueRow & TakenDeliveryRow

const take = async (
  sql: Connection,
  request: LeaseRequest,
  shares: ReadonlyArray<WebhookShare>,
  { bounds, webhooks }: LockedWebhooks,
  now: Instant
): Promise<ReadonlyArray<Taken>> => {
  const { limits, underWay } = request
  const given = shares.flatMap(({ places, webhook: { id } }) => {
    const webhook = webhooks.get(idOf(id))
    if (webhook === undefined) return []
    const limit = webhook.failingSince === null ? limits.perWebhook : limits.perFailingWebhook
    const ownLimit = limit - (underWay.byWebhook.get(id) ?? 0)
    return [{ id: idOf(id), places, ownLimit, webhook }]
  })
  const rows = await sql.all<DueRow & Batches.DueDelivery & { readonly posts: number }>(takeSql, [
    now,
    given.map(({ id }) => id),
    ownTokens(request),
    given.map(({ places }) => places),
    given.map(({ ownLimit }) => ownLimit),
    given.map(({ webhook }) => webhook.maxBatch),
    given.map(({ places, webhook }) => Batches.rowsFor(webhook, places)),
    given.map(({ id }) => (bounds.get(id) ?? noBound).due),
    given.map(({ id }) => (bounds.get(id) ?? noBound).seq)
  ])
  let batches = 0
  return given.flatMap(({ id, webhook }): ReadonlyArray<Taken> => {
    const due = rows.filter(({ webhook_id }) => webhook_id === id)
    if (!Batches.isBatched(webhook)) return due.map((row) => ({ ...row, batch: null }))
    return Batches.form(due, webhook, now)
      .batches.slice(0, due[0]?.posts ?? 0)
      .flatMap((members) => {
        const batch = batches++
        return members.map((row) => ({ ...row, batch }))
      })
  })
}

/** Characters of all bodies in one lease, about, and deliveries: what is due beyond is leased next. */
const maxBodyCharacters = 8 * 1024 * 1024
const maxTaken = 500
/** Bodies that are read before anything is known of their size. */
const firstBodies = 8
const bodiesAtOnce = 256

/** `made` is what must be written where the body is new. */
type WithBody = Taken & { readonly body: string | null; readonly made: (DueRow & Body) | null }

/** Reads the first due deliveries with their bodies, up to the bounds of one lease. */
const readWithinBounds = async (
  sql: Connection,
  due: ReadonlyArray<Taken>,
  webhooks: ReadonlyMap<number, Webhook>,
  render: LeaseRequest["body"]
): Promise<ReadonlyArray<WithBody>> => {
  const read: Array<WithBody> = []
  for (
    let size = 0, length = firstBodies;
    read.length < due.length && read.length < maxTaken && size < maxBodyCharacters;
  ) {
    const part = due.slice(read.length, read.length + length)
    const found = await readBodies(sql, part, webhooks, render)
    for (const each of part) {
      const body = found.get(each.seq)
      read.push({
        ...each,
        body: body?.text ?? null,
        made: body?.isMade === true ? { ...each, ...body } : null
      })
      size += body?.text.length ?? 0
    }
    length = Math.max(
      1,
      Math.min(bodiesAtOnce, Math.floor((maxBodyCharacters * read.length) / Math.max(1, size)))
    )
  }
  return read
}

const leaseSql = `WITH made AS (
    INSERT INTO lead_signals.delivery_body (brand_id, seq, body, sealed)
    SELECT * FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::bytea[]))
  UPDATE lead_signals.delivery d SET lease = given.token, due_at = $2
  FROM unnest($3::bigint[], $4::bigint[], $1::text[]) AS given(brand_id, seq, token)
  WHERE d.brand_id = given.brand_id AND d.seq = given.seq`

/**
 * Leases deliveries of the shares for `leaseMillis`, as far as their webhooks still have places for them once they are locked. Null, and
 * nothing leased, where all that was due of an ordered webhook waits in the order of its leads and was looked at: it is set aside now, and another
 * webhook can have the place. The caller looks again in a transaction of its own: emitters that locked more webhooks within one could wait for
 * each other. [DELIV-7, ORD-2]
 */
export const lease = async (
  sql: Connection,
  request: LeaseRequest,
  { nextDueAt, shares }: DeliveryShares,
  now: Instant
): Promise<Leased | null> => {
  const locked = await lockWebhooks(sql, request, shares, now)
  const { bounds, webhooks } = locked
  const isAllTested = [...bounds.values()].every(({ isAll }) => isAll)
  const due = webhooks.size === 0 ? [] : await take(sql, request, shares, locked, now)
  const isPlaceLeft = [...bounds].some(
    ([id, { hasDeferred }]) => hasDeferred && due.every(({ webhook_id }) => webhook_id !== id)
  )
  if (isPlaceLeft && isAllTested) return null
  if (due.length === 0) return { leases: [], nextDueAt: isAllTested ? nextDueAt : now }
  const taken = Batches.withoutOverflow(await readWithinBounds(sql, due, webhooks, request.body))
  const made = taken.flatMap((each) => each.made ?? [])
  const until = now + request.leaseMillis
  const tokenOf = ({ batch }: Taken): string => DeliverySlots.leaseToken(request.token, batch)
  await sql.run(leaseSql, [
    taken.map(tokenOf),
    until,
    taken.map(({ brand_id }) => brand_id),
    taken.map(({ seq }) => seq),
    made.map(({ brand_id }) => brand_id),
    made.map(({ seq }) => seq),
    binaryArray(
      "text",
      made.map(({ persons, text }) => (persons.length === 0 ? text : ""))
    ),
    binaryArray(
      "bytea",
      made.map(({ brand_id, persons, seq, text }) =>
        persons.length === 0 ? null : sealFor(persons, text, bodyContext(brand_id, seq))
      )
    )
  ])
  const skipped = await skippedBefore(sql, taken)
  const leases = taken.map((each) =>
    leaseOf(
      each,
      webhooks.get(each.webhook_id)!,
      { token: tokenOf(each), until },
      () => skipped.get(each.seq) ?? []
    )
  )
  return {
    leases,
    nextDueAt: taken.length < due.length || !isAllTested ? now : Math.min(nextDueAt ?? until, until)
  }
}
