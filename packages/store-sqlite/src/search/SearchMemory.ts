/**
 * The folded texts of one brand's leads in memory, with what orders and filters read of a lead: a search of three or more bytes finds
 * all of its leads, counted and in order, without reading the file. Leads lie in segments. Each has the postings of its trigrams of
 * bytes; a trigram's bucket can hold others' leads too, so the text of each candidate is compared. The newest leads have no postings
 * yet: their texts are read through.
 *
 * Nothing of it is on the disk. It holds the state of one change of leads, and is brought to the next by what that changed.
 */
import type { LeadFilter, LeadId, SortOrder } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"

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
}

/** Sizes that tests with few leads set. */
export interface SegmentSizes {
  /** Leads of a segment, 8192 at most; a slot is a number below it. */
  readonly segmentLeads: number
  /** The postings of a segment that takes leads in are made again after so many; a scan of fewer takes some 20 µs. */
  readonly scannedLeads: number
}

const defaults: SegmentSizes = { segmentLeads: 8192, scannedLeads: 512 }

/** Two to the number of bits buckets of trigrams a segment. */
const bucketBits = 14
const buckets = 1 << bucketBits

/** Ends each of a lead's two texts: no stored text and no needle contains U+0000. */
const end = 0

/** Of a lead that is not there any more, or that has moved to a later slot. */
const gone = 8

/** The bucket of three bytes, by Fibonacci hashing. */
const bucketOf = (first: number, second: number, third: number): number =>
  Math.imul((first << 16) | (second << 8) | third, 0x9e3779b1) >>> (32 - bucketBits)

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8")

/** What is searched for. */
interface Needle {
  readonly bytes: Buffer
  /** Of its trigrams, each once; of a long one of some. */
  readonly buckets: ReadonlyArray<number>
}

/** A long needle is looked up by so many of its trigrams: its texts are compared all the same. */
const maxTrigrams = 16

/** Lists of slots that are intersected at most. */
const maxLists = 6

/** Comparing a text, which lies somewhere in memory, takes as long as reading so many entries of a list. */
const entriesPerText = 64

const needleOf = (text: string): Needle => {
  const bytes = bytesOf(text)
  const step = Math.ceil((bytes.length - 2) / maxTrigrams)
  const distinct = new Set<number>()
  for (let i = 0; i + 2 < bytes.length; i += step)
    distinct.add(bucketOf(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!))
  return { bytes, buckets: [...distinct] }
}

/** The candidates of one segment at a time. */
const candidates = new Uint16Array(defaults.segmentLeads)

class Segment {
  count = 0
  private readonly sizes: SegmentSizes
  /** Rising; a lead that has moved here has the number of the one before it. */
  readonly ids
  /** Where the texts of each lead begin; those of slot n end where those of slot n + 1 begin. */
  readonly starts
  readonly created
  readonly updated
  /** Infinity where it is missing. */
  readonly scores
  readonly flags
  texts
  /** Leads from here on have no postings. */
  private sealed = 0
  /** Of each bucket, where its slots begin; empty before there are any. */
  private offsets = new Uint32Array(0)
  private postings = new Uint16Array(0)

  constructor(sizes: SegmentSizes) {
    const { segmentLeads } = sizes
    this.sizes = sizes
    this.ids = new Float64Array(segmentLeads)
    this.starts = new Uint32Array(segmentLeads + 1)
    this.created = new Float64Array(segmentLeads)
    this.updated = new Float64Array(segmentLeads)
    this.scores = new Float64Array(segmentLeads)
    this.flags = new Uint8Array(segmentLeads)
    this.texts = Buffer.alloc(segmentLeads * 64)
  }

  /** The slot that it gets. */
  append(id: number, name: Buffer, headline: Buffer, isLoading: boolean): number {
    const slot = this.count++
    const from = this.starts[slot]!
    const to = from + name.length + headline.length + 2
    if (to > this.texts.length) {
      const grown = Buffer.alloc(Math.max(to, this.texts.length * 2))
      this.texts.copy(grown, 0, 0, from)
      this.texts = grown
    }
    name.copy(this.texts, from)
    this.texts[from + name.length] = end
    headline.copy(this.texts, from + name.length + 1)
    this.texts[to - 1] = end
    this.ids[slot] = id
    this.starts[slot + 1] = to
    const isLong = this.count - this.sealed >= this.sizes.scannedLeads
    if (this.isFull || (isLong && !isLoading)) this.seal()
    return slot
  }

  get isFull(): boolean {
    return this.count === this.sizes.segmentLeads
  }

  /** Makes postings of all leads that it has. */
  settle(): void {
    if (this.sealed < this.count) this.seal()
  }

