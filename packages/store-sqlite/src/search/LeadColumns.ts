/**
 * What filters and orders read of each lead besides its texts, in columns by slots. Slots are given in the order in which leads come. Ids
 * mostly rise with them, so the slot of a lead is found by bisection; leads that come behind greater ids are in a map.
 */
import type { LeadId } from "@lead-signals/domain"
import { SignalSets } from "./SignalSets.ts"

/** What a search reads of a lead. */
export interface SearchableLead {
  readonly id: LeadId
  readonly name: string
  readonly headline: string | null
  /** As of the column of that name. */
  readonly flags: number
  /** Null ranks last in both directions. [SORT-3] */
  readonly score1: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly signalIds: ReadonlyArray<string>
}

/** The flag of a lead that is gone, or that has moved to a later slot. */
export const goneFlag = 8

/** Bytes of an entry in both maps of moved leads, about. */
const movedBytes = 100

/** An array of at least that length with the same numbers. */
export const grown = <A extends Float64Array | Uint8Array | Uint32Array>(column: A, length: number): A => {
  const longer = new (column.constructor as new (length: number) => A)(length)
  longer.set(column)
  return longer
}

/** The columns, which any method that adds a lead may replace by longer ones. */
export class LeadColumns {
  created = new Float64Array(1024)
  updated = new Float64Array(1024)
  /** Infinity where it is missing. */
  scores = new Float64Array(1024)
  /** Numbers in the order of the first six bytes of the name. */
  prefixes = new Float64Array(1024)
  flags = new Uint8Array(1024)
  /** Numbers of the sets of signals. */
  signals = new Uint32Array(1024)
  readonly signalSets = new SignalSets()
  /** Slots so far, also those of leads that are gone. */
  slots = 0
  /** Slots of leads that are gone or have moved. */
  goneSlots = 0
  /** Rising; a lead that has moved has the number of the one before it. */
  private ids = new Float64Array(1024)
  private lastId = 0
  /** The leads that got a new slot behind later ones, by id and by slot. */
  private readonly moved = new Map<number, number>()
  private readonly movedIds = new Map<number, number>()

  /** Bytes of memory that they take. */
  get byteLength(): number {
    const { created, flags, ids, moved, prefixes, scores, signalSets, signals, updated } = this
    const columns = [created, flags, ids, prefixes, scores, signals, updated]
    const columnBytes = columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return columnBytes + signalSets.byteLength + moved.size * movedBytes
  }

  /** The slot of a lead that is there; null for another one. */
  slotOf(id: number): number | null {
    const moved = this.moved.get(id)
    if (moved !== undefined) return moved
    const { flags, ids } = this
    let [low, high] = [0, this.slots]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return low < this.slots && ids[low] === id && flags[low] !== goneFlag ? low : null
  }

  /** The lead of a slot. */
  idAt(slot: number): LeadId {
    return this.movedIds.get(slot) ?? this.ids[slot]!
  }

  /** Gives the lead the next slot, and returns it. */
  append(id: number, namePrefix: number): number {
    const slot = this.slots++
    if (slot === this.ids.length) this.grow(Math.ceil(slot * 1.5))
    if (id <= this.lastId) {
      this.moved.set(id, slot)
      this.movedIds.set(slot, id)
    } else this.lastId = id
    this.ids[slot] = this.lastId
    this.prefixes[slot] = namePrefix
    return slot
  }

  /** Writes all of the lead but its name. */
  set(slot: number, lead: SearchableLead): void {
    this.flags[slot] = lead.flags
    this.signals[slot] = this.signalSets.numberOf(lead.signalIds)
    this.created[slot] = lead.createdAt
    this.updated[slot] = lead.updatedAt
    this.scores[slot] = lead.score1 ?? Number.POSITIVE_INFINITY
  }

  /** The slot is of no lead any more. */
  remove(slot: number): void {
    this.goneSlots++
    const id = this.movedIds.get(slot)
    if (id !== undefined) {
      this.moved.delete(id)
      this.movedIds.delete(slot)
    }
    this.flags[slot] = goneFlag
    this.prefixes[slot] = 0
  }

  private grow(length: number): void {
    this.ids = grown(this.ids, length)
    this.created = grown(this.created, length)
    this.updated = grown(this.updated, length)
    this.scores = grown(this.scores, length)
    this.prefixes = grown(this.prefixes, length)
    this.flags = grown(this.flags, length)
    this.signals = grown(this.signals, length)
  }
}
