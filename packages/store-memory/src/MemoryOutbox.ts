/** The `Outbox` port, in memory. */
import {
  Batches,
  type BodyMaterial,
  LeadOrder,
  type Lease,
  type Leased,
  type LeaseRequest,
  DeliverySlots,
  Outbox,
  AttemptTransitions,
  type Webhook
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Queue } from "effect"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import { engagementReadOf, windowOf } from "./EngagementReads.ts"
import { type Memory, MemoryState } from "./MemoryState.ts"

const dueDelivery = (row: DeliveryRecord) => ({
  row,
  dueAt: row.dueAt!,
  failures: row.failures,
  isTest: row.event === null
})

/**
 * The oldest due deliveries of the webhook that wait for no earlier one of their lead. Those that wait are marked, so that the next lease does
 * not look at them again. [ORD-2]
 */
const dueOf = (
  { deliveries }: Memory,
  webhookId: string,
  now: number,
  limit: number
): ReadonlyArray<DeliveryRecord> => {
  const found: Array<DeliveryRecord> = []
  const waiting: Array<DeliveryRecord> = []
  for (const delivery of deliveries.pendingOf(webhookId).from(0)) {
    if (found.length === limit || delivery.dueAt! > now) break
    const first = deliveries.firstInOrder(delivery)
    if (first === undefined || first.seq === delivery.seq) found.push(delivery)
    else waiting.push(delivery)
  }
  for (const delivery of waiting) deliveries.put({ ...delivery, dueAt: LeadOrder.waitingDueAt })
  return found
}

/** When the next delivery after `now` becomes due of a webhook with a free slot; null when none does. */
const nextDueAt = (
  { deliveries, webhooks }: Memory,
  { limits, underWay }: LeaseRequest,
  now: number
): number | null => {
  let next: number | null = null
  for (const { enabled, failingSince, id } of webhooks.values()) {
    if (!enabled || !DeliverySlots.hasFreeSlot({ webhookId: id, failingSince }, limits, underWay)) continue
    const dueAt = deliveries.pendingOf(id).firstWhere((delivery) => delivery.dueAt! > now)?.dueAt
    if (dueAt != null && dueAt !== LeadOrder.waitingDueAt) next = Math.min(next ?? dueAt, dueAt)
  }
  return next
}

const materialOf = (
  memory: Memory,
  { createdAt, event, id }: DeliveryRecord,
  webhook: Webhook
): BodyMaterial => {
  const { brandId, format } = webhook
  const base = { deliveryId: id, webhookId: webhook.id, brandId, createdAt, format }
  if (event === null) return { ...base, subject: null, lead: null, engagements: [] }
  const subject = event
  const leads = memory.leadsOf(webhook.brandId)
  const record = leads.byId.get(subject.leadId)
  const fired = leads.engagements.get(subject.engagementId)
  if (record === undefined) return { ...base, subject, lead: null, engagements: [] }
  const engagements =
    subject.event === "lead2.created"
      ? windowOf(memory, leads, record).engagements
      : fired === undefined
        ? []
        : [engagementReadOf(memory, leads)(fired)]
  return { ...base, subject, lead: record.lead, engagements }
}

