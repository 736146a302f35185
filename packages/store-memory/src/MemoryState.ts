/** What the memory stores share: all that is kept, and the counters that ids come from. */
import type {
  ApiKey,
  Brand,
  Campaign,
  PositionedEvent,
  PostTotals,
  Signal,
  Webhook
} from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { BrandLeads } from "./BrandLeads.ts"
import { DeliveryBook, type DeliveryRecord } from "./DeliveryBook.ts"

export class MemoryState extends Context.Tag("@lead-signals/store-memory/MemoryState")<
  MemoryState,
  {
    readonly brands: Map<string, Brand>
    readonly keys: Map<string, ApiKey>
    readonly keyIdsByHash: Map<string, string>
    readonly signals: Map<string, Signal>
    readonly campaigns: Map<string, Campaign>
    /** Campaign, post, day. */
    readonly readings: Map<string, Map<string, Map<string, PostTotals>>>
    readonly events: Array<PositionedEvent>
    readonly webhooks: Map<string, Webhook>
    readonly deliveries: DeliveryBook
    /** Holds something when deliveries were made due. */
    readonly queued: Queue.Queue<void>
    /** Puts a delivery into the outbox, due now. */
    readonly queue: (
      delivery: Pick<DeliveryRecord, "id" | "webhookId" | "event" | "resendOf">,
      now: number
    ) => DeliveryRecord
    readonly leadsOf: (brandId: string) => BrandLeads
    /** The next number of a sequence, from 1. */
    readonly next: (sequence: string) => number
  }
>() {
  static readonly layer = Layer.effect(
    MemoryState,
    Effect.map(Queue.sliding<void>(1), (queued) => {
      const leads = new Map<string, BrandLeads>()
      const sequences = new Map<string, number>()
      const deliveries = new DeliveryBook()
      const next = (sequence: string): number => {
        const number = (sequences.get(sequence) ?? 0) + 1
        sequences.set(sequence, number)
        return number
      }
      return MemoryState.of({
        brands: new Map(),
        keys: new Map(),
        keyIdsByHash: new Map(),
        signals: new Map(),
        campaigns: new Map(),
        readings: new Map(),
        events: [],
        webhooks: new Map(),
        deliveries,
        queued,
        queue: (delivery, now) => {
          const record: DeliveryRecord = {
            ...delivery,
            seq: next("delivery"),
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
          deliveries.put(record)
          return record
        },
        leadsOf: (brandId) => {
          const existing = leads.get(brandId) ?? new BrandLeads()
          leads.set(brandId, existing)
          return existing
        },
        next
      })
    })
  )
}
