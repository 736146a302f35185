/**
 * One brand's leads in memory: a search, with whatever filters, finds all of its leads, counted and in order, without reading the file. A
 * lead has a slot, by which its texts (`SlotTexts.ts`), their postings (`PostingParts.ts`) and what else is read of it (`LeadColumns.ts`) lie.
 *
 * Nothing of it is on the disk. It holds the state of one change of leads, and is brought to the next by what that changed.
 */
import type { LeadFilter, LeadId, SortOrder } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"
import { selectByKeys } from "./KeySelection.ts"
import { grown, LeadColumns, type SearchableLead } from "./LeadColumns.ts"
import { type PartSizes, PostingParts } from "./PostingParts.ts"
import { slotFilter } from "./SlotFilter.ts"
import { slotOrder } from "./SlotOrder.ts"
import { prefixOf, SlotTexts } from "./SlotTexts.ts"

const defaults: PartSizes = { partLeads: 8192, joinedParts: 8, scannedLeads: 512 }

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8")

/** A page of a search. */
export interface SearchedPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
}

/** A list, with the places of its page. */
export interface MemorySearch {
  readonly filter: LeadFilter
  readonly sort: SortOrder.SortOrder
  readonly offset: number
  readonly limit: number
}

/** Slots of what a list has found; each list overwrites them. */
let hits = new Uint32Array(4096)

/** The leads of one brand. */
export class SearchMemory {
  private readonly partLeads
  /** To be read elsewhere, not changed: a simulation sees what is left of a lead that is gone. */
  readonly columns = new LeadColumns()
  readonly texts: SlotTexts
  readonly postings: PostingParts

  constructor(sizes: PartSizes = defaults) {
    this.partLeads = sizes.partLeads
    this.texts = new SlotTexts(sizes.partLeads)
    this.postings = new PostingParts(this.texts, sizes)
  }

  /** Whether many leads come at once, before any search. */
  get isLoading(): boolean {
    return this.postings.isLoading
  }

  /** To be called before the first search. */
  endLoading(): void {
    this.postings.endLoading()
  }

  /** Puts the lead in, or changes it. */
  put(lead: SearchableLead): void {
    const name = bytesOf(Folding.fold(lead.name))
    const headline = bytesOf(Folding.fold(lead.headline ?? ""))
    let slot = this.columns.slotOf(lead.id)
    if (slot !== null && !this.texts.has(slot, name, headline)) {
      this.removeSlot(slot)
      slot = null
    }
    if (slot === null) {
      slot = this.columns.append(lead.id, prefixOf(name))
      this.postings.append(slot, name, headline)
    }
    this.columns.set(slot, lead)
  }

  /** How many leads it has. */
  get size(): number {
    return this.columns.slots - this.columns.goneSlots
  }

  /** Bytes of memory that it takes. */
  get byteLength(): number {
    return this.columns.byteLength + this.texts.byteLength + this.postings.byteLength
  }

  /** Whether so many slots are of no lead any more that it is better read anew. */
  get isWorn(): boolean {
    const { goneSlots, slots } = this.columns
    return goneSlots > this.partLeads && goneSlots * 4 > slots
  }

  /** Removes the lead, if it is there, with its texts and what could make them again. [PII-3] */
  remove(id: LeadId): void {
    const slot = this.columns.slotOf(id)
    if (slot !== null) this.removeSlot(slot)
  }

  /** The leads of a list: `isAnswerable` says which lists. */
  search({ filter, limit, offset, sort }: MemorySearch): SearchedPage {
    const total = this.find(filter)
    if (offset >= total || limit === 0) return { total, ids: [] }
    const { columns, texts } = this
    const end = Math.min(total, offset + limit)
    const slots = selectByKeys(hits.subarray(0, total), offset, end, slotOrder(sort, columns, texts))
    return { total, ids: slots.map((slot) => columns.idAt(slot)) }
  }

  /** Puts what the filter lets through into `hits`; how many those are. */
  private find(filter: LeadFilter): number {
    const { search = "", signalId } = filter
    const { bits, createdAfter, createdBefore, hasRange, mask, updatedAfter, updatedBefore } =
      slotFilter(filter)
    const { created, flags, signalSets, signals, slots, updated } = this.columns
    const having = signalId === undefined ? null : signalSets.having(signalId)
    let total = 0
    let last = -1
    const found = (slot: number): void => {
      // A text can contain the needle twice.
      if (slot === last) return
      last = slot
      if ((flags[slot]! & mask) !== bits) return
      if (having !== null && having[signals[slot]!] === 0) return
      if (
        hasRange &&
        (created[slot]! < createdAfter ||
          created[slot]! > createdBefore ||
          updated[slot]! < updatedAfter ||
          updated[slot]! > updatedBefore)
      )
        return
      if (total === hits.length) hits = grown(hits, total * 2)
      hits[total++] = slot
    }
    if (search === "") for (let slot = 0; slot < slots; slot++) found(slot)
    else this.postings.find(bytesOf(search), found)
    return total
  }

  private removeSlot(slot: number): void {
    this.postings.remove(slot)
    this.columns.remove(slot)
  }
}
