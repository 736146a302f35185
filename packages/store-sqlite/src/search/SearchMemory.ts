/**
 * The folded texts of one brand's leads in memory, with what orders and filters read of a lead: a search, with whatever filters, finds
 * all of its leads, counted and in order, without reading the file. A lead has a slot; what is read of each lies in columns by slots.
 * Postings of trigrams are made for so many slots at a time, and parts of equal size are joined, as an index of files does it. The newest
 * leads have no postings yet: their texts are read through.
 *
 * Nothing of it is on the disk. It holds the state of one change of leads, and is brought to the next by what that changed.
 */
import type { LeadFilter, LeadId, SortOrder } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"
import { type KeyedOrder, selectByKeys } from "./KeySelection.ts"
import { SignalSets } from "./SignalSets.ts"
import { end, maxTextBytes, needleOf, type Texts, TrigramPostings, Trigrams } from "./TrigramPostings.ts"

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

/** Sizes that tests with few leads set. */
export interface PartSizes {
  /** Leads whose postings are made together. */
  readonly partLeads: number
  /** So many parts are joined into one, which has 65,536 leads at most. */
  readonly joinedParts: number
  /** The postings of the newest part are made again after so many; a scan of fewer takes some 20 µs. */
  readonly scannedLeads: number
}

const defaults: PartSizes = { partLeads: 8192, joinedParts: 8, scannedLeads: 512 }

/** The flag of a lead that is gone, or that has moved to a later slot. */
const gone = 8

/** Bytes of a number in an array, and of an entry in each of the two maps of moved leads, about. */
const slotBytes = 8
const movedBytes = 100

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8")

/** Texts of so many slots, each a name and a headline that end with U+0000, which no stored text and no needle contains. */
class TextBlock implements Texts {
  readonly starts
  bytes

  constructor(slots: number) {
    this.starts = new Uint32Array(slots + 1)
    this.bytes = Buffer.alloc(slots * 64)
  }

  set(slot: number, name: Buffer, headline: Buffer): void {
    const from = this.starts[slot]!
    const to = from + name.length + headline.length + 2
    if (to > this.bytes.length) {
      const grown = Buffer.alloc(Math.max(to, this.bytes.length * 2))
      this.bytes.copy(grown, 0, 0, from)
      this.bytes = grown
    }
    name.copy(this.bytes, from)
    this.bytes[from + name.length] = end
    headline.copy(this.bytes, from + name.length + 1)
    this.bytes[to - 1] = end
    this.starts[slot + 1] = to
  }

  get byteLength(): number {
    return this.starts.byteLength + this.bytes.byteLength
  }

  /** Gives back what no text of a full block needs. */
  shrink(slots: number): void {
    this.bytes = Buffer.from(this.bytes.subarray(0, this.starts[slots]))
  }
}

/** Postings of the slots from `from` on. */
interface Part {
  readonly from: number
  readonly blocks: number
  readonly postings: TrigramPostings
}

const grown = <A extends Float64Array | Uint8Array | Uint32Array>(column: A, length: number): A => {
  const longer = new (column.constructor as new (length: number) => A)(length)
  longer.set(column)
  return longer
}

/** What is read of each lead besides its texts, by slots. */
class Columns {
  /** Rising; a lead that has moved has the number of the one before it. */
  ids = new Float64Array(1024)
  created = new Float64Array(1024)
  updated = new Float64Array(1024)
  /** Infinity where it is missing. */
  scores = new Float64Array(1024)
  /** Numbers in the order of the first six bytes of the name. */
  prefixes = new Float64Array(1024)
  flags = new Uint8Array(1024)
  /** Numbers of the sets of signals. */
  signals = new Uint32Array(1024)

  get byteLength(): number {
    const { created, flags, ids, prefixes, scores, signals, updated } = this
    return [created, flags, ids, prefixes, scores, signals, updated].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0
    )
  }

  reserve(slots: number): void {
    if (slots <= this.ids.length) return
    const length = Math.ceil(slots * 1.5)
    this.ids = grown(this.ids, length)
    this.created = grown(this.created, length)
    this.updated = grown(this.updated, length)
    this.scores = grown(this.scores, length)
    this.prefixes = grown(this.prefixes, length)
    this.flags = grown(this.flags, length)
    this.signals = grown(this.signals, length)
  }
}

/** A page of a search. */
export interface SearchedPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
}

export interface MemorySearch {
  readonly filter: LeadFilter
  readonly sort: SortOrder.SortOrder
  readonly offset: number
  readonly limit: number
}

