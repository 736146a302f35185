/**
 * Postings of the trigrams of slots' texts, in parts. A part is made of one block of texts, and parts of equal size are merged, as the
 * segments of a full-text index are. The newest slots have no postings yet: a search scans their texts.
 */
import type { SlotTexts } from "./SlotTexts.ts"
import { needleOf, TrigramPostings } from "./TrigramPostings.ts"
import { Trigrams } from "./Trigrams.ts"

/** Sizes that tests with few leads set. */
export interface PartSizes {
  /** Leads whose postings are made together. */
  readonly partLeads: number
  /** So many parts are joined into one, which has 65,536 leads at most. */
  readonly joinedParts: number
  /** The postings of the newest part are made again after so many; a scan of fewer takes some 20 µs. */
  readonly scannedLeads: number
}

/** Postings of the slots from `from` on. */
interface Part {
  readonly from: number
  readonly blocks: number
  readonly postings: TrigramPostings
}

/** The postings of texts whose blocks have `partLeads` slots. */
export class PostingParts {
  private readonly sizes: PartSizes
  private readonly texts: SlotTexts
  private readonly trigrams = new Trigrams()
  readonly parts: Array<Part> = []
  private slots = 0
  /** Slots from here on have no postings. */
  private indexed = 0
  /** While many leads come at once, a part is made when its block is full. */
  private isFilling = true

  constructor(texts: SlotTexts, sizes: PartSizes) {
    this.texts = texts
    this.sizes = sizes
  }

  /** Bytes of memory that they take. */
  get byteLength(): number {
    const partBytes = this.parts.reduce((sum, { postings }) => sum + postings.byteLength, 0)
    return partBytes + this.trigrams.byteLength
  }

  /** Whether many leads come at once, before any search. */
  get isLoading(): boolean {
    return this.isFilling
  }

  /** To be called before the first search. */
  endLoading(): void {
    this.isFilling = false
    if (this.indexed < this.slots) this.index()
  }

  /** Appends the texts of the next slot, and makes postings where it is time to. */
  append(slot: number, name: Buffer, headline: Buffer): void {
    const isFull = this.texts.append(slot, name, headline)
    this.slots = slot + 1
    if (isFull || (!this.isFilling && this.slots - this.indexed >= this.sizes.scannedLeads)) this.index()
  }

  /** Removes the slot's texts, and the postings that could make them again. [PII-3] */
  remove(slot: number): void {
    const { texts } = this
    if (slot < this.indexed) {
      const part = this.parts.findLast(({ from }) => from <= slot)!
      part.postings.remove(texts.blockOf(slot), texts.inBlock(slot), slot - part.from, this.trigrams)
    }
    texts.erase(slot)
  }

  /** Calls for each slot whose text contains the bytes, once or more often in a row. */
  find(bytes: Buffer, found: (slot: number) => void): void {
    const { texts } = this
    const needle = needleOf(bytes, this.trigrams)
    for (const { from, postings } of this.parts) postings.find(needle, from, texts, found)
    texts.scan(bytes, this.indexed, this.slots, found)
  }

  /** Makes the postings of the newest part, and joins it with those before it where they are enough. */
  private index(): void {
    const { joinedParts, partLeads } = this.sizes
    const { parts, texts, trigrams } = this
    const from = texts.newestFrom
    if (parts.at(-1)?.from === from) parts.pop()!.postings.uncount(trigrams)
    const postings = TrigramPostings.of(texts.newest, this.slots - from, trigrams)
    parts.push({ from, blocks: 1, postings })
    this.indexed = this.slots
    const joined = parts.slice(-joinedParts)
    if (this.slots - from < partLeads || joined.length < joinedParts) return
    if (joined.some(({ blocks }) => blocks > 1)) return
    parts.length -= joinedParts
    const all = joined.map((part) => part.postings)
    parts.push({
      from: joined[0]!.from,
      blocks: joinedParts,
      postings: TrigramPostings.concat(all, partLeads)
    })
  }
}
