/** What the ports share: the tables, the signal that wakes waiting emitters, and how a port's method reads and writes. */
import {
  type AccessToken,
  type ApiKey,
  type Attempt,
  type AuditEntry,
  type Brand,
  type Campaign,
  currentReservation,
  type Delivery,
  type DeliveryId,
  type Engagement,
  Idempotency,
  type IdempotencyRecord,
  type Lead,
  type LeadEvent,
  type PostTotals,
  type RateLimit,
  removedLeadMillis,
  type Reservation,
  reservationLost,
  type AttemptTransitions,
  type Signal,
  StoreUnavailable,
  testEvent,
  type Webhook
} from "@lead-signals/domain"
import { Clock, Effect, FiberRef, type Queue } from "effect"
import { type Journal, type Table, WriteFailed } from "./Journal.ts"

export interface ReadingRow {
  readonly campaignId: string
  readonly postId: string
  readonly day: string
  readonly totals: PostTotals
}

export interface DeliveryRow extends AttemptTransitions.CurrentDelivery {
  /** Ascending in the order of queueing. */
  readonly seq: number
  /** Null on a test. */
  readonly event: LeadEvent | null
  readonly createdAt: number
  readonly resendOf: DeliveryId | null
  readonly resentAs: DeliveryId | null
  /** Null until the first lease, and once the delivery is no longer pending. */
  readonly body: string | null
  readonly log: ReadonlyArray<Attempt>
}

interface ChangeRow {
  readonly id: number
  readonly position: number
  readonly removedAt: number | null
}

export class Tables {
  readonly brands: Table<Brand>
  readonly keys: Table<ApiKey>
  /** By the hash. */
  readonly keyHashes: Table<{ readonly hash: string; readonly keyId: string }>
  /** With the hash of each. */
  readonly accessTokens: Table<AccessToken & { readonly hash: string }>
  readonly auditEntries: Table<AuditEntry>
  readonly idempotencyRecords: Table<IdempotencyRecord>
  readonly signals: Table<Signal>
  /** Ids of deleted signals, which stay among the signals for the engagements that show them. */
  readonly deletedSignals: Table<true>
  readonly campaigns: Table<Campaign>
  readonly readings: Table<ReadingRow>
  readonly webhooks: Table<Webhook>
  readonly deliveries: Table<DeliveryRow>
  readonly rateWindows: Table<RateLimit.RateWindow>
  /** The greatest position of an event that was pruned, under "newest event". */
  readonly pruned: Table<number>
  /** The position up to which removals are forgotten, by the brand. */
  readonly forgottenChanges: Table<number>
  /** Who prunes, under "pruning". */
  readonly leases: Table<{ readonly holder: string; readonly until: number }>
  private readonly sequences: Table<number>
  private readonly journal: Journal
  private readonly bell: Queue.Queue<void>

  constructor(journal: Journal, bell: Queue.Queue<void>) {
    this.journal = journal
    this.bell = bell
    this.brands = journal.table("brands")
    this.keys = journal.table("keys")
    this.keyHashes = journal.table("keyHashes")
    this.accessTokens = journal.table("accessTokens")
    this.auditEntries = journal.table("auditEntries")
    this.idempotencyRecords = journal.table("idempotencyRecords")
    this.signals = journal.table("signals")
    this.deletedSignals = journal.table("deletedSignals")
    this.campaigns = journal.table("campaigns")
    this.readings = journal.table("readings")
    this.webhooks = journal.table("webhooks")
    this.deliveries = journal.table("deliveries")
    this.rateWindows = journal.table("rateWindows")
    this.pruned = journal.table("pruned")
    this.forgottenChanges = journal.table("forgottenChanges")
    this.leases = journal.table("leases")
    this.sequences = journal.table("sequences")
  }

  leads(brandId: string): Table<Lead> {
    return this.journal.table(`leads of ${brandId}`)
  }

  /** By the engagement's id. */
  engagements(brandId: string): Table<Engagement> {
    return this.journal.table(`engagements of ${brandId}`)
  }

  /** In the order in which they fired, by their number. */
  events(brandId: string): Table<LeadEvent & { readonly position: number }> {
    return this.journal.table(`events of ${brandId}`)
  }

