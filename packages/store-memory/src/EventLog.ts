/**
 * Stores events in the order in which they fired, in columns: as objects, at more than one an engagement,
 * they would take as much memory as the engagements.
 */
import type { EventType, LeadId, LeadEvent } from "@lead-signals/domain"

/** Maps texts to small numbers and back. */
class Interner<Name extends string> {
  private readonly names: Array<Name> = []
  private readonly numbers = new Map<Name, number>()

  numberOf(name: Name): number {
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    this.numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }

  nameOf(number: number): Name {
    return this.names[number]!
  }
}

/** Stands for the lead of a removed event. */
const removedLead = 0

const enlarged = <Column extends Float64Array | Uint32Array>(column: Column, length: number): Column => {
  const next = new (column.constructor as new (length: number) => Column)(length)
  next.set(column)
  return next
}

export class EventLog {
  private length = 0
  private leads = new Float64Array(64)
  private times = new Float64Array(64)
  private brands = new Uint32Array(64)
  /** Twice the number of the event's type, plus one on a first activity. */
  private kinds = new Uint32Array(64)
  private readonly engagements: Array<string> = []
  private readonly brandIds = new Interner<string>()
  private readonly types = new Interner<EventType>()

  append(event: LeadEvent): LeadEvent {
    const at = this.length++
    if (at === this.leads.length) {
      const length = Math.ceil(at * 1.25)
      this.leads = enlarged(this.leads, length)
      this.times = enlarged(this.times, length)
      this.brands = enlarged(this.brands, length)
      this.kinds = enlarged(this.kinds, length)
    }
    this.leads[at] = event.leadId
    this.times[at] = event.occurredAt
    this.brands[at] = this.brandIds.numberOf(event.brandId)
    this.kinds[at] = 2 * this.types.numberOf(event.event) + Number(event.isFirstActivity)
    this.engagements[at] = event.engagementId
    return event
  }

  /** Undoes the newest `append`. */
  removeNewest(): void {
    this.length--
    this.engagements.length = this.length
  }

  /** Removes the events of the lead. */
  removeLead(leadId: LeadId): void {
    for (let at = 0; at < this.length; at++) {
      if (this.leads[at] !== leadId) continue
      this.leads[at] = removedLead
      this.engagements[at] = ""
    }
  }

  /** Removes the events of the brand. */
  removeBrand(brandId: string): void {
    const brand = this.brandIds.numberOf(brandId)
    for (let at = 0; at < this.length; at++) {
      if (this.brands[at] !== brand) continue
      this.leads[at] = removedLead
      this.engagements[at] = ""
    }
  }

  /** The position of the newest event, of whatever brand; 0 when there is none. The first has the position 1. */
  get newestPosition(): number {
    return this.length
  }

  /** The brand's events after the position, in order, at most `limit`. */
  after(
    brandId: string,
    position: number,
    limit: number
  ): ReadonlyArray<{ readonly position: number; readonly event: LeadEvent }> {
    const found: Array<{ readonly position: number; readonly event: LeadEvent }> = []
    for (let at = Math.max(0, position); at < this.length && found.length < limit; at++) {
      const event = this.at(at)
      if (event?.brandId === brandId) found.push({ position: at + 1, event })
    }
    return found
  }

  /** The lead's newest event that matches; null when there is none. */
  newestOf(leadId: LeadId, matches: (event: LeadEvent) => boolean): LeadEvent | null {
    for (let at = this.length - 1; at >= 0; at--) {
      if (this.leads[at] !== leadId) continue
      const event = this.at(at)!
      if (matches(event)) return event
    }
    return null
  }

  private at(at: number): LeadEvent | null {
    const leadId = this.leads[at]!
    if (leadId === removedLead) return null
    const kind = this.kinds[at]!
    return {
      event: this.types.nameOf(kind >> 1),
      brandId: this.brandIds.nameOf(this.brands[at]!),
      leadId,
      engagementId: this.engagements[at]!,
      isFirstActivity: kind % 2 === 1,
      occurredAt: this.times[at]!
    }
  }
}
