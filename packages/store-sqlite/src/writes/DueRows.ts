/** The due deliveries of webhooks on SQLite: which of them can be sent now, and when the next become due. */
import {
  Batches,
  type DeliveryId,
  DeliverySlots,
  type DeliveryState,
  type Instant,
  LeadOrder,
  type LeaseRequest,
  type Webhook
} from "@lead-signals/domain"
import { type DueDeliveryRow, idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import type { Secrets } from "../rows/Secrets.ts"

/** A due delivery, with what its batch depends on. */
export type DueRow = DueDeliveryRow & Batches.DueDelivery

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
export const deferWaiting = (sql: Connection, webhookId: number, now: Instant, limit: number): boolean => {
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

const oldestDueSql = `SELECT d.seq, d.id, d.webhook_id, d.position, d.due_at AS dueAt, d.failures, d.created_at, d.resend_of,
    d.ordered_lead, iif(d.ordered_lead IS NULL, NULL, ${stateBefore}) AS before FROM json_each(?) j
  CROSS JOIN delivery d ON d.seq IN (
    SELECT seq FROM delivery WHERE webhook_id = j.value AND state = 'pending' AND due_at <= ?
    ORDER BY due_at, seq LIMIT ?)`

/** The oldest due of each webhook, as many as `rowsOf` says. */
export const oldestDue = (
  sql: Connection,
  webhooks: ReadonlyArray<Webhook>,
  now: Instant,
  rowsOf: (webhook: Webhook) => number
): ReadonlyMap<string, ReadonlyArray<DueRow>> => {
  const due = new Map<string, Array<DueRow>>(webhooks.map(({ id }) => [id, []]))
  // A limit refers to no column: webhooks with the same one are read together.
  const limits = new Map<number, Array<number>>()
  for (const webhook of webhooks) {
    const limit = rowsOf(webhook)
    limits.set(limit, [...(limits.get(limit) ?? []), Number(webhook.id)])
  }
  for (const [limit, ids] of limits) {
    const rows = sql.all<Omit<DueRow, "isTest">>(oldestDueSql, [JSON.stringify(ids), now, limit])
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
  const due = oldestDue(sql, [webhook], now, (each) => Batches.rowsFor(each, 1)).get(webhook.id)!
  const { batches, readyAt } = Batches.form(due, webhook, now)
  return batches.length > 0 ? null : readyAt
}

/** A webhook with what is due of it. */
export interface Candidate extends DeliverySlots.Candidate {
  readonly webhook: Webhook
}

/** Enabled webhooks with something to be sent now, and when there is more that there is a place for. */
export const whatIsDue = (
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
    if (!Number.isFinite(nextAt) || !DeliverySlots.hasFreeSlot(candidate, limits, underWay)) continue
    nextDueAt = Math.min(nextDueAt ?? nextAt, nextAt)
  }
  return { candidates: DeliverySlots.eligible(candidates, limits, underWay), nextDueAt }
}

/** The dead letters before the delivery, since the last delivered one of its lead. [ORD-5] */
export const skippedBefore = (
  sql: Connection,
  { before, ordered_lead, seq, webhook_id }: DueDeliveryRow
): Array<DeliveryId> => {
  if (before !== "dead") return []
  const rows = sql.all<{ readonly id: DeliveryId; readonly state: DeliveryState }>(
    "SELECT id, state FROM delivery WHERE webhook_id = ? AND ordered_lead = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
    [webhook_id, ordered_lead, seq, LeadOrder.maxSkippedIds]
  )
  const delivered = rows.findIndex(({ state }) => state !== "dead")
  return (delivered < 0 ? rows : rows.slice(0, delivered)).map(({ id }) => id).reverse()
}