/** The filters that memory tests; the file answers a list with another one. */
const testedFilters = {
  signalId: true,
  qualified: true,
  exported: true,
  isEmployee: true,
  createdAfter: true,
  createdBefore: true,
  updatedAfter: true,
  updatedBefore: true,
  search: true
} as const satisfies Readonly<Partial<Record<keyof LeadFilter, true>>>

type TestedFilter = Pick<LeadFilter, keyof typeof testedFilters>

/** Whether memory answers the list. */
export const isAnswerable = (filter: LeadFilter): boolean => {
  const { search = "" } = filter
  return (
    Object.entries(filter).every(([name, value]) => value === undefined || name in testedFilters) &&
    search.isWellFormed() &&
    // It would be found where one text ends and the next begins.
    !search.includes("\u0000")
  )
}

const prefixBytes = 6

/** A number in the order of the six bytes from there on; 0 stands for each that the text lacks. */
const prefixOf = (text: Uint8Array, from = 0): number => {
  let prefix = 0
  let isOver = false
  for (let at = from; at < from + prefixBytes; at++) {
    isOver ||= at >= text.length || text[at] === end
    prefix = prefix * 256 + (isOver ? 0 : text[at]!)
  }
  return prefix
}

/** The level of an order at which ids decide, behind those of all parts of names. */
const idLevel = -1

/** Slots of what a list has found; each list overwrites them. */
let hits = new Uint32Array(4096)

/** The texts of one brand. */
export class SearchMemory {
  private readonly sizes: PartSizes
  private readonly columns = new Columns()
  private readonly trigrams = new Trigrams()
  private readonly signalSets = new SignalSets()
  /** Blocks with as many slots as a part has leads. */
  private readonly blocks: Array<TextBlock> = []
  private readonly parts: Array<Part> = []
  private count = 0
  /** Slots from here on have no postings. */
  private indexed = 0
  /** Slots of texts that are too long for postings. */
  private readonly long: Array<number> = []
  /** The leads that got a new slot behind later ones, by id and by slot. */
  private readonly moved = new Map<number, number>()
  private readonly movedIds = new Map<number, number>()
  private lastId = 0
  private removed = 0
  private isBeingFilled = true

  constructor(sizes: PartSizes = defaults) {
    this.sizes = sizes
  }

  /** Whether many leads come at once, before any search. */
  get isLoading(): boolean {
    return this.isBeingFilled
  }

  /** To be called before the first search. */
  endLoading(): void {
    this.isBeingFilled = false
    if (this.indexed < this.count) this.index()
  }

  /** Puts the lead in, or changes it. */
  put(lead: SearchableLead): void {
    const name = bytesOf(Folding.fold(lead.name))
    const headline = bytesOf(Folding.fold(lead.headline ?? ""))
    let slot = this.slotOf(lead.id)
    if (slot !== null && !this.hasTexts(slot, name, headline)) {
      this.removeSlot(slot)
      slot = null
    }
    slot ??= this.append(lead.id, name, headline)
    const { created, flags, scores, signals, updated } = this.columns
    flags[slot] = lead.flags
    signals[slot] = this.signalSets.numberOf(lead.signalIds)
    created[slot] = lead.createdAt
    updated[slot] = lead.updatedAt
    scores[slot] = lead.score1 ?? Number.POSITIVE_INFINITY
  }

  /** How many leads it has. */
  get size(): number {
    return this.count - this.removed
  }

  /** Bytes of memory that it takes. */
  get byteLength(): number {
    const { blocks, columns, long, moved, parts, signalSets, trigrams } = this
    const ofBlocks = blocks.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const ofParts = parts.reduce((sum, { postings }) => sum + postings.byteLength, 0)
    return (
      ofBlocks +
      ofParts +
      columns.byteLength +
      trigrams.byteLength +
      signalSets.byteLength +
      moved.size * movedBytes +
      long.length * slotBytes
    )
  }

  /** Whether so many slots are of no lead any more that it is better read anew. */
  get isWorn(): boolean {
    return this.removed > this.sizes.partLeads && this.removed * 4 > this.count
  }

  /** Removes the lead, if it is there, with its texts and what could make them again. [PII-3] */
  remove(id: LeadId): void {
    const slot = this.slotOf(id)
    if (slot !== null) this.removeSlot(slot)
  }