const lease = (memory: Memory, request: LeaseRequest, now: number): Leased => {
  const { deliveries, webhooks } = memory
  const { body, leaseMillis, limits, token, underWay } = request
  let next = nextDueAt(memory, request, now)
  const candidates = [...webhooks.values()].flatMap((webhook) => {
    const { failingSince, id } = webhook
    const limit = Batches.rowsFor(webhook, DeliverySlots.maxSlotsOf(id, limits, underWay))
    const rows = webhook.enabled ? dueOf(memory, id, now, limit).map(dueDelivery) : []
    const { batches, readyAt } = Batches.form(rows, webhook, now)
    if (readyAt !== null && DeliverySlots.hasFreeSlot({ webhookId: id, failingSince }, limits, underWay)) {
      next = Math.min(next ?? readyAt, readyAt)
    }
    return batches.length === 0
      ? []
      : [{ webhook, webhookId: id, failingSince, dueAt: rows[0]!.dueAt, batches, due: batches.length }]
  })
  const shares = DeliverySlots.allocate(candidates, limits, underWay)
  const until = now + leaseMillis
  let isMore = false
  const taken = candidates
    .flatMap(({ batches, webhook, webhookId }) =>
      batches.slice(0, shares.get(webhookId) ?? 0).map((batch) => ({ batch, webhook }))
    )
    // Renders all bodies before leasing any delivery: a defect leases none.
    .map(({ batch, webhook }) => {
      const made = batch.map(({ row }) => ({ row, made: row.body ?? body(materialOf(memory, row, webhook)) }))
      const fitting = Batches.fitting(made.map((each) => each.made))
      isMore ||= fitting < made.length
      return { webhook, made: made.slice(0, fitting) }
    })
  const leases = taken.flatMap(({ made: batch, webhook }, i) => {
    const number = Batches.isBatched(webhook) ? i : null
    const own = DeliverySlots.leaseToken(token, number)
    return batch.map(({ made, row }): Lease => {
      deliveries.put({ ...row, body: made, lease: own, dueAt: until })
      const place =
        webhook.ordering === "none"
          ? null
          : { isInOrder: row.orderedLead !== null, skipped: deliveries.skippedBefore(row) }
      const { resendOf } = row
      return { deliveryId: row.id, token: own, batch: number, until, body: made, resendOf, place, webhook }
    })
  })
  if (isMore) return { leases, nextDueAt: now }
  return { leases, nextDueAt: leases.length === 0 ? next : Math.min(next ?? until, until) }
}

const record = (
  { deliveries, webhooks }: Memory,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>,
  now: number
): ReadonlyArray<AttemptTransitions.Recorded> => {
  const known = [...new Set(attempts.map(({ deliveryId }) => deliveryId))].flatMap(
    (id) => deliveries.byId.get(id) ?? []
  )
  const concerned = [...new Set(known.map(({ webhookId }) => webhookId))].map((id) => webhooks.get(id)!)
  const changes = AttemptTransitions.settleAll({ deliveries: known, webhooks: concerned }, attempts, now)
  for (const {
    attempts: made,
    dueAt,
    failingSince,
    failures,
    finishedAt,
    id,
    lease,
    state
  } of changes.deliveries) {
    const before = deliveries.byId.get(id)!
    deliveries.put({
      ...before,
      state,
      failingSince,
      attempts: made,
      failures,
      lease,
      dueAt,
      finishedAt,
      body: state === "pending" ? before.body : null
    })
  }
  for (const { id } of changes.endedInOrder) {
    const next = deliveries.firstInOrder(deliveries.byId.get(id)!)
    if (next !== undefined)
      deliveries.put({ ...next, dueAt: LeadOrder.releasedDueAt({ ...next, dueAt: next.dueAt! }, now) })
  }
  for (const { deliveryId, ...attempt } of changes.log) {
    const before = deliveries.byId.get(deliveryId)!
    deliveries.put({ ...before, log: [...before.log, attempt] })
  }
  for (const { disabledReason, enabled, failingSince, id } of changes.webhooks) {
    webhooks.set(id, { ...webhooks.get(id)!, enabled, disabledReason, failingSince })
  }
  return changes.recorded
}

const make = Effect.map(MemoryState, ({ memory, queued }) =>
  Outbox.of({
    lease: (request) => Effect.map(Clock.currentTimeMillis, (now) => lease(memory, request, now)),
    record: (attempts) => Effect.map(Clock.currentTimeMillis, (now) => record(memory, attempts, now)),
    queued: Queue.take(queued)
  })
)

/** The port of the outbox. Needs the `Memory`. */
export const layer = Layer.effect(Outbox, make)
