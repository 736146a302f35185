/**
 * The order of an ordered webhook's deliveries, lead by lead: what waits for an earlier one is set aside, and what follows dead letters names
 * them. [ORD-2, ORD-5]
 */
import { type DeliveryId, type Instant, LeadOrder } from "@lead-signals/domain"
import type { DueDeliveryRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"

/** The state of the one before `d` of its webhook and ordered lead. Those that ended come first: it says whether `d` waits. [ORD-2] */
export const stateBefore = `(SELECT p.state FROM lead_signals.delivery p
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

/** The last due delivery of a webhook that a lease may take: those behind it can wait in the order of their lead, and were not tested yet. */
export interface DueBound {
  /** Whether nothing is due behind it. */
  readonly isAll: boolean
  /** Whether rows were set aside. */
  readonly hasDeferred: boolean
  readonly due: Instant
  readonly seq: number
}

/** The bound behind which nothing can be due. */
export const noBound = { due: LeadOrder.waitingDueAt, seq: Number.MAX_SAFE_INTEGER }

interface OrderedRow {
  readonly brand_id: number
  readonly seq: number
  readonly due_at: Instant
  readonly waits: boolean
}

/**
 * Sets aside what is due of a locked, ordered webhook and must wait for an earlier one of its lead, until there are `limit` others or no
 * more. Passes over what an erasure has locked. Answers how far it came. [ORD-2]
 */
export const deferWaiting = async (
  sql: Connection,
  webhookId: number,
  now: Instant,
  limit: number
): Promise<DueBound> => {
  let [afterDue, afterSeq, found] = [-1, 0, 0]
  let hasDeferred = false
  for (let deferred = 0; deferred < maxDeferred;) {
    const rows = await sql.all<OrderedRow>(
      `SELECT d.brand_id, d.seq, d.due_at, coalesce(${stateBefore} = 'pending', false) AS waits FROM lead_signals.delivery d
         WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.due_at <= $2 AND (d.due_at, d.seq) > ($3, $4)
         ORDER BY d.due_at, d.seq LIMIT $5`,
      [webhookId, now, afterDue, afterSeq, orderedAtOnce]
    )
    const waiting = rows.filter(({ waits }) => waits)
    if (waiting.length > 0) {
      const params = [waiting[0]!.brand_id, waiting.map(({ seq }) => seq), LeadOrder.waitingDueAt]
      if ((await sql.run(deferSql, params)) > 0) hasDeferred = true
    }
    deferred += waiting.length
    found += rows.length - waiting.length
    if (rows.length < orderedAtOnce || found >= limit) return { isAll: true, hasDeferred, ...noBound }
    afterDue = rows.at(-1)!.due_at
    afterSeq = rows.at(-1)!.seq
  }
  return { isAll: false, hasDeferred, due: afterDue, seq: afterSeq }
}

/** The dead letters before each delivery, since the last delivered one of its lead. [ORD-5] */
const skippedSql = `SELECT given.seq, s.id, s.state FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS given(webhook_id, ordered_lead, seq)
  CROSS JOIN LATERAL (
    SELECT p.seq, p.id, p.state FROM lead_signals.delivery p
    WHERE p.webhook_id = given.webhook_id AND p.ordered_lead = given.ordered_lead AND p.seq < given.seq
    ORDER BY p.seq DESC LIMIT $4) s
  ORDER BY given.seq, s.seq DESC`

/** The dead letters before each delivery that follows any, by its `seq`. */
export const skippedBefore = async (
  sql: Connection,
  taken: ReadonlyArray<DueDeliveryRow>
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