  /** The leads of a list: `isAnswerable` says which lists. */
  search({ filter, limit, offset, sort }: MemorySearch): SearchedPage {
    const total = this.find(filter)
    if (offset >= total || limit === 0) return { total, ids: [] }
    const slots = selectByKeys(
      hits.subarray(0, total),
      offset,
      Math.min(total, offset + limit),
      this.orderOf(sort)
    )
    return { total, ids: slots.map((slot) => this.idAt(slot)) }
  }

  private idAt(slot: number): LeadId {
    return this.movedIds.get(slot) ?? this.columns.ids[slot]!
  }

  /** Puts what the filter lets through into `hits`; how many those are. */
  private find(filter: TestedFilter): number {
    const { createdAfter = -Infinity, createdBefore = Infinity, search = "", signalId } = filter
    const { updatedAfter = -Infinity, updatedBefore = Infinity } = filter
    const wanted = [filter.qualified, filter.exported, filter.isEmployee]
    let [mask, bits] = [gone, 0]
    for (const [i, flag] of wanted.entries()) {
      if (flag === undefined) continue
      mask |= 1 << i
      if (flag) bits |= 1 << i
    }
    const hasRange = [createdAfter, createdBefore, updatedAfter, updatedBefore].some(Number.isFinite)
    const { created, flags, signals, updated } = this.columns
    const having = signalId === undefined ? null : this.signalSets.having(signalId)
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
    if (search === "") for (let slot = 0; slot < this.count; slot++) found(slot)
    else this.findText(bytesOf(search), found)
    return total
  }

  /** Calls for each slot whose text contains the bytes, once or more often in a row. */
  private findText(bytes: Buffer, found: (slot: number) => void): void {
    const needle = needleOf(bytes, this.trigrams)
    for (const { from, postings } of this.parts) postings.find(needle, from, this, found)
    for (const slot of this.long) if (this.isIn(slot, bytes)) found(slot)
    this.scan(bytes, found)
  }

  /** Whether the slot's text contains the bytes at the position. */
  contains(slot: number, position: number, needle: Uint8Array): boolean {
    const { partLeads } = this.sizes
    const { bytes, starts } = this.blocks[Math.floor(slot / partLeads)]!
    const from = starts[slot % partLeads]! + position
    if (from + needle.length > starts[(slot % partLeads) + 1]!) return false
    for (let i = 0; i < needle.length; i++) if (bytes[from + i] !== needle[i]) return false
    return true
  }

  private isIn(slot: number, needle: Buffer): boolean {
    const { partLeads } = this.sizes
    const { bytes, starts } = this.blocks[Math.floor(slot / partLeads)]!
    return bytes.subarray(starts[slot % partLeads], starts[(slot % partLeads) + 1]).includes(needle)
  }

  /** Reads the texts through that have no postings yet. They lie in one block. */
  private scan(needle: Buffer, found: (slot: number) => void): void {
    if (this.indexed === this.count) return
    const { partLeads } = this.sizes
    const { bytes, starts } = this.blocks.at(-1)!
    const first = (this.blocks.length - 1) * partLeads
    const to = this.count - first
    const texts = bytes.subarray(0, starts[to])
    let slot = this.indexed - first
    for (let at = texts.indexOf(needle, starts[slot]); at >= 0; at = texts.indexOf(needle, starts[slot])) {
      let high = to
      while (high - slot > 1) {
        const middle = (slot + high) >> 1
        if (starts[middle]! <= at) slot = middle
        else high = middle
      }
      found(first + slot++)
    }
  }

  /** Ties by id, ascending, whatever the direction. [SORT-5] */
  private orderOf({ direction, field }: SortOrder.SortOrder): KeyedOrder {
    const sign = direction === "desc" ? -1 : 1
    const { created, prefixes, scores, updated } = this.columns
    const column = { createdAt: created, updatedAt: updated, score1: scores, name: prefixes }[field]
    const isName = field === "name"
    // Missing scores last all the same.
    const keyOf = (slot: number): number => (column[slot] === Infinity ? Infinity : sign * column[slot]!)
    return {
      writeKeys: (slots, level, keys) => {
        for (let i = 0; i < slots.length; i++) {
          const slot = slots[i]!
          keys[i] =
            level === 0
              ? keyOf(slot)
              : level === idLevel
                ? this.idAt(slot)
                : sign * this.namePart(slot, level)
        }
      },
      levelAfter: (level, key) => {
        if (level === idLevel) return null
        // The name goes on where its part is full.
        return isName && key % 256 !== 0 ? level + 1 : idLevel
      },
      compare: (a, b) => {
        const [left, right] = [keyOf(a), keyOf(b)]
        if (left < right) return -1
        if (left > right) return 1
        return (isName ? sign * this.compareNames(a, b) : 0) || this.idAt(a) - this.idAt(b)
      }
    }
  }

