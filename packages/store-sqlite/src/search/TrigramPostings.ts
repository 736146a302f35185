/**
 * Where trigrams of bytes lie in texts. A posting has the slot of a text and the position in it, so lists of two trigrams are joined on
 * where the needle would begin: what they leave of a needle of six bytes needs no look at a text. The last two bytes of a text begin
 * trigrams that end with its end, so each byte begins one: the lists of what begins with a needle of one or two bytes have all of its places.
 */
import { trigramAt, trigramOf, type Trigrams } from "./Trigrams.ts"

/**
 * The bound on slots of one part of postings, and on positions in a text: a posting has 16 bits for each. No text is longer: folding leaves
 * 2,000 UTF-16 units, and so 6,000 bytes, of a name and as many of a headline at most.
 */
const maxSlots = 65_536

/** In place of each posting of a list whose slots were all removed. */
export const removed = 0xffff_ffff

/** Texts one after the other: text n begins at `starts[n]` and ends where the next begins. */
export interface Texts {
  readonly starts: Uint32Array
  readonly bytes: Uint8Array
}

interface JoinedList {
  readonly trigram: number
  /** In the needle. */
  readonly offset: number
  /** Whether the trigrams up to here have all bytes of the needle. */
  readonly isWhole: boolean
}

/** A needle with the lists that find it. */
export type Needle =
  /** One or two bytes are in all of these lists. */
  | { readonly bytes: Buffer; readonly united: ReadonlyArray<number> }
  /** Three bytes and more are in what these lists have in common; null where no text with postings can contain it. */
  | { readonly bytes: Buffer; readonly united: null; readonly lists: ReadonlyArray<JoinedList> | null }

/** Takes the rarest trigrams first, up to those that have all bytes of the needle, which has one at least. */
export const needleOf = (bytes: Buffer, trigrams: Trigrams): Needle => {
  if (bytes.length < 3) return { bytes, united: trigrams.startingWith(bytes) }
  const all: Array<{ trigram: number; offset: number }> = []
  for (let offset = 0; offset + 2 < bytes.length; offset++) {
    const trigram = trigrams.find(trigramOf(bytes[offset]!, bytes[offset + 1]!, bytes[offset + 2]!))
    if (trigram < 0) return { bytes, united: null, lists: null }
    all.push({ trigram, offset })
  }
  const last = bytes.length - 3
  // The first and the last have all of six bytes.
  const wanted = last <= 3 ? all.filter(({ offset }) => offset === 0 || offset === last) : all
  const counts = trigrams.counts
  wanted.sort((a, b) => counts[a.trigram]! - counts[b.trigram]! || a.offset - b.offset)
  const has = new Uint8Array(bytes.length)
  let missing = bytes.length
  const lists = []
  for (const { offset, trigram } of wanted) {
    const before = missing
    for (let i = offset; i < offset + 3; i++) if (has[i]!++ === 0) missing--
    if (missing < before) lists.push({ trigram, offset, isWhole: missing === 0 })
  }
  return { bytes, united: null, lists }
}

/** Texts that what the lists leave is compared with. */
export interface Comparable {
  /** Whether the slot's text contains the needle at the position, from which on it can be too short. */
  readonly contains: (slot: number, position: number, needle: Uint8Array) => boolean
  /** Whether the slot's text contains the needle anywhere. */
  readonly includes: (slot: number, needle: Buffer) => boolean
}

/** Looking at a text, which lies somewhere in memory, takes as long as reading so many postings. */
const postingsPerText = 32

let candidates = new Uint32Array(maxSlots)
let joined = new Uint32Array(maxSlots)

/** The place behind that of the slot's first candidate; zero where it has none, and of all slots between two joins. */
const firstOfSlot = new Uint32Array(maxSlots)

/** Slots of one part that a union has met; zero between two. */
const met = new Uint8Array(maxSlots)

/** The number of slots that the first candidates belong to. */
const slotsAmong = (count: number): number => {
  let slots = 0
  let last = -1
  for (let i = 0; i < count; i++) {
    const slot = candidates[i]! >>> 16
    if (slot !== last) slots++
    last = slot
  }
  return slots
}

/** The postings of some slots' texts. */
export class TrigramPostings {
  /** Where the postings of each trigram begin, by its number. */
  private readonly offsets: Uint32Array
  /** The slot of each in the upper 16 bits, and the position in the lower ones. */
  readonly postings: Uint32Array

