/** The emitter's side of the outbox, on SQLite: takes due deliveries and records attempts. */
import {
  Batches,
  type BodyMaterial,
  type DeliveryId,
  type DeliveryState,
  type Instant,
  LeadOrder,
  type Lease,
  type Leased,
  type LeaseRequest,
  DeliverySlots,
  type LeadEvent,
  Outbox,
  AttemptTransitions,
  type Webhook
} from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { Clock, Effect, Layer, Queue } from "effect"
import { Database } from "../database/Database.ts"
import { engagementColumns, leadsById, readEngagements, windows, withAuthor } from "../rows/LeadReads.ts"
import { type EventRow, eventOf, idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Secrets } from "../rows/Secrets.ts"
import { countDeliveries } from "../writes/DeliveryCounts.ts"
import { releasedDueAt } from "../writes/DeliveryQueue.ts"

/* Leases */

interface DueRow extends Batches.DueDelivery {
  readonly seq: number
  readonly id: string
  readonly webhook_id: number
  readonly position: number | null
  readonly created_at: number
  readonly resend_of: string | null
  readonly ordered_lead: number | null
  /** The state of the one before it of its webhook and ordered lead; null without one. */
  readonly before: DeliveryState | null
}

/** The ended deliveries of one webhook and lead come first: the one before says whether a delivery waits. [ORD-2] */
const stateBefore = `(SELECT p.state FROM delivery p WHERE p.webhook_id = d.webhook_id AND p.ordered_lead = d.ordered_lead
  AND p.seq < d.seq ORDER BY p.seq DESC LIMIT 1)`

/** Rows that are read together to find those that don't wait. */
const orderedAtOnce = 256
/** Rows that one transaction sets aside at most: more would keep other writes waiting. */
const maxDeferred = 5000

/**
 * Sets aside what is due of an ordered webhook and must wait for an earlier one of its lead, until there are `limit` others or no more.
 * Answers whether it came to an end. [ORD-2]
 */
const deferWaiting = (sql: Connection, webhookId: number, now: Instant, limit: number): boolean => {
  let after = { due_at: -1, seq: 0 }
  let found = 0
  for (let deferred = 0; deferred < maxDeferred;) {
    const rows = sql.all<{
      readonly seq: number
      readonly due_at: number
      readonly before: DeliveryState | null
    }>(
      `SELECT d.seq, d.due_at, ${stateBefore} AS before FROM delivery d
       WHERE d.webhook_id = ? AND d.state = 'pending' AND d.due_at <= ? AND (d.due_at, d.seq) > (?, ?)
       ORDER BY d.due_at, d.seq LIMIT ?`,
      [webhookId, now, after.due_at, after.seq, orderedAtOnce]
    )
    const waiting = rows.filter(({ before }) => before === "pending").map(({ seq }) => seq)
    if (waiting.length > 0) {
      sql.run("UPDATE delivery SET due_at = ? WHERE seq IN (SELECT value FROM json_each(?))", [
        LeadOrder.waitingDueAt,
        JSON.stringify(waiting)
      ])
    }
    deferred += waiting.length
    found += rows.length - waiting.length
    if (rows.length < orderedAtOnce || found >= limit) return true
    after = rows.at(-1)!
  }
  return false
}

/** The oldest due of each webhook, as many as so many posts of it can carry. */
const oldestDue = (
  sql: Connection,
  webhooks: ReadonlyArray<Webhook>,
  now: Instant,
  posts: number
): ReadonlyMap<string, ReadonlyArray<DueRow>> => {
  const due = new Map<string, Array<DueRow>>(webhooks.map(({ id }) => [id, []]))
  // A limit refers to no column: webhooks with the same one are read together.
  const limits = new Map<number, Array<number>>()
  for (const webhook of webhooks) {
    const limit = Batches.rowsFor(webhook, posts)
    limits.set(limit, [...(limits.get(limit) ?? []), Number(webhook.id)])
  }
  for (const [limit, ids] of limits) {
    const rows = sql.all<Omit<DueRow, "isTest">>(
      `SELECT d.seq, d.id, d.webhook_id, d.position, d.due_at AS dueAt, d.failures, d.created_at, d.resend_of,
           d.ordered_lead, iif(d.ordered_lead IS NULL, NULL, ${stateBefore}) AS before FROM json_each(?) j
         CROSS JOIN delivery d ON d.seq IN (
           SELECT seq FROM delivery WHERE webhook_id = j.value AND state = 'pending' AND due_at <= ?
           ORDER BY due_at, seq LIMIT ?)`,
      [JSON.stringify(ids), now, limit]
    )
    for (const row of rows) {
      // What waits and was not set aside yet waits on.
      if (row.before !== "pending")
        due.get(String(row.webhook_id))!.push({ ...row, isTest: row.position === null })
    }
  }
  for (const each of due.values()) each.sort((a, b) => a.dueAt - b.dueAt || a.seq - b.seq)
  return due
}

