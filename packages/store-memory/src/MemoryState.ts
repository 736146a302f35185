/** What the memory stores share: all that is kept, the counters that ids come from, and the bell of who serves it. */
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
  /** Ids of deleted signals, which stay among the signals for the engagements that show them. */
  readonly deletedSignals = new Set<string>()
  readonly campaigns = new Map<string, Campaign>()
  /** Campaign, post, day. */
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

  /** Removes the leads of the brand, and all that is kept with them. */
  forgetLeadsOf(brandId: string): void {
    this.leads.delete(brandId)
    this.events.forgetBrand(brandId)
  }

  /** The next number of a sequence, from 1. */
  next(sequence: string): number {
    const number = (this.sequences.get(sequence) ?? 0) + 1
    this.sequences.set(sequence, number)
    return number
  }

  /** Puts a delivery into the outbox, due now. */
  queue(
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

/** Served by one program at a time; the bell holds something when deliveries were made due. */
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