  private constructor(offsets: Uint32Array, postings: Uint32Array) {
    this.offsets = offsets
    this.postings = postings
  }

  get byteLength(): number {
    return this.offsets.byteLength + this.postings.byteLength
  }

  /** Makes the postings of so many texts, with slots from 0 on. */
  static of(texts: Texts, count: number, trigrams: Trigrams): TrigramPostings {
    const { bytes, starts } = texts
    const max = starts[count]! - starts[0]!
    const numbers = new Int32Array(max)
    const keys = new Uint32Array(max)
    let total = 0
    for (let slot = 0; slot < count; slot++) {
      const from = starts[slot]!
      const to = starts[slot + 1]!
      for (let at = from; at < to; at++) {
        const trigram = trigramAt(bytes, at)
        if (trigram === 0) continue
        numbers[total] = trigrams.numberOf(trigram)
        keys[total++] = slot * maxSlots + at - from
      }
    }
    const offsets = new Uint32Array(trigrams.size + 1)
    const { counts } = trigrams
    for (let i = 0; i < total; i++) {
      offsets[numbers[i]! + 1]!++
      counts[numbers[i]!]!++
    }
    for (let i = 0; i < trigrams.size; i++) offsets[i + 1]! += offsets[i]!
    const postings = new Uint32Array(total)
    const next = offsets.slice()
    for (let i = 0; i < total; i++) postings[next[numbers[i]!]!++] = keys[i]!
    return new TrigramPostings(offsets, postings)
  }

