/**
 * The emitter's side of the outbox, on Postgres: takes due deliveries and records attempts. Emitters of several nodes lock
 * the rows of webhooks whose deliveries they lease, and count each other's leases, so that a webhook's limit holds over all of them. [DELIV-2, DELIV-7]
 */
import {
  type AttemptTransitions,
  Batches,
  type DeliveryId,
  type Instant,
  LeadOrder,
  type Lease,
  type Leased,
  type LeaseRequest,
  DeliverySlots,
  Outbox,
  type Webhook
} from "@lead-signals/domain"
import { idOf, type WebhookRow } from "@lead-signals/sql-rows"
import { Clock, Effect, Layer, Queue } from "effect"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { webhookColumns, webhookOf } from "../rows/DirectoryRows.ts"
import { bodyContext } from "../rows/SealedRows.ts"
import { sealFor } from "../sealing/SealedValue.ts"
import { recordAttempts } from "../writes/AttemptRecord.ts"
import { type Body, readBodies, type Taken } from "../writes/DeliveryBodies.ts"

type WebhookShare = { readonly webhook: Webhook; readonly places: number }

interface CandidateRow extends WebhookRow {
  readonly due: number
  readonly due_at: Instant | null
  readonly next_at: Instant | null
  /** Leases of other emitters that stand. */
  readonly others: number
}

/**
 * Posts of other emitters than the one whose tokens begin with `$3`; none when `$3` is empty. The leases of a batch have one token, with a
 * full stop.
 */
const leasesOfOthers = `SELECT count(DISTINCT CASE WHEN strpos(d.lease, '.') > 0 THEN d.lease ELSE d.id END)::int
  FROM lead_signals.delivery d
  WHERE d.webhook_id = w.id AND d.lease IS NOT NULL AND d.due_at > $1 AND NOT starts_with(d.lease, $3)`

const candidatesSql = `SELECT ${webhookColumns}, due.n AS due, due.due_at, next.due_at AS next_at, (${leasesOfOthers}) AS others
  FROM lead_signals.webhook w
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS n, min(due_at) AS due_at FROM (
      SELECT d.due_at FROM lead_signals.delivery d
      WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.due_at <= $1 ORDER BY d.due_at, d.seq LIMIT $2) d) due
  LEFT JOIN LATERAL (
    SELECT d.due_at FROM lead_signals.delivery d
    WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.due_at > $1 AND d.due_at < ${LeadOrder.waitingDueAt}
    ORDER BY d.due_at LIMIT 1) next ON true
  WHERE w.enabled AND (due.n > 0 OR next.due_at IS NOT NULL) ORDER BY w.id`

type DueRow = Taken & Batches.DueDelivery

/** The first deliveries that are due of webhooks that take batches: one webhook's stand together. */
const dueInBatchesSql = `SELECT t.webhook_id, t.due_at AS "dueAt", t.failures, t.position IS NULL AS "isTest"
  FROM unnest($2::bigint[], $3::int[]) AS w(id, size)
  CROSS JOIN LATERAL (
    SELECT d.* FROM lead_signals.delivery d
    WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.due_at <= $1 ORDER BY d.due_at, d.seq LIMIT w.size) t
  ORDER BY t.webhook_id, t.due_at, t.seq`

/** What is due of each webhook that takes batches, as its posts. [BATCH-1, BATCH-2] */
const formedBatches = async (
  sql: Connection,
  webhooks: ReadonlyArray<Webhook>,
  posts: number,
  now: Instant
): Promise<ReadonlyMap<string, Batches.Formed<Batches.DueDelivery>>> => {
  const batched = webhooks.filter(Batches.isBatched)
  if (batched.length === 0) return new Map()
  const rows = await sql.all<Batches.DueDelivery & { readonly webhook_id: number }>(dueInBatchesSql, [
    now,
    batched.map(({ id }) => idOf(id)),
    batched.map((webhook) => Batches.rowsFor(webhook, posts))
  ])
  const due = new Map<number, Array<Batches.DueDelivery>>()
  for (const row of rows) due.set(row.webhook_id, [...(due.get(row.webhook_id) ?? []), row])
  return new Map(
    batched.map((webhook) => [webhook.id, Batches.form(due.get(idOf(webhook.id)) ?? [], webhook, now)])
  )
}

/** The beginning of the emitter's tokens. */
const ownTokens = ({ emitter }: LeaseRequest): string => (emitter === undefined ? "" : `${emitter}-`)

