/** Indexes deliveries by id and by webhook, and pending ones by due time. */
import type {
  Attempt,
  Delivery,
  DeliveryId,
  LastAttempt,
  LeadEvent,
  AttemptTransitions,
  WebhookId
} from "@lead-signals/domain"
import { LeadOrder, testEvent } from "@lead-signals/domain"
import { SortedList } from "./SortedList.ts"

/** Immutable; a change replaces the record. */
export interface DeliveryRecord extends AttemptTransitions.CurrentDelivery {
  /** Ascending in the order of queueing. */
  readonly seq: number
  /** Null on a test delivery. */
  readonly event: LeadEvent | null
  readonly createdAt: number
  readonly resendOf: string | null
  readonly resentAs: string | null
  /** Null before the first lease and after the last attempt. */
  readonly body: string | null
  readonly log: ReadonlyArray<Attempt>
}

const byDue = (a: DeliveryRecord, b: DeliveryRecord): number => a.dueAt! - b.dueAt! || a.seq - b.seq

/** The deliveries of one lead to one ordered webhook. */
interface Lane {
  readonly pending: SortedList<DeliveryRecord>
  /** The dead letters since the last delivered, oldest first. */
  skipped: ReadonlyArray<DeliveryRecord>
}

const bySeq = (a: DeliveryRecord, b: DeliveryRecord): number => a.seq - b.seq

/** All deliveries. */
export class DeliveryBook {
  private readonly lanes = new Map<string, Lane>()
  readonly byId = new Map<string, DeliveryRecord>()
  private readonly byWebhook = new Map<WebhookId, Map<number, DeliveryRecord>>()
  private readonly pending = new Map<WebhookId, SortedList<DeliveryRecord>>()

  /** Adds a delivery, or replaces the one with the same `seq`. */
  put(delivery: DeliveryRecord): void {
    const all = this.byWebhook.get(delivery.webhookId) ?? new Map<number, DeliveryRecord>()
    this.byWebhook.set(delivery.webhookId, all)
    const earlier = all.get(delivery.seq)
    if (earlier !== undefined) this.unindex(earlier)
    all.set(delivery.seq, delivery)
    this.byId.set(delivery.id, delivery)
    if (delivery.state === "pending") this.pendingOf(delivery.webhookId).insert(delivery)
    const lane = this.laneOf(delivery)
    if (lane === null) return
    if (delivery.state === "pending") lane.pending.insert(delivery)
    else if (earlier?.state === "pending")
      lane.skipped = delivery.state === "dead" ? [...lane.skipped, delivery] : []
  }

  /** The first pending delivery of the same webhook and ordered lead; undefined where it keeps no place, or none is pending. */
  firstInOrder(delivery: DeliveryRecord): DeliveryRecord | undefined {
    return this.laneOf(delivery)?.pending.firstWhere(() => true)
  }

  /** The dead letters before the first pending delivery of its webhook and ordered lead, since the last delivered. */
  skippedBefore(delivery: DeliveryRecord): ReadonlyArray<DeliveryId> {
    return (this.laneOf(delivery)?.skipped ?? []).slice(-LeadOrder.maxSkippedIds).map(({ id }) => id)
  }

  remove(delivery: DeliveryRecord): void {
    const known = this.byWebhook.get(delivery.webhookId)?.get(delivery.seq)
    if (known === undefined) return
    this.unindex(known)
    this.byWebhook.get(known.webhookId)!.delete(known.seq)
    const lane = this.laneOf(known)
    if (lane !== null) lane.skipped = lane.skipped.filter(({ seq }) => seq !== known.seq)
  }

  /** In the order of queueing. */
  of(webhookId: WebhookId): ReadonlyArray<DeliveryRecord> {
    return [...(this.byWebhook.get(webhookId)?.values() ?? [])].sort((a, b) => a.seq - b.seq)
  }

  all(): ReadonlyArray<DeliveryRecord> {
    return [...this.byId.values()].sort((a, b) => a.seq - b.seq)
  }

  /** Earliest due first. */
  pendingOf(webhookId: WebhookId): SortedList<DeliveryRecord> {
    const list = this.pending.get(webhookId) ?? new SortedList(byDue)
    this.pending.set(webhookId, list)
    return list
  }

  removeWebhook(webhookId: WebhookId): void {
    for (const delivery of this.of(webhookId)) this.remove(delivery)
    this.byWebhook.delete(webhookId)
    this.pending.delete(webhookId)
    for (const key of this.lanes.keys()) if (key.startsWith(`${webhookId} `)) this.lanes.delete(key)
  }

  private laneOf({ orderedLead, webhookId }: DeliveryRecord): Lane | null {
    if (orderedLead === null) return null
    const key = `${webhookId} ${orderedLead}`
    const lane = this.lanes.get(key) ?? { pending: new SortedList(bySeq), skipped: [] }
    this.lanes.set(key, lane)
    return lane
  }

  private unindex(delivery: DeliveryRecord): void {
    this.byId.delete(delivery.id)
    if (delivery.state !== "pending") return
    this.pendingOf(delivery.webhookId).remove(delivery)
    this.laneOf(delivery)?.pending.remove(delivery)
  }
}

/** The delivery without its body and its log. */
export const deliveryOf = (record: DeliveryRecord): Delivery => ({
  id: record.id,
  webhookId: record.webhookId,
  event: record.event?.event ?? testEvent,
  leadId: record.event?.leadId ?? null,
  engagementId: record.event?.engagementId ?? null,
  state: record.state,
  attempts: record.attempts,
  createdAt: record.createdAt,
  dueAt: LeadOrder.dueAtOf(record.dueAt),
  finishedAt: record.finishedAt,
  resendOf: record.resendOf,
  resentAs: record.resentAs
})

/** The newest attempt of the log; null before the first. */
export const lastAttemptOf = ({ log }: DeliveryRecord): LastAttempt | null => {
  const last = log.at(-1)
  if (last === undefined) return null
  const { at, durationMillis, error, status } = last
  return { at, durationMillis, status, error }
}
