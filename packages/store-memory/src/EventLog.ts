/**
 * Events in the order in which they fired, in columns: a lead fires one for each of its engagements and one more, and as
 * objects they would weigh as much as what they tell of.
 */
import type { EventType, LeadId, PositionedEvent } from "@lead-signals/domain"

/** A number for each text that comes up, and the text for each number. */
class Names<Name extends string> {
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

/** What stands for the lead of an event that was taken out. */
const nobody = 0

const grown = <Column extends Float64Array | Uint32Array>(column: Column, length: number): Column => {
  const next = new (column.constructor as new (length: number) => Column)(length)
  next.set(column)
  return next
}

export class EventLog {
  private length = 0
  private leads = new Float64Array(64)
  private times = new Float64Array(64)
  private brands = new Uint32Array(64)
  /** Twice the number of the event's type, and one on a first activity. */
  private kinds = new Uint32Array(64)
  private readonly engagements: Array<string> = []
  private readonly brandIds = new Names<string>()
  private readonly types = new Names<EventType>()

  /** Positions count from 1; those of events that were taken back are given again, those of erased leads never. */
  append(event: Omit<PositionedEvent, "position">): PositionedEvent {
    const at = this.length++
    if (at === this.leads.length) {
      const length = Math.ceil(at * 1.25)
      this.leads = grown(this.leads, length)
      this.times = grown(this.times, length)
      this.brands = grown(this.brands, length)
      this.kinds = grown(this.kinds, length)
    }
    this.leads[at] = event.leadId
    this.times[at] = event.occurredAt
    this.brands[at] = this.brandIds.numberOf(event.brandId)
    this.kinds[at] = 2 * this.types.numberOf(event.event) + Number(event.isFirstActivity)
    this.engagements[at] = event.engagementId
    return { position: at + 1, ...event }
  }

  /** Takes the newest event back. */
  takeBack(): void {
    this.length--
    this.engagements.length = this.length
  }

  /** Takes out what tells of the lead. */
  forget(leadId: LeadId): void {
    for (let at = 0; at < this.length; at++) {
      if (this.leads[at] !== leadId) continue
      this.leads[at] = nobody
      this.engagements[at] = ""
    }
  }

  /** Takes out what tells of the brand's leads. */
  forgetBrand(brandId: string): void {
    const brand = this.brandIds.numberOf(brandId)
    for (let at = 0; at < this.length; at++) {
      if (this.brands[at] !== brand) continue
      this.leads[at] = nobody
      this.engagements[at] = ""
    }
  }

  /** The first events after the position. */
  after(position: number, limit: number): ReadonlyArray<PositionedEvent> {
    const found: Array<PositionedEvent> = []
    for (let at = Math.max(0, position); at < this.length && found.length < limit; at++) {
      const event = this.at(at)
      if (event !== null) found.push(event)
    }
    return found
  }

  /** The newest event of which this is so; of the lead, so that others need not be looked at. */
  newestOf(leadId: LeadId, isIt: (event: PositionedEvent) => boolean): PositionedEvent | null {
    for (let at = this.length - 1; at >= 0; at--) {
      if (this.leads[at] !== leadId) continue
      const event = this.at(at)!
      if (isIt(event)) return event
    }
    return null
  }

  private at(at: number): PositionedEvent | null {
    const leadId = this.leads[at]!
    if (leadId === nobody) return null
    const kind = this.kinds[at]!
    return {
      position: at + 1,
      event: this.types.nameOf(kind >> 1),
      brandId: this.brandIds.nameOf(this.brands[at]!),
      leadId,
      engagementId: this.engagements[at]!,
      isFirstActivity: kind % 2 === 1,
      occurredAt: this.times[at]!
    }
  }
}
