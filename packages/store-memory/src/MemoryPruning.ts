/** The `Pruning` port, in memory. A piece is atomic because it runs synchronously. */
import {
  type DueCounts,
  type Engagement,
  type Instant,
  type LeadEvent,
  type LeadId,
  type Pruned,
  type PruneRequest,
  Pruning,
  type PruneLease,
  type RetentionKind,
  type RetentionLimits
} from "@lead-signals/domain"
import { Clock, Effect, Layer } from "effect"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import { type Memory, MemoryState } from "./MemoryState.ts"

/** Something that is due: when it was over, and how it is removed. */
interface Due {
  readonly at: Instant
  readonly remove: () => void
}

const engagementKey = (brandId: string, engagementId: string): string => `${brandId} ${engagementId}`

const keyOf = ({ brandId, engagementId, event, leadId, occurredAt }: LeadEvent): string =>
  `${brandId} ${event} ${leadId} ${engagementId} ${occurredAt}`

/** What refers to events, engagements and leads. */
class References {
  private readonly delivered: ReadonlySet<string>
  private readonly activities: ReadonlySet<string>
  private readonly active: ReadonlySet<LeadId>
  /** Leads whose engagements the body of a delivery can list. */
  private readonly listed: ReadonlySet<LeadId>

  /** `isLeft` says whether a delivery counts, `isKept` whether an event counts of which no delivery does. */
  constructor(
    memory: Memory,
    isLeft: (delivery: DeliveryRecord) => boolean,
    isKept: (event: LeadEvent) => boolean
  ) {
    const delivered = memory.deliveries
      .all()
      .flatMap((delivery) => (isLeft(delivery) ? (delivery.event ?? []) : []))
    this.delivered = new Set(delivered.map(keyOf))
    const activities = [...memory.events.after(0)]
      .map(({ event }) => event)
      .filter((event) => event.event === "activity.detected" && (isKept(event) || this.isDelivered(event)))
    this.activities = new Set(
      activities.map(({ brandId, engagementId }) => engagementKey(brandId, engagementId))
    )
    this.active = new Set([...activities, ...delivered].map(({ leadId }) => leadId))
    this.listed = new Set(
      delivered.filter(({ event }) => event === "lead2.created").map(({ leadId }) => leadId)
    )
  }

  /** Whether a delivery of the event is left. */
  isDelivered(event: LeadEvent): boolean {
    return this.delivered.has(keyOf(event))
  }

  /** Whether the engagement's activity.detected is left, or a delivery that can list it: one of its lead's lead2.created. */
  isReferredTo(brandId: string, { id, leadId }: Engagement): boolean {
    return this.activities.has(engagementKey(brandId, id)) || this.listed.has(leadId)
  }

  /** Whether an activity.detected of the lead, or a delivery about it, is left. */
  isActive(leadId: LeadId): boolean {
    return this.active.has(leadId)
  }
}

const isDueDelivery =
  (state: DeliveryRecord["state"], before: Instant | null) =>
  (record: DeliveryRecord): boolean =>
    before !== null && record.state === state && record.finishedAt! < before

type DueOf = (memory: Memory, before: Instant, references: () => References, now: Instant) => Generator<Due>

const dueDeliveries = (state: DeliveryRecord["state"]): DueOf =>
  function* (memory, before) {
    const due = memory.deliveries.all().filter(isDueDelivery(state, before))
    for (const record of due.sort((a, b) => a.finishedAt! - b.finishedAt!))
      yield { at: record.finishedAt!, remove: () => memory.deliveries.remove(record) }
  }

const noteNewest = (memory: Memory, position: number): void => {
  memory.newestPrunedEvent = Math.max(memory.newestPrunedEvent, position)
}