  /** Removes the lead's texts from memory, too. [PII-3] */
  remove(slot: number): void {
    this.flags[slot] = gone
    this.texts.fill(end, this.starts[slot], this.starts[slot + 1])
  }

  /** The slots whose texts contain the needle, in order, those that are gone apart. */
  find(needle: Needle, found: (slot: number) => void): void {
    if (this.sealed > 0) this.lookUp(needle, found)
    if (this.sealed < this.count) this.scan(needle.bytes, found)
  }

  /** The length of the name. */
  nameEnd(slot: number): number {
    return this.texts.indexOf(end, this.starts[slot])
  }

  private scan(needle: Buffer, found: (slot: number) => void): void {
    const { count, starts } = this
    const texts = this.texts.subarray(0, starts[count])
    let slot = this.sealed
    for (let at = texts.indexOf(needle, starts[slot]); at >= 0; at = texts.indexOf(needle, starts[slot])) {
      let high = count
      while (high - slot > 1) {
        const middle = (slot + high) >> 1
        if (starts[middle]! <= at) slot = middle
        else high = middle
      }
      found(slot++)
    }
  }

  private lookUp({ bytes, buckets }: Needle, found: (slot: number) => void): void {
    const { offsets } = this
    const used: Array<number> = []
    const lengthOf = (bucket: number): number => offsets[bucket + 1]! - offsets[bucket]!
    // The shortest lists, by rising length.
    for (const bucket of buckets) {
      const n = lengthOf(bucket)
      if (n === 0) return
      let at = used.length
      if (at === maxLists) {
        if (n >= lengthOf(used[at - 1]!)) continue
        at--
      }
      for (; at > 0 && lengthOf(used[at - 1]!) > n; at--) used[at] = used[at - 1]!
      used[at] = bucket
    }
    const first = offsets[used[0]!]!
    let count = lengthOf(used[0]!)
    for (let i = 0; i < count; i++) candidates[i] = this.postings[first + i]!
    for (let i = 1; i < used.length && lengthOf(used[i]!) < count * entriesPerText; i++) {
      count = this.intersect(count, used[i]!)
    }
    for (let i = 0; i < count; i++) if (this.contains(candidates[i]!, bytes)) found(candidates[i]!)
  }

  /** Keeps the candidates that the bucket has; how many those are. */
  private intersect(count: number, bucket: number): number {
    const { postings } = this
    const to = this.offsets[bucket + 1]!
    let at = this.offsets[bucket]!
    let kept = 0
    for (let i = 0; i < count; i++) {
      const slot = candidates[i]!
      while (at < to && postings[at]! < slot) at++
      if (at === to) break
      if (postings[at] === slot) candidates[kept++] = slot
    }
    return kept
  }

  private contains(slot: number, needle: Buffer): boolean {
    const { texts } = this
    const first = needle[0]!
    const { length } = needle
    const last = this.starts[slot + 1]! - length
    for (let at = this.starts[slot]!; at <= last; at++) {
      if (texts[at] !== first) continue
      let i = 1
      while (i < length && texts[at + i] === needle[i]) i++
      if (i === length) return true
    }
    return false
  }

  /** Each bucket's slots, each once: counts them, then puts them in. */
  private seal(): void {
    const ends = new Uint32Array(buckets + 1)
    this.eachBucket((bucket) => ends[bucket + 1]!++)
    for (let i = 0; i < buckets; i++) ends[i + 1]! += ends[i]!
    const postings = new Uint16Array(ends[buckets]!)
    const next = ends.slice()
    this.eachBucket((bucket, slot) => {
      postings[next[bucket]!++] = slot
    })
    if (this.isFull) this.texts = Buffer.from(this.texts.subarray(0, this.starts[this.count]))
    this.postings = postings
    this.offsets = ends
    this.sealed = this.count
  }

