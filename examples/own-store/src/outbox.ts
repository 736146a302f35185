/** The way of events to webhooks: what is due is leased, and how the attempt ended is recorded. */
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
import { engagementReadOf, windowOf } from "./engagements.ts"
import type { DeliveryRow, Tables } from "./Tables.ts"

const byDue = (a: DeliveryRow, b: DeliveryRow): number => a.dueAt! - b.dueAt! || a.seq - b.seq

/** When a pending delivery is due that no longer waits. */
export const releasedDueAt = (row: DeliveryRow, now: number): number =>
  LeadOrder.releasedDueAt({ ...row, dueAt: row.dueAt! }, now)

const pendingOf = (tables: Tables, webhookId: string): Array<DeliveryRow> =>
  tables
    .deliveriesOf(webhookId)
    .filter(({ state }) => state === "pending")
    .sort(byDue)

/** The deliveries before one of an ordered lead: the first of them that is pending is attempted, the others wait. */
const before = (tables: Tables, row: DeliveryRow): Array<DeliveryRow> =>
  tables
    .deliveriesOf(row.webhookId)
    .filter(
      ({ orderedLead, seq }) => row.orderedLead !== null && orderedLead === row.orderedLead && seq < row.seq
    )

const canGo = (tables: Tables, row: DeliveryRow): boolean =>
  before(tables, row).every(({ state }) => state !== "pending")

const placeOf = (tables: Tables, row: DeliveryRow): LeadOrder.DeliveryPlace => {
  const earlier = before(tables, row)
  const dead = earlier.slice(earlier.findLastIndex(({ state }) => state === "delivered") + 1)
  return {
    isInOrder: row.orderedLead !== null,
    skipped: dead.slice(-LeadOrder.maxSkippedIds).map(({ id }) => id)
  }
}

const materialOf = (
  tables: Tables,
  { createdAt, event, id }: DeliveryRow,
  webhook: Webhook
): BodyMaterial => {
  const { brandId, format } = webhook
  const material = { deliveryId: id, webhookId: webhook.id, brandId, createdAt, format, subject: event }
  const lead = event === null ? undefined : tables.leads(brandId).get(String(event.leadId))
  const fired = event === null ? undefined : tables.engagements(brandId).get(event.engagementId)
  if (event === null || lead === undefined) return { ...material, lead: null, engagements: [] }
  const single = fired === undefined ? [] : [engagementReadOf(tables, brandId)(fired)]
  const engagements =
    event.event === "lead2.created" ? windowOf(tables, brandId, lead.id).engagements : single
  return { ...material, lead, engagements }
}

/** What is due of a webhook, in the batches that it takes: each delivery alone unless it takes batches. */
const formed = (tables: Tables, webhook: Webhook, now: number) => {
  const due = pendingOf(tables, webhook.id)
    .filter((row) => row.dueAt! <= now && canGo(tables, row))
    .map((row) => ({ row, dueAt: row.dueAt!, failures: row.failures, isTest: row.event === null }))
  return Batches.form(due, webhook, now)
}

/** The first time after now at which a webhook with a free slot has something to send. */
const nextDueAt = (tables: Tables, { limits, underWay }: LeaseRequest, now: number): number | null => {
  const times = tables.webhooks
    .all()
    .filter(({ enabled }) => enabled)
    .filter(({ failingSince, id }) =>
      DeliverySlots.hasFreeSlot({ webhookId: id, failingSince }, limits, underWay)
    )
    .flatMap((webhook) => [
      ...pendingOf(tables, webhook.id)
        .filter((row) => canGo(tables, row))
        .map(({ dueAt }) => dueAt!),
      formed(tables, webhook, now).readyAt ?? now
    ])
    .filter((dueAt) => dueAt > now)
  return times.length === 0 ? null : Math.min(...times)
}

const lease = (tables: Tables, request: LeaseRequest, now: number): Leased => {
  const { body, leaseMillis, limits, token, underWay } = request
  const candidates = tables.webhooks
    .all()
    .filter(({ enabled }) => enabled)
    .map((webhook) => ({ webhook, due: formed(tables, webhook, now).batches }))
    .filter(({ due }) => due.length > 0)
  const shares = DeliverySlots.allocate(
    candidates.map(({ due, webhook: { failingSince, id } }) => ({
      webhookId: id,
      failingSince,
      dueAt: due[0]![0]!.dueAt,
      due: due.length
    })),
    limits,
    underWay
  )
  const until = now + leaseMillis
  let batches = 0
  let isCut = false
  const leases = candidates.flatMap(({ due, webhook }) =>
    due.slice(0, shares.get(webhook.id) ?? 0).flatMap((members) => {
      const batch = Batches.isBatched(webhook) ? batches++ : null
      const own = DeliverySlots.leaseToken(token, batch)
      const made = members.map(({ row }) => ({
        ...row,
        body: row.body ?? body(materialOf(tables, row, webhook))
      }))
      // What does not fit in one post stays due.
      const fitting = made.slice(0, Batches.fitting(made.map((row) => row.body)))
      isCut ||= fitting.length < made.length
      return fitting.map((row): Lease => {
        tables.deliveries.put(row.id, { ...row, lease: own, dueAt: until })
        const { body: sent, id: deliveryId, resendOf } = row
        const place = webhook.ordering === "none" ? null : placeOf(tables, row)
        return { deliveryId, token: own, batch, until, body: sent, resendOf, place, webhook }
      })
    })
  )
  return { leases, nextDueAt: isCut ? now : nextDueAt(tables, request, now) }
}

const record = (
  tables: Tables,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>,
  now: number
): ReadonlyArray<AttemptTransitions.Recorded> => {
  const deliveries = [...new Set(attempts.map(({ deliveryId }) => deliveryId))].flatMap(
    (id) => tables.deliveries.get(id) ?? []
  )
  const webhookIds = new Set(deliveries.map(({ webhookId }) => webhookId))
  const webhooks = [...webhookIds].map((id) => tables.webhooks.get(id)!)
  // The rule says what becomes of each; the store writes it.
  const changes = AttemptTransitions.settleAll({ deliveries, webhooks }, attempts, now)
  for (const { attempts: made, id, ...changed } of changes.deliveries) {
    const row = tables.deliveries.get(id)!
    const body = changed.state === "pending" ? row.body : null
    tables.deliveries.put(id, { ...row, ...changed, attempts: made, body })
  }
  // What waited for one that has ended is due, also where the clock was set back since it was queued.
  for (const { id } of changes.endedInOrder) {
    const { orderedLead, webhookId } = tables.deliveries.get(id)!
    const next = tables
      .deliveriesOf(webhookId)
      .find((row) => row.orderedLead === orderedLead && row.state === "pending")
    if (next !== undefined) tables.deliveries.put(next.id, { ...next, dueAt: releasedDueAt(next, now) })
  }
  for (const { deliveryId, ...attempt } of changes.log) {
    const row = tables.deliveries.get(deliveryId)!
    tables.deliveries.put(deliveryId, { ...row, log: [...row.log, attempt] })
  }
  for (const { disabledReason, enabled, failingSince, id } of changes.webhooks)
    tables.webhooks.put(id, { ...tables.webhooks.get(id)!, disabledReason, enabled, failingSince })
  return changes.recorded
}

export const outbox = (tables: Tables): typeof Outbox.Service =>
  Outbox.of({
    lease: (request) => tables.write((now) => lease(tables, request, now)),
    record: (attempts) => tables.write((now) => record(tables, attempts, now)),
    queued: tables.rung
  })