/**
 * Whether deliveries that wait for an earlier one of their lead are among those that a post could carry. They fill its limit and hide what is due
 * behind them, until a lease sets them aside.
 */
const mustDefer = (sql: Connection, webhook: Webhook, now: Instant): boolean =>
  sql.all(
    `SELECT 1 FROM (
       SELECT seq, webhook_id, ordered_lead FROM delivery WHERE webhook_id = ? AND state = 'pending' AND due_at <= ?
       ORDER BY due_at, seq LIMIT ?) d
     WHERE d.ordered_lead IS NOT NULL AND ${stateBefore} = 'pending' LIMIT 1`,
    [idOf(webhook.id), now, Batches.rowsFor(webhook, 1)]
  ).length > 0

/** Until when all that is due of the webhook waits for further events; null when something is to be sent or set aside now. [BATCH-2] */
const waitingUntil = (sql: Connection, webhook: Webhook, now: Instant): Instant | null => {
  if (!Batches.isBatched(webhook) || webhook.maxWait === 0) return null
  if (webhook.ordering === "lead" && mustDefer(sql, webhook, now)) return null
  const due = oldestDue(sql, [webhook], now, 1).get(webhook.id)!
  const { batches, readyAt } = Batches.form(due, webhook, now)
  return batches.length > 0 ? null : readyAt
}

interface Candidate extends DeliverySlots.Candidate {
  readonly webhook: Webhook
}

/** Enabled webhooks with something to be sent now, and when there is more that there is a place for. */
const whatIsDue = (
  sql: Connection,
  secrets: Secrets,
  { limits, underWay }: LeaseRequest,
  now: Instant
): { readonly candidates: ReadonlyArray<Candidate>; readonly nextDueAt: Instant | null } => {
  const rows = sql.all<WebhookRow & { due_at: number | null; next_at: number | null }>(
    `SELECT w.*,
         (SELECT min(due_at) FROM delivery WHERE webhook_id = w.id AND state = 'pending') AS due_at,
         (SELECT min(due_at) FROM delivery WHERE webhook_id = w.id AND state = 'pending' AND due_at > ? AND due_at < ?) AS next_at
       FROM webhook w WHERE w.enabled = 1 ORDER BY w.id`,
    [now, LeadOrder.waitingDueAt]
  )
  let nextDueAt: Instant | null = null
  const candidates: Array<Candidate> = []
  for (const row of rows) {
    if (row.due_at === null) continue
    const webhook = secrets.webhookOf(row)
    const candidate = {
      webhook,
      webhookId: webhook.id,
      failingSince: webhook.failingSince,
      dueAt: row.due_at
    }
    const readyAt = row.due_at <= now ? waitingUntil(sql, webhook, now) : null
    if (row.due_at <= now && readyAt === null) candidates.push(candidate)
    const nextAt = Math.min(row.next_at ?? Number.POSITIVE_INFINITY, readyAt ?? Number.POSITIVE_INFINITY)
    if (!Number.isFinite(nextAt) || !DeliverySlots.hasPlace(candidate, limits, underWay)) continue
    nextDueAt = Math.min(nextDueAt ?? nextAt, nextAt)
  }
  return { candidates: DeliverySlots.eligible(candidates, limits, underWay), nextDueAt }
}

/** The dead letters before the delivery, since the last delivered one of its lead. [ORD-5] */
const skippedBefore = (
  sql: Connection,
  { before, ordered_lead, seq, webhook_id }: DueRow
): Array<DeliveryId> => {
  if (before !== "dead") return []
  const rows = sql.all<{ readonly id: DeliveryId; readonly state: DeliveryState }>(
    "SELECT id, state FROM delivery WHERE webhook_id = ? AND ordered_lead = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
    [webhook_id, ordered_lead, seq, LeadOrder.maxSkippedIds]
  )
  const delivered = rows.findIndex(({ state }) => state !== "dead")
  return (delivered < 0 ? rows : rows.slice(0, delivered)).map(({ id }) => id).reverse()
}