/** Counts leases of other emitters, too, against the limit of their webhook. */
const underWayOfAll = (
  underWay: DeliverySlots.UnderWay,
  rows: ReadonlyArray<CandidateRow>
): DeliverySlots.UnderWay => ({
  total: underWay.total,
  failingTotal: underWay.failingTotal,
  byWebhook: new Map([
    ...underWay.byWebhook,
    ...rows.map(({ id, others }) => [String(id), (underWay.byWebhook.get(String(id)) ?? 0) + others] as const)
  ])
})

/** The webhooks with a place for something due, and when the next delivery becomes due that there is a place for. */
const sharesOf = async (
  sql: Connection,
  request: LeaseRequest,
  now: Instant
): Promise<{ readonly shares: ReadonlyArray<WebhookShare>; readonly nextDueAt: Instant | null }> => {
  const { limits } = request
  const rows = await sql.all<CandidateRow>(candidatesSql, [now, limits.perWebhook, ownTokens(request)])
  const underWay = underWayOfAll(request.underWay, rows)
  const withWebhook = rows.map((row) => ({ row, webhook: webhookOf(row, sql.keys) }))
  const formed = await formedBatches(
    sql,
    withWebhook.flatMap(({ row, webhook }) => (row.due > 0 ? webhook : [])),
    limits.perWebhook,
    now
  )
  let nextDueAt: Instant | null = null
  const candidates = withWebhook.map(({ row, webhook }) => {
    const { failingSince, id } = webhook
    const inBatches = formed.get(id)
    const due = inBatches === undefined ? row.due : inBatches.batches.length
    const candidate = { webhook, webhookId: id, failingSince, dueAt: row.due_at ?? 0, due }
    for (const at of [row.next_at, inBatches?.readyAt ?? null]) {
      if (at !== null && DeliverySlots.hasPlace(candidate, limits, underWay))
        nextDueAt = Math.min(nextDueAt ?? at, at)
    }
    return candidate
  })
  const dealt = DeliverySlots.allocate(
    candidates.filter(({ due }) => due > 0),
    limits,
    underWay
  )
  const shares = candidates.flatMap(({ webhook, webhookId }) => {
    const places = dealt.get(webhookId)
    return places === undefined ? [] : [{ webhook, places }]
  })
  return { shares, nextDueAt }
}

/** Locks the webhooks, in the order of their ids; leaves those out that were disabled or deleted meanwhile. */
const lockWebhooks = async (
  sql: Connection,
  shares: ReadonlyArray<WebhookShare>
): Promise<ReadonlyMap<number, Webhook>> => {
  const rows = await sql.all<WebhookRow>(
    `SELECT ${webhookColumns} FROM lead_signals.webhook w WHERE w.id = ANY ($1::bigint[]) AND w.enabled
       ORDER BY w.id FOR NO KEY UPDATE`,
    [shares.map(({ webhook }) => idOf(webhook.id))]
  )
  return new Map(rows.map((row) => [row.id, webhookOf(row, sql.keys)]))
}

/** The state of the one before `d` of its webhook and ordered lead. Those that ended come first: it says whether `d` waits. [ORD-2] */
const stateBefore = `(SELECT p.state FROM lead_signals.delivery p
  WHERE p.webhook_id = d.webhook_id AND p.ordered_lead = d.ordered_lead AND p.seq < d.seq ORDER BY p.seq DESC LIMIT 1)`

/** Rows that are read together to find those that don't wait. */
const orderedAtOnce = 256
/** Rows that one transaction sets aside at most: more would keep other writes waiting. */
const maxDeferred = 5000

/** A lookup for each, and an array of those that were locked: the planner would join them by reading all of the brand. */
const deferSql = `UPDATE lead_signals.delivery SET due_at = $3 WHERE brand_id = $1 AND seq = ANY (ARRAY(
    SELECT d.seq FROM unnest($2::bigint[]) AS given(seq) CROSS JOIN LATERAL (
      SELECT seq FROM lead_signals.delivery
      WHERE brand_id = $1 AND seq = given.seq AND state = 'pending' FOR NO KEY UPDATE SKIP LOCKED) d))`

/** How far a lease has looked at what is due of a webhook: nothing beyond is leased, which would have to be looked at first. */
interface Looked {
  readonly isAll: boolean
  readonly due: Instant
  readonly seq: number
}