/** What is due of each kind. */
const dueOf: Readonly<Record<RetentionKind, DueOf>> = {
  deliveries: dueDeliveries("delivered"),
  deadLetters: dueDeliveries("dead"),
  *events(memory, before, references) {
    const left = references()
    for (const { event, position } of memory.events.after(0)) {
      if (event.event === "lead2.created" || event.occurredAt >= before || left.isDelivered(event)) continue
      const remove = (): void => {
        memory.events.removeAt(position)
        noteNewest(memory, position)
      }
      yield { at: event.occurredAt, remove }
    }
  },
  *engagements(memory, before, references) {
    const left = references()
    for (const [brandId, leads] of memory.allLeads()) {
      for (const engagement of leads.engagements.values()) {
        if (engagement.trackedAt >= before || left.isReferredTo(brandId, engagement)) continue
        yield { at: engagement.trackedAt, remove: () => leads.removeEngagement(engagement) }
      }
    }
  },
  *leads(memory, before, references, now) {
    const left = references()
    const brands = [...memory.allLeads()].sort(([a], [b]) => Number(a) - Number(b))
    for (const [brandId, leads] of brands) {
      const due = [...leads.byId.values()].filter(
        ({ lead }) => lead.updatedAt < before && !left.isActive(lead.id)
      )
      due.sort((a, b) => a.lead.updatedAt - b.lead.updatedAt || a.lead.id - b.lead.id)
      for (const { lead } of due) {
        const remove = (): void => {
          leads.remove(lead.id)
          noteNewest(memory, memory.events.removeLead(lead.id))
          memory.noteRemoved(brandId, lead.id, now)
        }
        yield { at: lead.updatedAt, remove }
      }
    }
  },
  *suppressions(memory, before) {
    for (const [, { suppressed }] of memory.allLeads())
      for (const [hash, at] of suppressed)
        if (at < before) yield { at, remove: () => suppressed.delete(hash) }
  }
}

const every = (): boolean => true

const leasedElsewhere: Pruned = { removed: 0, oldest: null, next: null, isLeasedElsewhere: true }

const make = Effect.map(MemoryState, ({ memory }) => {
  /** Takes the lease, or keeps it. A lease from a time that is far ahead, after the clock was set back, is void. */
  const takeLease = ({ holder, leaseMillis }: PruneLease, now: Instant): boolean => {
    const { pruningLease: lease } = memory
    const isOthers =
      lease !== null && lease.holder !== holder && lease.until > now && lease.until <= now + leaseMillis
    if (!isOthers) memory.pruningLease = { holder, until: now + leaseMillis }
    return !isOthers
  }

  const prune = ({ before, kind, limit, lease }: PruneRequest, now: Instant): Pruned => {
    const piece: Array<Due> = []
    let isMore = false
    for (const due of dueOf[kind](memory, before, () => new References(memory, every, every), now)) {
      isMore = piece.length === limit
      if (isMore) break
      piece.push(due)
    }
    if (piece.length > 0 && lease !== null && !takeLease(lease, now)) return leasedElsewhere
    for (const { remove } of piece) remove()
    return {
      removed: piece.length,
      oldest: piece.length === 0 ? null : Math.min(...piece.map(({ at }) => at)),
      next: isMore ? [] : null,
      isLeasedElsewhere: false
    }
  }

  const countDue = (limits: RetentionLimits, now: Instant): DueCounts => {
    const isLeft = (record: DeliveryRecord): boolean =>
      !isDueDelivery("delivered", limits.deliveries)(record) &&
      !isDueDelivery("dead", limits.deadLetters)(record)
    const left = new References(
      memory,
      isLeft,
      ({ occurredAt }) => limits.events === null || occurredAt >= limits.events
    )
    const count = (kind: RetentionKind): number => {
      const before = limits[kind]
      return before === null ? 0 : [...dueOf[kind](memory, before, () => left, now)].length
    }
    return {
      deliveries: count("deliveries"),
      deadLetters: count("deadLetters"),
      events: count("events"),
      engagements: count("engagements"),
      leads: count("leads"),
      suppressions: count("suppressions")
    }
  }

  return Pruning.of({
    prune: (request) => Effect.map(Clock.currentTimeMillis, (now) => prune(request, now)),
    countDue: (limits) => Effect.map(Clock.currentTimeMillis, (now) => countDue(limits, now)),
    newestPrunedEvent: Effect.sync(() => memory.newestPrunedEvent)
  })
})

/** The port of pruning. */
export const layer = Layer.effect(Pruning, make)
