/** The emitter's side of the outbox, in memory. */
import {
  type BodyMaterial,
  type Lease,
  type Leased,
  type LeaseRequest,
  Leasing,
  Outbox,
  Settlements,
  type Webhook
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Queue } from "effect"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import { engagementReadOf, windowOf } from "./LeadReading.ts"
import { MemoryState } from "./MemoryState.ts"

const make = Effect.map(MemoryState, (state) => {
  const { deliveries, webhooks } = state

  const dueOf = (webhookId: string, now: number, limit: number): ReadonlyArray<DeliveryRecord> => {
    const found: Array<DeliveryRecord> = []
    for (const delivery of deliveries.pendingOf(webhookId).from(0)) {
      if (found.length === limit || delivery.dueAt! > now) break
      found.push(delivery)
    }
    return found
  }

  const nextDueAt = (now: number): number | null => {
    let next: number | null = null
    for (const { enabled, id } of webhooks.values()) {
      if (!enabled) continue
      const dueAt = deliveries.pendingOf(id).firstWhere((delivery) => delivery.dueAt! > now)?.dueAt
      if (dueAt != null) next = Math.min(next ?? dueAt, dueAt)
    }
    return next
  }

  const materialOf = ({ createdAt, event, id }: DeliveryRecord, webhook: Webhook): BodyMaterial => {
    const base = { deliveryId: id, webhookId: webhook.id, brandId: webhook.brandId, createdAt }
    if (event === null) return { ...base, subject: null, lead: null, engagements: [] }
    const { position: _, ...subject } = event
    const leads = state.leadsOf(webhook.brandId)
    const record = leads.byId.get(subject.leadId)!
    const engagements =
      subject.event === "lead2.created"
        ? windowOf(state, leads, record).engagements
        : [engagementReadOf(state, leads)(leads.engagements.get(subject.engagementId)!)]
    return { ...base, subject, lead: record.lead, engagements }
  }

  const lease = ({ body, leaseMillis, limits, token, underWay }: LeaseRequest, now: number): Leased => {
    const candidates = [...webhooks.values()].flatMap((webhook) => {
      const { failingSince, id } = webhook
      const places = webhook.enabled ? Leasing.places({ webhookId: id, failingSince }, limits, underWay) : 0
      const due = places === 0 ? [] : dueOf(id, now, places)
      return due.length === 0
        ? []
        : [{ webhook, webhookId: id, failingSince, dueAt: due[0]!.dueAt!, rows: due, due: due.length }]
    })
    const shares = Leasing.share(candidates, limits, underWay)
    const until = now + leaseMillis
    const leases = candidates.flatMap(({ rows, webhook, webhookId }) =>
      rows.slice(0, shares.get(webhookId) ?? 0).map((row): Lease => {
        const made = row.body ?? body(materialOf(row, webhook))
        deliveries.put({ ...row, body: made, lease: token, dueAt: until })
        return { deliveryId: row.id, token, until, body: made, webhook }
      })
    )
    return { leases, nextDueAt: nextDueAt(now) }
  }

  const record = (
    attempts: ReadonlyArray<Settlements.FinishedAttempt>,
    now: number
  ): ReadonlyArray<Settlements.Recorded> => {
    const known = [...new Set(attempts.map(({ deliveryId }) => deliveryId))].flatMap(
      (id) => deliveries.byId.get(id) ?? []
    )
    const concerned = [...new Set(known.map(({ webhookId }) => webhookId))].map((id) => webhooks.get(id)!)
    const changes = Settlements.settleAll({ deliveries: known, webhooks: concerned }, attempts, now)
    for (const { attempts: made, dueAt, failures, finishedAt, id, lease, state } of changes.deliveries) {
      const before = deliveries.byId.get(id)!
      deliveries.put({
        ...before,
        state,
        attempts: made,
        failures,
        lease,
        dueAt,
        finishedAt,
        body: state === "pending" ? before.body : null
      })
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

  return Outbox.of({
    after: (position, limit) =>
      Effect.sync(() => state.events.filter((event) => event.position > position).slice(0, limit)),
    lease: (request) => Effect.map(Clock.currentTimeMillis, (now) => lease(request, now)),
    record: (attempts) => Effect.map(Clock.currentTimeMillis, (now) => record(attempts, now)),
    queued: Queue.take(state.queued)
  })
})

export const layer = Layer.effect(Outbox, make)