const wherever = { due: LeadOrder.waitingDueAt, seq: Number.MAX_SAFE_INTEGER }

interface OrderedRow {
  readonly brand_id: number
  readonly seq: number
  readonly due_at: Instant
  readonly waits: boolean
}

/**
 * Sets aside what is due of a locked, ordered webhook and must wait for an earlier one of its lead, until there are `limit` others or no
 * more. Passes over what an erasure has locked. Answers how far it looked. [ORD-2]
 */
const deferWaiting = async (
  sql: Connection,
  webhookId: number,
  now: Instant,
  limit: number
): Promise<Looked> => {
  let [afterDue, afterSeq, found] = [-1, 0, 0]
  for (let deferred = 0; deferred < maxDeferred;) {
    const rows = await sql.all<OrderedRow>(
      `SELECT d.brand_id, d.seq, d.due_at, coalesce(${stateBefore} = 'pending', false) AS waits FROM lead_signals.delivery d
         WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.due_at <= $2 AND (d.due_at, d.seq) > ($3, $4)
         ORDER BY d.due_at, d.seq LIMIT $5`,
      [webhookId, now, afterDue, afterSeq, orderedAtOnce]
    )
    const waiting = rows.filter(({ waits }) => waits)
    if (waiting.length > 0) {
      await sql.run(deferSql, [waiting[0]!.brand_id, waiting.map(({ seq }) => seq), LeadOrder.waitingDueAt])
    }
    deferred += waiting.length
    found += rows.length - waiting.length
    if (rows.length < orderedAtOnce || found >= limit) return { isAll: true, ...wherever }
    afterDue = rows.at(-1)!.due_at
    afterSeq = rows.at(-1)!.seq
  }
  return { isAll: false, due: afterDue, seq: afterSeq }
}

/** The dead letters before each delivery, since the last delivered one of its lead. [ORD-5] */
const skippedSql = `SELECT given.seq, s.id, s.state FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS given(webhook_id, ordered_lead, seq)
  CROSS JOIN LATERAL (
    SELECT p.seq, p.id, p.state FROM lead_signals.delivery p
    WHERE p.webhook_id = given.webhook_id AND p.ordered_lead = given.ordered_lead AND p.seq < given.seq
    ORDER BY p.seq DESC LIMIT $4) s
  ORDER BY given.seq, s.seq DESC`

