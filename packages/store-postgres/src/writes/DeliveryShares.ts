/**
 * Which webhooks a lease takes deliveries of, and how many posts of each: those with something due and a place for it. Emitters of several
 * nodes count each other's leases against the limit of a webhook. [DELIV-7]
 */
import {
  Batches,
  DeliverySlots,
  type Instant,
  LeadOrder,
  type LeaseRequest,
  type Webhook
} from "@lead-signals/domain"
import { idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { webhookColumns, webhookOf } from "../rows/DirectoryRows.ts"

/** Posts of a webhook that a lease has places for. */
export interface WebhookShare {
  readonly webhook: Webhook
  readonly places: number
}

/** The webhooks with a place for something due, and when the next delivery becomes due that there is a place for. */
export interface DeliveryShares {
  readonly shares: ReadonlyArray<WebhookShare>
  readonly nextDueAt: Instant | null
}

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
export const leasesOfOthers = `SELECT count(DISTINCT CASE WHEN strpos(d.lease, '.') > 0 THEN d.lease ELSE d.id END)::int
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
export const ownTokens = ({ emitter }: LeaseRequest): string => (emitter === undefined ? "" : `${emitter}-`)

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

/** Reads them without a lock: what is leased in the end is counted again behind the locks of the webhooks. */
export const sharesOf = async (
  sql: Connection,
  request: LeaseRequest,
  now: Instant
): Promise<DeliveryShares> => {
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
      if (at !== null && DeliverySlots.hasFreeSlot(candidate, limits, underWay))
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
