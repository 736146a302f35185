/** The state that the memory stores share: records, sequences of ids, and the signal of queued deliveries. */
import type { ApiKey, Brand, Campaign, PostTotals, RateLimit, Signal, Webhook } from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { BrandLeads } from "./BrandLeads.ts"
import { DeliveryBook, type DeliveryRecord } from "./DeliveryBook.ts"
import { EventLog } from "./EventLog.ts"

export class Memory {
  readonly brands = new Map<string, Brand>()
  readonly keys = new Map<string, ApiKey>()
  readonly keyIdsByHash = new Map<string, string>()
  readonly rateWindows = new Map<string, RateLimit.RateWindow>()
  readonly signals = new Map<string, Signal>()
  /** Deleted signals remain in `signals` for the engagements that show them. */
  readonly deletedSignals = new Set<string>()
  readonly campaigns = new Map<string, Campaign>()
  /** Totals by campaign, post and day. */
  readonly readings = new Map<string, Map<string, Map<string, PostTotals>>>()
  readonly events = new EventLog()
  readonly webhooks = new Map<string, Webhook>()
  readonly deliveries = new DeliveryBook()
  private readonly leads = new Map<string, BrandLeads>()
  private readonly sequences = new Map<string, number>()

  leadsOf(brandId: string): BrandLeads {
    const existing = this.leads.get(brandId) ?? new BrandLeads()
    this.leads.set(brandId, existing)
    return existing
  }

  /** Removes the brand's leads with their engagements and events. */
  removeLeadsOf(brandId: string): void {
    this.leads.delete(brandId)
    this.events.removeBrand(brandId)
  }

  /** Increments a sequence and returns it; the first number is 1. */
  next(sequence: string): number {
    const number = (this.sequences.get(sequence) ?? 0) + 1
    this.sequences.set(sequence, number)
    return number
  }

  /** Adds a pending delivery that is due now. */
  queueDelivery(
    delivery: Pick<DeliveryRecord, "id" | "webhookId" | "event" | "resendOf">,
    now: number
  ): DeliveryRecord {
    const record: DeliveryRecord = {
      ...delivery,
      seq: this.next("delivery"),
      state: "pending",
      attempts: 0,
      failures: 0,
      lease: null,
      dueAt: now,
      finishedAt: null,
      createdAt: now,
      resentAs: null,
      body: null,
      log: []
    }
    this.deliveries.put(record)
    return record
  }
}

/** One program at a time uses a memory. `queued` holds an item when deliveries became due. */
export class MemoryState extends Context.Tag("@lead-signals/store-memory/MemoryState")<
  MemoryState,
  { readonly memory: Memory; readonly queued: Queue.Queue<void> }
>() {
  static readonly layer = (memory: Memory): Layer.Layer<MemoryState> =>
    Layer.effect(
      MemoryState,
      Effect.map(Queue.sliding<void>(1), (queued) => ({ memory, queued }))
    )
}