/** By the `seq` of each that has any. */
const skippedBefore = async (
  sql: Connection,
  taken: ReadonlyArray<Taken>
): Promise<ReadonlyMap<number, ReadonlyArray<DeliveryId>>> => {
  const after = taken.filter(({ before }) => before === "dead")
  if (after.length === 0) return new Map()
  const rows = await sql.all<{ readonly seq: number; readonly id: DeliveryId; readonly state: string }>(
    skippedSql,
    [
      after.map(({ webhook_id }) => webhook_id),
      after.map(({ ordered_lead }) => ordered_lead),
      after.map(({ seq }) => seq),
      LeadOrder.maxSkippedIds
    ]
  )
  const ended = new Set<number>()
  const skipped = new Map<number, ReadonlyArray<DeliveryId>>()
  for (const { id, seq, state } of rows) {
    if (state !== "dead") ended.add(seq)
    if (!ended.has(seq)) skipped.set(seq, [id, ...(skipped.get(seq) ?? [])])
  }
  return skipped
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

/** A delivery that is to be leased, and the number of its batch in this lease; null where its webhook takes no batches. */
type Shared = Taken & { readonly batch: number | null }

const take = async (
  sql: Connection,
  request: LeaseRequest,
  shares: ReadonlyArray<WebhookShare>,
  webhooks: ReadonlyMap<number, Webhook>,
  looked: ReadonlyMap<number, Looked>,
  now: Instant
): Promise<ReadonlyArray<Shared>> => {
  const { limits, underWay } = request
  const given = shares.flatMap(({ places, webhook: { id } }) => {
    const webhook = webhooks.get(idOf(id))
    if (webhook === undefined) return []
    const limit = webhook.failingSince === null ? limits.perWebhook : limits.perFailingWebhook
    const ownLimit = limit - (underWay.byWebhook.get(id) ?? 0)
    return [{ id: idOf(id), places, ownLimit, webhook }]
  })
  const rows = await sql.all<DueRow & { readonly posts: number }>(takeSql, [
    now,
    given.map(({ id }) => id),
    ownTokens(request),
    given.map(({ places }) => places),
    given.map(({ ownLimit }) => ownLimit),
    given.map(({ webhook }) => webhook.maxBatch),
    given.map(({ places, webhook }) => Batches.rowsFor(webhook, places)),
    given.map(({ id }) => (looked.get(id) ?? wherever).due),
    given.map(({ id }) => (looked.get(id) ?? wherever).seq)
  ])
  let batches = 0
  return given.flatMap(({ id, webhook }): ReadonlyArray<Shared> => {
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

/** Bodies of so many characters, or so many of them, are enough for one lease: those that are due behind them are leased next. */
const maxBodies = 8 * 1024 * 1024
const maxTaken = 500
/** Bodies that are read before anything is known of their size. */
const firstBodies = 8
const bodiesAtOnce = 256

const leaseSql = `WITH made AS (
    INSERT INTO lead_signals.delivery_body (brand_id, seq, body, sealed)
    SELECT * FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::bytea[]))
  UPDATE lead_signals.delivery d SET lease = given.token, due_at = $2
  FROM unnest($3::bigint[], $4::bigint[], $1::text[]) AS given(brand_id, seq, token)
  WHERE d.brand_id = given.brand_id AND d.seq = given.seq`

const lease = async (
  sql: Connection,
  request: LeaseRequest,
  { nextDueAt, shares }: { readonly shares: ReadonlyArray<WebhookShare>; readonly nextDueAt: Instant | null },
  now: Instant
): Promise<Leased> => {
  const webhooks = await lockWebhooks(sql, shares)
  const looked = new Map<number, Looked>()
  for (const [id, webhook] of webhooks) {
    const limit = Batches.rowsFor(webhook, request.limits.perWebhook)
    if (webhook.ordering === "lead") looked.set(id, await deferWaiting(sql, id, now, limit))
  }
  const isAllLooked = [...looked.values()].every(({ isAll }) => isAll)
  const due = webhooks.size === 0 ? [] : await take(sql, request, shares, webhooks, looked, now)
  if (due.length === 0) return { leases: [], nextDueAt: isAllLooked ? nextDueAt : now }
  const read: Array<Shared & { readonly body: string | null }> = []
  const made: Array<Taken & Body> = []
  for (
    let size = 0, length = firstBodies;
    read.length < due.length && read.length < maxTaken && size < maxBodies;
  ) {
    const part = due.slice(read.length, read.length + length)
    const found = await readBodies(sql, part, webhooks, request.body)
    for (const each of part) {
      const body = found.get(each.seq)
      read.push({ ...each, body: body?.text ?? null })
      if (body === undefined) continue
      size += body.text.length
      if (body.isMade) made.push({ ...each, ...body })
    }
    length = Math.max(1, Math.min(bodiesAtOnce, Math.floor((maxBodies * read.length) / Math.max(1, size))))
  }
  const taken = Batches.withoutOverflow(read)
  const until = now + request.leaseMillis
  const tokenOf = ({ batch }: Shared): string =>
    batch === null ? request.token : DeliverySlots.batchToken(request.token, batch)
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
  const leases = taken.map((each): Lease => {
    const webhook = webhooks.get(each.webhook_id)!
    return {
      deliveryId: each.id,
      token: tokenOf(each),
      batch: each.batch,
      until,
      body: each.body,
      resendOf: each.resend_of,
      place:
        webhook.ordering === "none"
          ? null
          : { isInOrder: each.ordered_lead !== null, skipped: skipped.get(each.seq) ?? [] },
      webhook
    }
  })
  return {
    leases,
    nextDueAt: taken.length < due.length || !isAllLooked ? now : Math.min(nextDueAt ?? until, until)
  }
}

/** The port over a database. */
export const outboxOver = (
  database: Pick<typeof Database.Service, "queued" | "read" | "write">
): typeof Outbox.Service =>
  Outbox.of({
    lease: (request) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const found = yield* database.read((sql) => sharesOf(sql, request, now))
        if (found.shares.length === 0) return { leases: [], nextDueAt: found.nextDueAt }
        return yield* database.write((sql, at) => lease(sql, request, found, at))
      }),
    record: (attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>) =>
      database.write((sql, now) => recordAttempts(sql, attempts, now)),
    queued: Queue.take(database.queued)
  })

/** The port of the outbox. Needs the `Database`. */
export const layer = Layer.effect(Outbox, Effect.map(Database, outboxOver))