type Taken = DueRow & {
  readonly webhook: Webhook
  /** The number of its batch in this lease; null where the webhook takes no batches. */
  readonly batch: number | null
}

/** Reads the contents of the bodies with a few statements. */
const materials = (
  sql: Connection,
  taken: ReadonlyArray<Taken>
): ReadonlyArray<BodyMaterial & { readonly seq: number }> => {
  const rows = sql.all<EventRow>(
    "SELECT e.* FROM json_each(?) j CROSS JOIN event e ON e.position = j.value",
    [JSON.stringify(taken.flatMap(({ position }) => position ?? []))]
  )
  const events = new Map<number, LeadEvent>(rows.map((row) => [row.position, eventOf(row)]))
  const all = [...events.values()]
  const leadIds = [...new Set(all.map(({ leadId }) => leadId))]
  const leads = new Map(leadsById(sql, leadIds).map((lead) => [lead.id, lead]))
  const created = all.filter(({ event }) => event === "lead2.created")
  const newest = windows(sql, [...new Set(created.map(({ leadId }) => leadId))], "detailed")
  const fired = all.filter(({ event }) => event !== "lead2.created")
  const single = readEngagements(
    sql,
    `SELECT ${engagementColumns} FROM json_each(?) j
       CROSS JOIN engagement e ON e.brand_id = j.value ->> 0 AND e.id = j.value ->> 1 ${withAuthor}`,
    [JSON.stringify(fired.map(({ brandId, engagementId }) => [Number(brandId), engagementId]))]
  )
  const byId = new Map(single.map((read) => [`${read.engagement.leadId} ${read.engagement.id}`, read]))
  return taken.map(({ created_at, id, position, seq, webhook }) => {
    const subject = position === null ? null : events.get(position)!
    const engagements =
      subject === null
        ? []
        : subject.event === "lead2.created"
          ? (newest.get(subject.leadId)?.engagements ?? [])
          : [byId.get(`${subject.leadId} ${subject.engagementId}`) ?? []].flat()
    return {
      seq,
      deliveryId: id,
      webhookId: webhook.id,
      brandId: webhook.brandId,
      createdAt: created_at,
      format: webhook.format,
      subject,
      lead: subject === null ? null : (leads.get(subject.leadId) ?? null),
      engagements
    }
  })
}

/** The bodies of the taken deliveries, by seq; renders and stores missing ones. [EVT-5] */
const bodies = (
  sql: Connection,
  taken: ReadonlyArray<Taken>,
  make: LeaseRequest["body"]
): ReadonlyMap<number, string> => {
  const kept = sql.all<{ seq: number; body: string }>(
    "SELECT b.seq, b.body FROM json_each(?) j CROSS JOIN delivery_body b ON b.seq = j.value",
    [JSON.stringify(taken.map(({ seq }) => seq))]
  )
  const found = new Map(kept.map(({ body, seq }) => [seq, body]))
  const missing = taken.filter(({ seq }) => !found.has(seq))
  for (const { seq, ...material } of missing.length === 0 ? [] : materials(sql, missing)) {
    const body = make(material)
    if (body === null) continue
    sql.run("INSERT INTO delivery_body (seq, body) VALUES (?, ?)", [seq, body])
    found.set(seq, body)
  }
  return found
}

/** Bodies of so many characters, or so many of them, are enough for one taking: those that are due behind them are taken next. */
const maxBodies = 8 * 1024 * 1024
const maxTaken = 500
const bodiesAtOnce = 32

/** What a process remembers from one lease to the next. */
interface LeaseMemory {
  /** Characters of a body on average, of the last lease that took something; null before. */
  bodyLength: number | null
}

