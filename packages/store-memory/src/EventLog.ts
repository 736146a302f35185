/**
 * Stores events in the order in which they fired, in columns: as objects, at more than one an engagement,
 * they would take as much memory as the engagements.
 */
import type { EventType, LeadEvent, LeadId } from "@lead-signals/domain"

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

/** Fewer removed events than this keep their rows. */
const minRemoved = 1024

const enlarged = <Column extends Float64Array | Uint32Array>(column: Column, length: number): Column => {
  const next = new (column.constructor as new (length: number) => Column)(length)
  next.set(column)
  return next
}

/** An event with its position, which no other event gets. */
export interface PlacedEvent {
  readonly position: number
  readonly event: LeadEvent
}

/** The events of all brands in the order of their commits. */
export class EventLog {
  private length = 0
  private removed = 0
  private lastPosition = 0
  private positions = new Float64Array(64)
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
      this.positions = enlarged(this.positions, length)
      this.leads = enlarged(this.leads, length)
      this.times = enlarged(this.times, length)
      this.brands = enlarged(this.brands, length)
      this.kinds = enlarged(this.kinds, length)
    }
    this.positions[at] = ++this.lastPosition
    this.leads[at] = event.leadId
    this.times[at] = event.occurredAt
    this.brands[at] = this.brandIds.numberOf(event.brandId)
    this.kinds[at] = 2 * this.types.numberOf(event.event) + Number(event.isFirstActivity)
    this.engagements[at] = event.engagementId
    return event
  }

  /** Takes a position that no event gets: for a change of which no event tells. */
  takePosition(): number {
    return ++this.lastPosition
  }

  /** Undoes the newest `append`. */
  removeNewest(): void {
    this.length--
    this.engagements.length = this.length
  }

  /** Removes the events of the lead. Returns the greatest position among them; 0 when it has none. */
  removeLead(leadId: LeadId): number {
    return this.removeWhere((at) => this.leads[at] === leadId)
  }

  /** Removes the events of the brand. */
  removeBrand(brandId: string): void {
    const brand = this.brandIds.numberOf(brandId)
    this.removeWhere((at) => this.brands[at] === brand)
  }

  /** Removes the event at the position, if it is there. */
  removeAt(position: number): void {
    const at = this.firstAfter(position - 1)
    if (at < this.length && this.positions[at] === position) this.remove(at)
    this.compactIfWorth()
  }

  /** Yields the events after the position, in order. The log must not change meanwhile. */
  *after(position: number): Generator<PlacedEvent> {
    for (let at = this.firstAfter(position); at < this.length; at++) {
      const event = this.at(at)
      if (event !== null) yield { position: this.positions[at]!, event }
    }
  }

  /** The position of the newest event, of whatever brand; 0 when there was none. The first has the position 1. */
  get newestPosition(): number {
    return this.lastPosition
  }

  /** The brand's events after the position that match, in order, at most `limit`. */
  ofBrandAfter(
    brandId: string,
    position: number,
    limit: number,
    matches: (event: LeadEvent) => boolean
  ): ReadonlyArray<PlacedEvent> {
    const found: Array<PlacedEvent> = []
    for (const placed of this.after(position)) {
      if (found.length === limit) break
      if (placed.event.brandId === brandId && matches(placed.event)) found.push(placed)
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

  /** The first row whose position is greater, by binary search. */
  private firstAfter(position: number): number {
    let [low, high] = [0, this.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.positions[middle]! > position) high = middle
      else low = middle + 1
    }
    return low
  }

  private remove(at: number): void {
    if (this.leads[at] === removedLead) return
    this.leads[at] = removedLead
    this.engagements[at] = ""
    this.removed++
  }

  /** Returns the greatest position of what it removes; 0 when that is nothing. */
  private removeWhere(test: (at: number) => boolean): number {
    let max = 0
    for (let at = 0; at < this.length; at++) {
      if (this.leads[at] === removedLead || !test(at)) continue
      this.remove(at)
      max = this.positions[at]!
    }
    this.compactIfWorth()
    return max
  }

  private compactIfWorth(): void {
    if (this.removed >= minRemoved && this.removed * 2 > this.length) this.compact()
  }

  /** Drops the rows of removed events. */
  private compact(): void {
    let to = 0
    for (let at = 0; at < this.length; at++) {
      if (this.leads[at] === removedLead) continue
      for (const column of [this.positions, this.leads, this.times, this.brands, this.kinds])
        column[to] = column[at]!
      this.engagements[to++] = this.engagements[at]!
    }
    this.length = to
    this.engagements.length = to
    this.removed = 0
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