  /** Joins parts of so many slots each, the slots of one behind those of the other. */
  static concat(parts: ReadonlyArray<TrigramPostings>, slots: number): TrigramPostings {
    const size = Math.max(...parts.map(({ offsets }) => offsets.length))
    const offsets = new Uint32Array(size)
    const postings = new Uint32Array(parts.reduce((sum, part) => sum + part.postings.length, 0))
    let to = 0
    for (let trigram = 0; trigram < size - 1; trigram++) {
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i]!
        const shift = i * slots * maxSlots
        const last = part.offsets[trigram + 1]
        if (last === undefined) continue
        for (let at = part.offsets[trigram]!; at < last && part.postings[at] !== removed; at++) {
          postings[to++] = part.postings[at]! + shift
        }
      }
      offsets[trigram + 1] = to
    }
    return new TrigramPostings(offsets, to === postings.length ? postings : postings.slice(0, to))
  }

  /** Takes back what the trigrams count for it. */
  uncount(trigrams: Trigrams): void {
    const { offsets, postings } = this
    for (let trigram = 0; trigram < offsets.length - 1; trigram++) {
      for (let at = offsets[trigram]!; at < offsets[trigram + 1]! && postings[at] !== removed; at++) {
        trigrams.counts[trigram]!--
      }
    }
  }

  /**
   * Removes the postings of a slot, whose text must still be there: from postings with positions a text could be made again. Those of a
   * trigram lie next to each other, and take the value of a neighbour, so nothing moves, however long the list is.
   */
  remove(texts: Texts, textSlot: number, slot: number, trigrams: Trigrams): void {
    const { bytes, starts } = texts
    const { offsets, postings } = this
    const from = starts[textSlot]!
    const to = starts[textSlot + 1]!
    for (let at = from; at < to; at++) {
      const trigram = trigramAt(bytes, at)
      if (trigram === 0) continue
      const number = trigrams.find(trigram)
      const [start, stop] = [offsets[number]!, offsets[number + 1]!]
      const low = this.firstFrom(start, stop, slot * maxSlots)
      const high = this.firstFrom(low, stop, (slot + 1) * maxSlots)
      // Also where an earlier place of the text has had the same trigram.
      if (low === high) continue
      const before = low > start ? postings[low - 1]! : removed
      const after = high < stop ? postings[high]! : removed
      const neighbour = before === removed ? after : before
      postings.fill(neighbour, low, high)
      if (neighbour === removed) trigrams.counts[number]! -= stop - start
    }
  }

  /** The first place between two that has the key or a greater one. */
  private firstFrom(from: number, to: number, key: number): number {
    const { postings } = this
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (postings[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The slots whose texts contain the needle, in order, each at least once; `base` is the number of the first slot. */
  find(needle: Needle, base: number, texts: Comparable, found: (slot: number) => void): void {
    if (needle.united !== null) this.unite(needle.united, base, found)
    else if (needle.lists !== null) this.join(needle.bytes, needle.lists, base, texts, found)
  }

  private unite(numbers: ReadonlyArray<number>, base: number, found: (slot: number) => void): void {
    const { offsets, postings } = this
    let [first, last] = [maxSlots, -1]
    for (const number of numbers) {
      const to = offsets[number + 1]
      const from = offsets[number]!
      if (to === undefined || from === to || postings[from] === removed) continue
      first = Math.min(first, postings[from]! >>> 16)
      last = Math.max(last, postings[to - 1]! >>> 16)
      for (let at = from; at < to; at++) met[postings[at]! >>> 16] = 1
    }
    for (let slot = first; slot <= last; slot++) if (met[slot] === 1) found(base + slot)
    met.fill(0, first, last + 1)
  }

  /**
   * Keeps the candidates that have a posting so far behind them; answers how many. Nearly all postings are of slots without a candidate, as
   * one look tells: to go along both lists would take a branch that no processor predicts for each candidate.
   */
  private keepJoined(count: number, from: number, to: number, offset: number): number {
    const { postings } = this
    if (joined.length < candidates.length) joined = new Uint32Array(candidates.length)
    for (let i = count - 1; i >= 0; i--) firstOfSlot[candidates[i]! >>> 16] = i + 1
    let kept = 0
    let lastKept = -1
    let slot = -1
    let i = 0
    for (let at = from; at < to; at++) {
      const posting = postings[at]!
      const first = firstOfSlot[posting >>> 16]!
      if (first === 0) continue
      if (posting >>> 16 !== slot) {
        slot = posting >>> 16
        i = first - 1
      }
      const key = posting - offset
      // Both ascend within a slot, so a text that repeats one character is gone along once, too.
      while (i < count && candidates[i]! < key) i++
      // Where postings were removed, others are there more than once.
      if (i === count || candidates[i] !== key || key === lastKept) continue
      joined[kept++] = key
      lastKept = key
    }
    for (let i = 0; i < count; i++) firstOfSlot[candidates[i]! >>> 16] = 0
    const before = candidates
    candidates = joined
    joined = before
    return kept
  }

  /** The postings of the lists from the i-th on. */
  private countOf(lists: ReadonlyArray<JoinedList>, i: number): number {
    let count = 0
    for (let each = i; each < lists.length; each++) {
      const { trigram } = lists[each]!
      count += (this.offsets[trigram + 1] ?? 0) - (this.offsets[trigram] ?? 0)
    }
    return count
  }

  /**
   * Finds the texts with all trigrams of a needle at their distances: the first list gives candidates, further ones leave some of them, until
   * comparing the texts that are left costs less than what is ahead of the lists.
   */
  private join(
    bytes: Buffer,
    lists: ReadonlyArray<JoinedList>,
    base: number,
    texts: Comparable,
    found: (slot: number) => void
  ): void {
    const { offsets, postings } = this
    let count = 0
    let keptMost = false
    let isWhole = false
    for (let i = 0; i < lists.length; i++) {
      const { offset, trigram } = lists[i]!
      const to = offsets[trigram + 1]
      if (to === undefined) return
      const from = offsets[trigram]!
      if (i === 0) {
        if (to - from > candidates.length) candidates = new Uint32Array((to - from) * 2)
        for (let at = from; at < to && postings[at] !== removed; at++) {
          const key = postings[at]!
          // Else the needle would begin before the text.
          if ((key & 0xffff) >= offset) candidates[count++] = key - offset
        }
      } else {
        const slots = i === 1 ? count : slotsAmong(count)
        // Where the list before has kept most, the others will, too.
        const ahead = keptMost ? this.countOf(lists, i) : to - from
        if (slots * postingsPerText < ahead) break
        const before = count
        count = this.keepJoined(count, from, to, offset)
        keptMost = count * 2 > before
      }
      if (count === 0) return
      isWhole = lists[i]!.isWhole
    }
    for (let i = 0, next = 0; i < count; i = next) {
      const key = candidates[i]!
      const slot = key >>> 16
      for (next = i + 1; next < count && candidates[next]! >>> 16 === slot; next++);
      const isFound =
        isWhole ||
        // A text with several places is read through once, however many they are.
        (next > i + 1 ? texts.includes(base + slot, bytes) : texts.contains(base + slot, key & 0xffff, bytes))
      if (isFound) found(base + slot)
    }
  }
}