/** As many of what is to be taken as there is room for, one at least. */
const withBodies = (
  sql: Connection,
  due: ReadonlyArray<Taken>,
  make: LeaseRequest["body"],
  memory: LeaseMemory
): ReadonlyArray<Taken & { readonly body: string | null }> => {
  const found: Array<Taken & { readonly body: string | null }> = []
  let size = 0
  for (let from = 0, length = 1; from < due.length && from < maxTaken && size < maxBodies; from += length) {
    // By the size of those before; a few large ones are not read with many others.
    const expected = from > 0 ? size / from : (memory.bodyLength ?? maxBodies)
    length = Math.max(1, Math.min(bodiesAtOnce, Math.floor(maxBodies / Math.max(1, expected))))
    const part = due.slice(from, from + length)
    const made = bodies(sql, part, make)
    for (const each of part) {
      const body = made.get(each.seq) ?? null
      size += body?.length ?? 0
      found.push({ ...each, body })
    }
  }
  memory.bodyLength = size / found.length
  return found
}

const lease = (
  sql: Connection,
  secrets: Secrets,
  request: LeaseRequest,
  now: Instant,
  memory: LeaseMemory
): Leased => {
  const { limits, underWay } = request
  const { candidates, nextDueAt: nextOfOthers } = whatIsDue(sql, secrets, request, now)
  const isAllLooked = candidates
    .filter(({ webhook }) => webhook.ordering === "lead")
    .map(({ webhook }) =>
      deferWaiting(sql, idOf(webhook.id), now, Batches.rowsFor(webhook, limits.perWebhook))
    )
    .every((isAll) => isAll)
  const due = oldestDue(
    sql,
    candidates.map(({ webhook }) => webhook),
    now,
    limits.perWebhook
  )
  const formed = candidates.map((candidate) => {
    const { batches, readyAt } = Batches.form(due.get(candidate.webhookId)!, candidate.webhook, now)
    return { ...candidate, batches, readyAt, due: batches.length }
  })
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
  if (shared.length === 0) return { leases: [], nextDueAt: isAllLooked ? nextDueAt : now }
  const taken = Batches.withoutOverflow(withBodies(sql, shared, request.body, memory))
  const until = now + request.leaseMillis
  const tokenOf = ({ batch }: Taken): string =>
    batch === null ? request.token : DeliverySlots.batchToken(request.token, batch)
  sql.run(
    `UPDATE delivery SET lease = j.value ->> 1, due_at = ? FROM json_each(?) j WHERE delivery.seq = j.value ->> 0`,
    [until, JSON.stringify(taken.map((each) => [each.seq, tokenOf(each)]))]
  )
  const leases = taken.map((each): Lease => ({
    deliveryId: each.id,
    token: tokenOf(each),
    batch: each.batch,
    until,
    body: each.body,
    resendOf: each.resend_of,
    place:
      each.webhook.ordering === "none"
        ? null
        : { isInOrder: each.ordered_lead !== null, skipped: skippedBefore(sql, each) },
    webhook: each.webhook
  }))
  const next = Math.min(nextDueAt ?? until, until)
  return { leases, nextDueAt: taken.length < shared.length || !isAllLooked ? now : next }
}

/* Recording */

interface AttemptedRow {
  readonly seq: number
  readonly id: string
  readonly webhook_id: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly failures: number
  readonly failing_since: number | null
  readonly ordered_lead: number | null
  readonly lease: string | null
  readonly due_at: number | null
  readonly finished_at: number | null
}

const knownDelivery = (row: AttemptedRow): AttemptTransitions.CurrentDelivery => ({
  id: row.id,
  webhookId: String(row.webhook_id),
  state: row.state,
  attempts: row.attempts,
  failures: row.failures,
  failingSince: row.failing_since,
  orderedLead: row.ordered_lead,
  lease: row.lease,
  dueAt: row.due_at,
  finishedAt: row.finished_at
})

const attempted = (sql: Connection, ids: ReadonlyArray<DeliveryId>): ReadonlyArray<AttemptedRow> =>
  sql.all<AttemptedRow>(
    `SELECT d.seq, d.id, d.webhook_id, d.state, d.attempts, d.failures, d.failing_since, d.ordered_lead, d.lease, d.due_at, d.finished_at
     FROM json_each(?) j CROSS JOIN delivery d ON d.id = j.value`,
    [JSON.stringify(ids)]
  )

const webhooksOf = (
  sql: Connection,
  rows: ReadonlyArray<AttemptedRow>
): ReadonlyArray<AttemptTransitions.CurrentWebhook> =>
  sql
    .all<WebhookRow>("SELECT w.* FROM json_each(?) j CROSS JOIN webhook w ON w.id = j.value", [
      JSON.stringify([...new Set(rows.map(({ webhook_id }) => webhook_id))])
    ])
    .map((row) => ({
      id: String(row.id),
      url: row.url,
      enabled: row.enabled === 1,
      disabledReason: row.disabled_reason,
      failingSince: row.failing_since,
      ordering: row.ordering,
      maxDelay: row.max_delay
    }))