  private eachBucket(visit: (bucket: number, slot: number) => void): void {
    const { starts, texts } = this
    const seen = new Int32Array(buckets).fill(-1)
    for (let slot = 0; slot < this.count; slot++) {
      let [first, second] = [end, end]
      for (let at = starts[slot]!; at < starts[slot + 1]!; at++) {
        const third = texts[at]!
        if (first !== end && second !== end && third !== end) {
          const bucket = bucketOf(first, second, third)
          if (seen[bucket] !== slot) {
            seen[bucket] = slot
            visit(bucket, slot)
          }
        }
        first = second
        second = third
      }
    }
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

/** Fewer bytes have no trigram. */
const minBytes = 3

/** The filters that memory tests; the index answers a search with another one. */
const testedFilters = {
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

/** Whether memory answers the search. */
export const isAnswerable = (filter: LeadFilter): boolean =>
  filter.search !== undefined &&
  Object.entries(filter).every(([name, value]) => value === undefined || name in testedFilters) &&
  filter.search.isWellFormed() &&
  bytesOf(filter.search).length >= minBytes

/** A hit: its segment's number times `segmentLeads`, plus its slot. */
type Hit = number

/** A number whose order is that of the first six bytes of the name that begins there; what a shorter one lacks is 0. */
const prefixOf = (texts: Buffer, from: number): number => {
  let prefix = 0
  for (let i = 0, isIn = true; i < 6; i++) {
    isIn &&= texts[from + i] !== end
    prefix = prefix * 256 + (isIn ? texts[from + i]! : 0)
  }
  return prefix
}

/** The first `wanted` of so many, by a heap whose first is the last of them. */
const firstOf = (count: number, wanted: number, compare: (a: number, b: number) => number): Array<number> => {
  if (wanted * 4 >= count)
    return Array.from({ length: count }, (_, i) => i)
      .sort(compare)
      .slice(0, wanted)
  const heap: Array<number> = []
  const sink = (value: number): void => {
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++
      if (compare(heap[child]!, value) <= 0) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = value
  }
  for (let i = 0; i < count; i++) {
    if (heap.length === wanted) {
      if (compare(i, heap[0]!) < 0) sink(i)
      continue
    }
    let at = heap.push(i) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (compare(i, heap[parent]!) <= 0) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = i
  }
  return heap.sort(compare)
}

/** The texts of one brand. */
export class SearchMemory {
  private readonly sizes: SegmentSizes
  private readonly segments: Array<Segment> = []
  /** The leads that got a new slot behind later ones, by id and by hit. */
  private readonly moved = new Map<number, Hit>()
  private readonly movedIds = new Map<Hit, number>()
  private lastId = 0
  private removed = 0
  /** Whether many leads come at once, before any search. */
  private isLoading = true

  constructor(sizes: SegmentSizes = defaults) {
    this.sizes = sizes
  }

  /** To be called before the first search. */
  endLoading(): void {
    this.isLoading = false
    this.segments.at(-1)?.settle()
  }

  /** Puts the lead in, or changes it. */
  put(lead: SearchableLead): void {
    const name = bytesOf(Folding.fold(lead.name))
    const headline = bytesOf(Folding.fold(lead.headline ?? ""))
    let hit = this.hitOf(lead.id)
    if (hit !== null && !this.hasTexts(hit, name, headline)) {
      this.removeHit(hit)
      hit = null
    }
    hit ??= this.append(lead.id, name, headline)
    const segment = this.segmentOf(hit)
    const slot = hit % this.sizes.segmentLeads
    segment.flags[slot] = lead.flags
    segment.created[slot] = lead.createdAt
    segment.updated[slot] = lead.updatedAt
    segment.scores[slot] = lead.score1 ?? Number.POSITIVE_INFINITY
  }

  /** Whether so many slots are of no lead any more that it is better read anew. */
  get isWorn(): boolean {
    return (
      this.removed > this.sizes.segmentLeads &&
      this.removed * 4 > this.segments.length * this.sizes.segmentLeads
    )
  }

  /** Removes the lead, if it is there, and its texts. */
  remove(id: LeadId): void {
    const hit = this.hitOf(id)
    if (hit !== null) this.removeHit(hit)
  }

  /** The leads that a search finds: `isAnswerable` says which searches. */
  search({ filter, limit, offset, sort }: MemorySearch): SearchedPage {
    const hits = this.hitsOf(filter)
    const total = hits.length
    if (offset >= total || limit === 0) return { total, ids: [] }
    const order = this.orderOf(hits, sort)
    const inOrder = firstOf(total, Math.min(total, offset + limit), order)
    return { total, ids: inOrder.slice(offset).map((i) => this.idAt(hits[i]!)) }
  }

  private segmentOf(hit: Hit): Segment {
    return this.segments[Math.floor(hit / this.sizes.segmentLeads)]!
  }

  private idAt(hit: Hit): LeadId {
    return this.movedIds.get(hit) ?? this.segmentOf(hit).ids[hit % this.sizes.segmentLeads]!
  }

  private hitsOf(filter: TestedFilter): ReadonlyArray<Hit> {
    const needle = needleOf(filter.search!)
    const { createdAfter = -Infinity, createdBefore = Infinity } = filter
    const { updatedAfter = -Infinity, updatedBefore = Infinity } = filter
    const wanted = [filter.qualified, filter.exported, filter.isEmployee]
    let [mask, bits] = [gone, 0]
    for (const [i, flag] of wanted.entries()) {
      if (flag === undefined) continue
      mask |= 1 << i
      if (flag) bits |= 1 << i
    }
    const hasRange = [createdAfter, createdBefore, updatedAfter, updatedBefore].some(Number.isFinite)
    const hits: Array<Hit> = []
    for (const [i, segment] of this.segments.entries()) {
      const { created, flags, updated } = segment
      segment.find(needle, (slot) => {
        if (
          (flags[slot]! & mask) === bits &&
          (!hasRange ||
            (created[slot]! >= createdAfter &&
              created[slot]! <= createdBefore &&
              updated[slot]! >= updatedAfter &&
              updated[slot]! <= updatedBefore))
        ) {
          hits.push(i * this.sizes.segmentLeads + slot)
        }
      })
    }
    return hits
  }

  /** Compares hits by their places in the array. Ties by id, ascending, whatever the direction. [SORT-5] */
  private orderOf(
    hits: ReadonlyArray<Hit>,
    { direction, field }: SortOrder.SortOrder
  ): (a: number, b: number) => number {
    const sign = direction === "desc" ? -1 : 1
    const byId = (a: number, b: number): number => this.idAt(hits[a]!) - this.idAt(hits[b]!)
    const keys = new Float64Array(hits.length)
    for (let i = 0; i < hits.length; i++) {
      const hit = hits[i]!
      const segment = this.segmentOf(hit)
      const slot = hit % this.sizes.segmentLeads
      if (field === "createdAt") keys[i] = sign * segment.created[slot]!
      else if (field === "updatedAt") keys[i] = sign * segment.updated[slot]!
      else if (field === "score1") {
        const score = segment.scores[slot]!
        keys[i] = score === Number.POSITIVE_INFINITY ? score : sign * score
      } else keys[i] = sign * prefixOf(segment.texts, segment.starts[slot]!)
    }
    const byKey = (a: number, b: number): number => {
      const [left, right] = [keys[a]!, keys[b]!]
      return left < right ? -1 : left > right ? 1 : 0
    }
    if (field !== "name") return (a, b) => byKey(a, b) || byId(a, b)
    return (a, b) => byKey(a, b) || sign * this.compareNames(hits[a]!, hits[b]!) || byId(a, b)
  }

  /** By bytes of UTF-8, which is by code points. [SORT-6] */
  private compareNames(a: Hit, b: Hit): number {
    const nameOf = (hit: Hit): Buffer => {
      const segment = this.segmentOf(hit)
      const slot = hit % this.sizes.segmentLeads
      return segment.texts.subarray(segment.starts[slot], segment.nameEnd(slot))
    }
    return Buffer.compare(nameOf(a), nameOf(b))
  }

  private hitOf(id: number): Hit | null {
    const moved = this.moved.get(id)
    if (moved !== undefined) return moved
    let [low, high] = [0, this.segments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const { count, ids } = this.segments[middle]!
      if (ids[count - 1]! < id) low = middle + 1
      else high = middle
    }
    const segment = this.segments[low]
    if (segment === undefined) return null
    let [from, to] = [0, segment.count]
    while (from < to) {
      const middle = (from + to) >> 1
      if (segment.ids[middle]! < id) from = middle + 1
      else to = middle
    }
    return segment.ids[from] === id && segment.flags[from] !== gone
      ? low * this.sizes.segmentLeads + from
      : null
  }

  private hasTexts(hit: Hit, name: Buffer, headline: Buffer): boolean {
    const { starts, texts } = this.segmentOf(hit)
    const slot = hit % this.sizes.segmentLeads
    const [from, to] = [starts[slot]!, starts[slot + 1]!]
    return (
      to - from === name.length + headline.length + 2 &&
      texts.compare(name, 0, name.length, from, from + name.length) === 0 &&
      texts[from + name.length] === end &&
      texts.compare(headline, 0, headline.length, from + name.length + 1, to - 1) === 0
    )
  }

  private append(id: number, name: Buffer, headline: Buffer): Hit {
    let segment = this.segments.at(-1)
    if (segment === undefined || segment.isFull) {
      segment = new Segment(this.sizes)
      this.segments.push(segment)
    }
    const isMoved = id <= this.lastId
    if (!isMoved) this.lastId = id
    const slot = segment.append(this.lastId, name, headline, this.isLoading)
    const hit = (this.segments.length - 1) * this.sizes.segmentLeads + slot
    if (isMoved) {
      this.moved.set(id, hit)
      this.movedIds.set(hit, id)
    }
    return hit
  }

  private removeHit(hit: Hit): void {
    this.removed++
    const id = this.movedIds.get(hit)
    if (id !== undefined) {
      this.moved.delete(id)
      this.movedIds.delete(hit)
    }
    this.segmentOf(hit).remove(hit % this.sizes.segmentLeads)
  }
}
