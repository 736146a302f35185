/** Removes what was kept long enough: every piece walks all rows. */
import {
  type DueCounts,
  type LeadEvent,
  type LeadId,
  Pruning,
  type RetentionKind,
  type RetentionLimits
} from "@lead-signals/domain"
import { Effect } from "effect"
import type { DeliveryRow, Tables } from "./Tables.ts"

interface Due {
  readonly at: number
  readonly remove: () => void
}

/** A limit that nothing is due by. */
const never = Number.NEGATIVE_INFINITY

/** The events that stay when what is due by the limits has gone. */
class Left {
  private readonly delivered: ReadonlySet<string>
  /** Leads whose engagements the body of a delivery can list. */
  private readonly listed: ReadonlySet<LeadId>
  private readonly limits: RetentionLimits

  constructor(deliveries: ReadonlyArray<DeliveryRow>, limits: RetentionLimits) {
    this.limits = limits
    const left = deliveries.filter((row) => !this.isDue(row)).flatMap(({ event }) => event ?? [])
    this.delivered = new Set(left.map((event) => this.key(event)))
    this.listed = new Set(left.filter(({ event }) => event === "lead2.created").map(({ leadId }) => leadId))
  }

  isDue({ finishedAt, state }: DeliveryRow): boolean {
    const { deadLetters, deliveries } = this.limits
    return state !== "pending" && finishedAt! < ((state === "dead" ? deadLetters : deliveries) ?? never)
  }

  isDelivered(event: LeadEvent): boolean {
    return this.delivered.has(this.key(event))
  }

  /** Whether it is an activity.detected that stays. */
  isActivity(event: LeadEvent): boolean {
    const stays = event.occurredAt >= (this.limits.events ?? never) || this.isDelivered(event)
    return event.event === "activity.detected" && stays
  }

  /** Whether the body of a delivery that stays can list the lead's engagements. */
  isListed(leadId: LeadId): boolean {
    return this.listed.has(leadId)
  }

  private key({ brandId, engagementId, event }: LeadEvent): string {
    return `${brandId} ${event} ${engagementId}`
  }
}

const nothing: RetentionLimits = {
  deliveries: null,
  deadLetters: null,
  events: null,
  engagements: null,
  leads: null,
  suppressions: null
}

export const pruning = (tables: Tables): typeof Pruning.Service => {
  const brandIds = (): Array<string> => tables.brands.all().map(({ id }) => id)

  const removeEvent = (brandId: string, position: number): void => {
    tables.events(brandId).remove(String(position))
    tables.pruned.put("newest event", Math.max(position, tables.pruned.get("newest event") ?? 0))
  }

  /** Dead letters before a delivered one lose their place with it: nothing else would end their naming. */
  const removeDelivery = ({ id, orderedLead, seq, state, webhookId }: DeliveryRow): void => {
    tables.deliveries.remove(id)
    if (state !== "delivered" || orderedLead === null) return
    for (const row of tables.deliveriesOf(webhookId))
      if (row.state === "dead" && row.orderedLead === orderedLead && row.seq < seq)
        tables.deliveries.put(row.id, { ...row, orderedLead: null })
  }

  const dueOfBrand = (
    kind: RetentionKind,
    before: number,
    left: Left,
    { brandId, now }: { readonly brandId: string; readonly now: number }
  ): Array<Due> => {
    const events = tables.events(brandId).all()
    if (kind === "events")
      return events
        .filter(({ event, occurredAt }) => event !== "lead2.created" && occurredAt < before)
        .filter((event) => !left.isDelivered(event))
        .map(({ occurredAt, position }) => ({ at: occurredAt, remove: () => removeEvent(brandId, position) }))
    const engagements = tables.engagements(brandId)
    if (kind === "engagements") {
      const announced = new Set(
        events.filter((event) => left.isActivity(event)).map((event) => event.engagementId)
      )
      return engagements
        .all()
        .filter(
          ({ id, leadId, trackedAt }) => trackedAt < before && !announced.has(id) && !left.isListed(leadId)
        )
        .map(({ id, trackedAt }) => ({ at: trackedAt, remove: () => engagements.remove(id) }))
    }
    if (kind === "suppressions")
      return tables
        .suppressed(brandId)
        .all()
        .filter(({ at }) => at < before)
        .map(({ at, hash }) => ({ at, remove: () => tables.suppressed(brandId).remove(hash) }))
    const busy = new Set(
      events.filter((event) => left.isActivity(event) || left.isDelivered(event)).map(({ leadId }) => leadId)
    )
    const removeLead = (id: number): void => {
      for (const event of events) if (event.leadId === id) removeEvent(brandId, event.position)
      for (const each of engagements.all()) if (each.leadId === id) engagements.remove(each.id)
      tables.leads(brandId).remove(String(id))
      tables.noteChange(brandId, id, now)
    }
    return tables
      .leads(brandId)
      .all()
      .filter(({ id, updatedAt }) => updatedAt < before && !busy.has(id))
      .map(({ id, updatedAt }) => ({ at: updatedAt, remove: () => removeLead(id) }))
  }

  const dueOf = (kind: RetentionKind, before: number, limits: RetentionLimits, now = 0): Array<Due> => {
    const deliveries = tables.deliveries.all()
    if (kind === "deliveries" || kind === "deadLetters") {
      const state = kind === "deliveries" ? "delivered" : "dead"
      return deliveries
        .filter((row) => row.state === state && row.finishedAt! < before)
        .map((row) => ({ at: row.finishedAt!, remove: () => removeDelivery(row) }))
    }
    const left = new Left(deliveries, limits)
    return brandIds().flatMap((brandId) => dueOfBrand(kind, before, left, { brandId, now }))
  }

  return Pruning.of({
    // One process at a time has the file: it always has the lease, but for a test that plays several.
    prune: ({ before, kind, limit, lease }) =>
      tables.write((now) => {
        const due = dueOf(kind, before, nothing, now)
        const held = tables.leases.get("pruning")
        if (due.length > 0 && lease !== null) {
          const { holder, leaseMillis } = lease
          const isOthers =
            held !== undefined &&
            held.holder !== holder &&
            held.until > now &&
            held.until <= now + leaseMillis
          if (isOthers) return { removed: 0, oldest: null, next: null, isLeasedElsewhere: true }
          tables.leases.put("pruning", { holder, until: now + leaseMillis })
        }
        const piece = due.slice(0, limit)
        for (const { remove } of piece) remove()
        return {
          removed: piece.length,
          oldest: piece.length === 0 ? null : Math.min(...piece.map(({ at }) => at)),
          next: piece.length < due.length ? [] : null,
          isLeasedElsewhere: false
        }
      }),

    countDue: (limits) =>
      Effect.sync((): DueCounts => {
        const count = (kind: RetentionKind): number => {
          const before = limits[kind]
          return before === null ? 0 : dueOf(kind, before, limits).length
        }
        return {
          deliveries: count("deliveries"),
          deadLetters: count("deadLetters"),
          events: count("events"),
          engagements: count("engagements"),
          leads: count("leads"),
          suppressions: count("suppressions")
        }
      }),

    newestPrunedEvent: Effect.sync(() => tables.pruned.get("newest event") ?? 0)
  })
}