/** Records attempts with a few statements, however many they are. */
const write = (
  sql: Connection,
  changes: AttemptTransitions.Changes,
  rows: ReadonlyMap<string, AttemptedRow>,
  now: Instant
) => {
  const seqOf = (id: DeliveryId): number => rows.get(id)!.seq
  const deliveries = changes.deliveries.map((to) => [
    seqOf(to.id),
    to.state,
    to.attempts,
    to.failures,
    to.lease,
    to.dueAt,
    to.finishedAt,
    to.failingSince
  ])
  sql.run(
    `UPDATE delivery SET state = j.value ->> 1, attempts = j.value ->> 2, failures = j.value ->> 3,
         lease = j.value ->> 4, due_at = j.value ->> 5, finished_at = j.value ->> 6, failing_since = j.value ->> 7
       FROM json_each(?) j WHERE delivery.seq = j.value ->> 0`,
    [JSON.stringify(deliveries)]
  )
  const log = changes.log.map((attempt) => [
    seqOf(attempt.deliveryId),
    attempt.number,
    attempt.at,
    attempt.durationMillis,
    attempt.status,
    attempt.error,
    attempt.response,
    attempt.batchId,
    attempt.format
  ])
  sql.run(
    `INSERT INTO attempt (delivery_seq, number, at, duration_millis, status, error, response, batch_id, format)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
       FROM json_each(?)`,
    [JSON.stringify(log)]
  )
  const finished = changes.deliveries.filter(({ state }) => state !== "pending")
  sql.run("DELETE FROM delivery_body WHERE seq IN (SELECT value FROM json_each(?))", [
    JSON.stringify(finished.map(({ id }) => seqOf(id)))
  ])
  if (changes.endedInOrder.length > 0) {
    // The next one of each, if it waits.
    sql.run(
      `UPDATE delivery SET due_at = ${releasedDueAt} WHERE state = 'pending' AND seq IN (
         SELECT (SELECT n.seq FROM delivery n WHERE n.webhook_id = j.value ->> 0 AND n.ordered_lead = j.value ->> 1
                   AND n.seq > j.value ->> 2 ORDER BY n.seq LIMIT 1) FROM json_each(?) j)`,
      [
        now,
        JSON.stringify(
          changes.endedInOrder.map(({ id, orderedLead, webhookId }) => [
            idOf(webhookId),
            orderedLead,
            seqOf(id)
          ])
        )
      ]
    )
  }
  countDeliveries(
    sql,
    changes.deliveries.map(({ finishedAt, id, state }) => {
      const { state: from, webhook_id: webhookId } = rows.get(id)!
      return { webhookId, from, to: state, finishedAt }
    })
  )
  for (const { disabledReason, enabled, failingSince, id } of changes.webhooks) {
    sql.run("UPDATE webhook SET enabled = ?, disabled_reason = ?, failing_since = ? WHERE id = ?", [
      Number(enabled),
      disabledReason,
      failingSince,
      idOf(id)
    ])
  }
}

const record = (
  sql: Connection,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>,
  now: Instant
): ReadonlyArray<AttemptTransitions.Recorded> => {
  const rows = attempted(sql, [...new Set(attempts.map(({ deliveryId }) => deliveryId))])
  const webhooks = webhooksOf(sql, rows)
  const changes = AttemptTransitions.settleAll(
    { deliveries: rows.map(knownDelivery), webhooks },
    attempts,
    now
  )
  write(sql, changes, new Map(rows.map((row) => [row.id, row])), now)
  return changes.recorded
}

const make = Effect.map(Database, (database) => {
  const memory: LeaseMemory = { bodyLength: null }
  return Outbox.of({
    lease: (request) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { candidates, nextDueAt } = yield* database.read((sql) =>
          whatIsDue(sql, database.secrets, request, now)
        )
        if (candidates.length === 0) return { leases: [], nextDueAt }
        return yield* database.write((sql, at) => lease(sql, database.secrets, request, at, memory))
      }),
    record: (attempts) => database.write((sql, now) => record(sql, attempts, now)),
    queued: Queue.take(database.queued)
  })
})

export const layer = Layer.effect(Outbox, make)