  /** A number in the order of the n-th six bytes of a name that has all bytes before. */
  private namePart(slot: number, n: number): number {
    const { partLeads } = this.sizes
    const { bytes, starts } = this.blocks[Math.floor(slot / partLeads)]!
    const from = starts[slot % partLeads]! + n * prefixBytes
    return prefixOf(bytes, from)
  }

  /** By bytes of UTF-8, which is by code points. [SORT-6] */
  private compareNames(a: number, b: number): number {
    const { partLeads } = this.sizes
    const nameOf = (slot: number): Uint8Array => {
      const { bytes, starts } = this.blocks[Math.floor(slot / partLeads)]!
      const from = starts[slot % partLeads]!
      return bytes.subarray(from, bytes.indexOf(end, from))
    }
    return Buffer.compare(nameOf(a), nameOf(b))
  }

  private slotOf(id: number): number | null {
    const moved = this.moved.get(id)
    if (moved !== undefined) return moved
    const { flags, ids } = this.columns
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return low < this.count && ids[low] === id && flags[low] !== gone ? low : null
  }

  private hasTexts(slot: number, name: Buffer, headline: Buffer): boolean {
    const { partLeads } = this.sizes
    const { bytes, starts } = this.blocks[Math.floor(slot / partLeads)]!
    const [from, to] = [starts[slot % partLeads]!, starts[(slot % partLeads) + 1]!]
    return (
      to - from === name.length + headline.length + 2 &&
      bytes.compare(name, 0, name.length, from, from + name.length) === 0 &&
      bytes[from + name.length] === end &&
      bytes.compare(headline, 0, headline.length, from + name.length + 1, to - 1) === 0
    )
  }

  private append(id: number, name: Buffer, headline: Buffer): number {
    const { partLeads, scannedLeads } = this.sizes
    const slot = this.count
    const inBlock = slot % partLeads
    if (inBlock === 0) this.blocks.push(new TextBlock(partLeads))
    const block = this.blocks.at(-1)!
    block.set(inBlock, name, headline)
    this.columns.reserve(slot + 1)
    const isMoved = id <= this.lastId
    if (isMoved) {
      this.moved.set(id, slot)
      this.movedIds.set(slot, id)
    } else this.lastId = id
    this.columns.ids[slot] = this.lastId
    this.columns.prefixes[slot] = prefixOf(name)
    if (name.length + headline.length + 2 > maxTextBytes) this.long.push(slot)
    this.count++
    const isFull = inBlock === partLeads - 1
    if (isFull) block.shrink(partLeads)
    if (isFull || (!this.isBeingFilled && this.count - this.indexed >= scannedLeads)) this.index()
    return slot
  }

  /** Makes the postings of the newest part, and joins it with those before it where they are enough. */
  private index(): void {
    const { joinedParts, partLeads } = this.sizes
    const { parts, trigrams } = this
    const from = (this.blocks.length - 1) * partLeads
    if (parts.at(-1)?.from === from) parts.pop()!.postings.uncount(trigrams)
    const postings = TrigramPostings.of(this.blocks.at(-1)!, this.count - from, trigrams)
    parts.push({ from, blocks: 1, postings })
    this.indexed = this.count
    const joined = parts.slice(-joinedParts)
    if (this.count - from < partLeads || joined.length < joinedParts) return
    if (joined.some(({ blocks }) => blocks > 1)) return
    parts.length -= joinedParts
    const all = joined.map((part) => part.postings)
    parts.push({
      from: joined[0]!.from,
      blocks: joinedParts,
      postings: TrigramPostings.concat(all, partLeads)
    })
  }

  private removeSlot(slot: number): void {
    this.removed++
    const id = this.movedIds.get(slot)
    if (id !== undefined) {
      this.moved.delete(id)
      this.movedIds.delete(slot)
    }
    const { partLeads } = this.sizes
    const block = this.blocks[Math.floor(slot / partLeads)]!
    const inBlock = slot % partLeads
    if (slot < this.indexed) {
      const part = this.parts.findLast(({ from }) => from <= slot)!
      part.postings.remove(block, inBlock, slot - part.from, this.trigrams)
    }
    block.bytes.fill(end, block.starts[inBlock], block.starts[inBlock + 1])
    this.columns.flags[slot] = gone
    this.columns.prefixes[slot] = 0
  }
}
