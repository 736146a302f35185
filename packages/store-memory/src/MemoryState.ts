/** The state that the memory stores share: records, sequences of ids, and the signal of queued deliveries. */
import {
  type AccessToken,
  type ApiKey,
  type AuditEntry,
  type Brand,
  type Campaign,
  type IdempotencyRecord,
  type LeadId,
  type PostTotals,
  type RateLimit,
  removedLeadMillis,
  type Signal,
  type Webhook
} from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { BrandLeads } from "./BrandLeads.ts"
import { DeliveryBook, type DeliveryRecord } from "./DeliveryBook.ts"
import { EventLog } from "./EventLog.ts"

/**
 * The data of the stores in memory. A memory may outlive the programs that use it, and several may use it at once: it
 * then serves as a disk.
 */
export class Memory {
  /** Brands by id. */
  readonly brands = new Map<string, Brand>()
  /** API keys by id, revoked ones included. */
  readonly keys = new Map<string, ApiKey>()
  /** The id of the key with each hash. */
  readonly keyIdsByHash = new Map<string, string>()
  /** Operators' tokens by id, revoked ones included. */
  readonly accessTokens = new Map<string, AccessToken>()
  /** The id of the operator's token with each hash. */
  readonly accessTokenIdsByHash = new Map<string, string>()
  /** The audit log, by the ids of its entries. */
  readonly auditEntries = new Map<string, AuditEntry>()
  /** What is kept of Idempotency-Keys, by the ids of the records. */
  readonly idempotencyRecords = new Map<string, IdempotencyRecord>()
  /** The open rate window of each key, by the key's id. */
  readonly rateWindows = new Map<string, RateLimit.RateWindow>()
  /** Signals by id. */
  readonly signals = new Map<string, Signal>()
  /** The ids of deleted signals, which stay in `signals` for the engagements that show them. */
  readonly deletedSignals = new Set<string>()
  /** Campaigns by id. */
  readonly campaigns = new Map<string, Campaign>()
  /** Totals by campaign, post and day. */
  readonly readings = new Map<string, Map<string, Map<string, PostTotals>>>()
  /** The events of all brands, in the order of their commits. */
  readonly events = new EventLog()
  /** Webhooks by id. */
  readonly webhooks = new Map<string, Webhook>()
  /** Deliveries with their attempts, and the order in which they are due. */
  readonly deliveries = new DeliveryBook()
  /** Who prunes, and until when others leave it to them; null while nobody has. */
  pruningLease: { readonly holder: string; readonly until: number } | null = null
  /** The greatest position of an event that was pruned. */
  newestPrunedEvent = 0
  private readonly leads = new Map<string, BrandLeads>()
  private readonly sequences = new Map<string, number>()

  /** The leads of a brand; empty for one without any. */
  leadsOf(brandId: string): BrandLeads {
    const existing = this.leads.get(brandId) ?? new BrandLeads()
    this.leads.set(brandId, existing)
    return existing
  }

  /** The leads of each brand that has some. */
  allLeads(): Iterable<readonly [brandId: string, leads: BrandLeads]> {
    return this.leads
  }

  /** Removes the brand's leads with their engagements and events. */
  removeLeadsOf(brandId: string): void {
    this.leads.delete(brandId)
    this.events.removeBrand(brandId)
  }

  /** Moves the lead to the end of its brand's feed of changes. */
  noteChanged(brandId: string, id: LeadId): void {
    this.leadsOf(brandId).noteChange({ id, position: this.events.takePosition(), removedAt: null })
  }

  /** Says in the feed of changes that the lead is gone. */
  noteRemoved(brandId: string, id: LeadId, now: number): void {
    const leads = this.leadsOf(brandId)
    leads.noteChange({ id, position: this.events.takePosition(), removedAt: now })
    leads.forgetRemoved(now - removedLeadMillis)
  }

  /** Increments a sequence and returns it; the first number is 1. */
  next(sequence: string): number {
    const number = (this.sequences.get(sequence) ?? 0) + 1
    this.sequences.set(sequence, number)
    return number
  }

  /** Adds a pending delivery that is due now. */
  queueDelivery(
    delivery: Pick<DeliveryRecord, "id" | "webhookId" | "event" | "resendOf" | "orderedLead">,
    now: number
  ): DeliveryRecord {
    const record: DeliveryRecord = {
      ...delivery,
      seq: this.next("delivery"),
      state: "pending",
      attempts: 0,
      failures: 0,
      failingSince: null,
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

/** Each program that uses a memory has its own `queued`, which holds an item when that program made deliveries due. */
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