  /** The newest change of each lead, by the lead; `removedAt` is null of one that is there. */
  changes(brandId: string): Table<ChangeRow> {
    return this.journal.table(`changes of ${brandId}`)
  }

  /** Moves the lead to the end of the feed of changes. */
  noteChange(brandId: string, id: number, removedAt: number | null): void {
    this.changes(brandId).put(String(id), { id, position: this.next("change"), removedAt })
    if (removedAt === null) return
    for (const old of this.changes(brandId).all()) {
      if (old.removedAt === null || old.removedAt >= removedAt - removedLeadMillis) continue
      this.changes(brandId).remove(String(old.id))
      this.forgottenChanges.put(brandId, Math.max(this.forgottenChanges.get(brandId) ?? 0, old.position))
    }
  }

  /** The newest number of a sequence; 0 before the first. */
  newest(sequence: string): number {
    return this.sequences.get(sequence) ?? 0
  }

  /** Hashes of erased persons, with the instant of each erasure. */
  suppressed(brandId: string): Table<{ readonly hash: string; readonly at: number }> {
    return this.journal.table(`suppressed of ${brandId}`)
  }

  /** Removes the brand's leads with everything of them. */
  removeLeads(brandId: string): void {
    for (const row of this.deliveries.all())
      if (row.event?.brandId === brandId) this.deliveries.remove(row.id)
    for (const { id } of this.leads(brandId).all()) this.leads(brandId).remove(String(id))
    for (const { id } of this.engagements(brandId).all()) this.engagements(brandId).remove(id)
    for (const { position } of this.events(brandId).all()) this.events(brandId).remove(String(position))
    for (const { id } of this.changes(brandId).all()) this.changes(brandId).remove(String(id))
  }

  /** The next number of a sequence, from 1; never one that was given before. */
  next(sequence: string): number {
    return this.sequences.put(sequence, (this.sequences.get(sequence) ?? 0) + 1)
  }

  /** Puts a delivery into the outbox, due now. */
  queue(
    delivery: Pick<DeliveryRow, "id" | "webhookId" | "event" | "resendOf" | "orderedLead">,
    now: number
  ): DeliveryRow {
    return this.deliveries.put(delivery.id, {
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
    })
  }

  /** In the order of queueing. */
  deliveriesOf(webhookId: string): Array<DeliveryRow> {
    return this.deliveries
      .all()
      .filter((row) => row.webhookId === webhookId)
      .sort((a, b) => a.seq - b.seq)
  }

  /** A port's method that changes something: one transaction, with the time of its commit. */
  write<A>(work: (now: number) => A, isErasure = false): Effect.Effect<A, StoreUnavailable> {
    return Effect.flatMap(
      Effect.all([Clock.currentTimeMillis, FiberRef.get(currentReservation)]),
      ([now, on]) =>
        Effect.suspend(() => {
          try {
            const transaction = (): A => {
              if (on !== null) this.markApplied(on)
              return work(now)
            }
            return Effect.succeed(this.journal.transact(transaction, isErasure))
          } catch (failure) {
            if (failure instanceof StoreUnavailable) return Effect.fail(failure)
            return failure instanceof WriteFailed
              ? new StoreUnavailable({ reason: failure.message, cause: failure.cause })
              : Effect.die(failure)
          }
        })
    )
  }

  /** Marks the record of the Idempotency-Key in the transaction of its change; throws when another call holds it. */
  private markApplied(reservation: Reservation): void {
    const kept = this.idempotencyRecords.get(reservation.id)
    if (kept === undefined || !Idempotency.isHeld(kept, reservation)) throw reservationLost()
    this.idempotencyRecords.put(kept.id, { ...kept, state: "applied" })
  }

  /** The same for what can make deliveries due: it wakes who waits for them. */
  writeAndRing<A>(work: (now: number) => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.tap(this.write(work), () => this.bell.offer(undefined))
  }

  /** Ends when deliveries were made due since the last time. */
  get rung(): Effect.Effect<void> {
    return this.bell.take
  }
}

export const deliveryOf = ({ event, ...row }: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhookId,
  event: event?.event ?? testEvent,
  leadId: event?.leadId ?? null,
  engagementId: event?.engagementId ?? null,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.createdAt,
  dueAt: row.dueAt,
  finishedAt: row.finishedAt,
  resendOf: row.resendOf,
  resentAs: row.resentAs
})
