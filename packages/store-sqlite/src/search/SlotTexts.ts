/**
 * The folded texts of slots: of each a name and a headline, one after the other, in blocks of equal numbers of slots. Each text ends with
 * U+0000, which no stored text and no needle contains.
 */
import type { Comparable, Texts } from "./TrigramPostings.ts"
import { end } from "./Trigrams.ts"

/** A block grows where its texts are longer. */
const expectedTextBytes = 64

class TextBlock implements Texts {
  readonly starts
  bytes

  constructor(slots: number) {
    this.starts = new Uint32Array(slots + 1)
    this.bytes = Buffer.alloc(slots * expectedTextBytes)
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

/** Bytes of a name that a number can have. */
const prefixBytes = 6

/** A number in the order of the six bytes from there on; 0 stands for each that the text lacks. */
export const prefixOf = (text: Uint8Array, from = 0): number => {
  let prefix = 0
  let isOver = false
  for (let at = from; at < from + prefixBytes; at++) {
    isOver ||= at >= text.length || text[at] === end
    prefix = prefix * 256 + (isOver ? 0 : text[at]!)
  }
  return prefix
}

/** Texts of slots that are numbered from 0 on as they are appended. */
export class SlotTexts implements Comparable {
  private readonly blockSlots: number
  private readonly blocks: Array<TextBlock> = []

  constructor(blockSlots: number) {
    this.blockSlots = blockSlots
  }

  /** Bytes of memory that they take. */
  get byteLength(): number {
    return this.blocks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** The first slot of the newest block. */
  get newestFrom(): number {
    return (this.blocks.length - 1) * this.blockSlots
  }

  /** The newest block; there is one from the first slot on. */
  get newest(): Texts {
    return this.blocks.at(-1)!
  }

  /** Puts in the texts of the next slot; whether they have filled its block. */
  append(slot: number, name: Buffer, headline: Buffer): boolean {
    const inBlock = slot % this.blockSlots
    if (inBlock === 0) this.blocks.push(new TextBlock(this.blockSlots))
    const block = this.blocks.at(-1)!
    block.set(inBlock, name, headline)
    const isFull = inBlock === this.blockSlots - 1
    if (isFull) block.shrink(this.blockSlots)
    return isFull
  }

  /** The block of the slot. */
  blockOf(slot: number): Texts {
    return this.blocks[Math.floor(slot / this.blockSlots)]!
  }

  /** The slot's place in its block. */
  inBlock(slot: number): number {
    return slot % this.blockSlots
  }

  /** Overwrites the slot's texts. [PII-3] */
  erase(slot: number): void {
    const { bytes, starts } = this.blocks[Math.floor(slot / this.blockSlots)]!
    const inBlock = slot % this.blockSlots
    bytes.fill(end, starts[inBlock], starts[inBlock + 1])
  }

  /** Whether the slot has these texts. */
  has(slot: number, name: Buffer, headline: Buffer): boolean {
    const { blockSlots } = this
    const { bytes, starts } = this.blocks[Math.floor(slot / blockSlots)]!
    const [from, to] = [starts[slot % blockSlots]!, starts[(slot % blockSlots) + 1]!]
    return (
      to - from === name.length + headline.length + 2 &&
      bytes.compare(name, 0, name.length, from, from + name.length) === 0 &&
      bytes[from + name.length] === end &&
      bytes.compare(headline, 0, headline.length, from + name.length + 1, to - 1) === 0
    )
  }

  /** Whether the slot's text contains the bytes at the position. */
  contains(slot: number, position: number, needle: Uint8Array): boolean {
    const { blockSlots } = this
    const { bytes, starts } = this.blocks[Math.floor(slot / blockSlots)]!
    const from = starts[slot % blockSlots]! + position
    if (from + needle.length > starts[(slot % blockSlots) + 1]!) return false
    for (let i = 0; i < needle.length; i++) if (bytes[from + i] !== needle[i]) return false
    return true
  }

  /** Whether the slot's text contains the bytes anywhere. */
  includes(slot: number, needle: Buffer): boolean {
    const { blockSlots } = this
    const { bytes, starts } = this.blocks[Math.floor(slot / blockSlots)]!
    return bytes.subarray(starts[slot % blockSlots], starts[(slot % blockSlots) + 1]).includes(needle)
  }

  /** Reads the texts of the slots from `from` up to, but not including, `to` through, which lie in the newest block. */
  scan(needle: Buffer, from: number, to: number, found: (slot: number) => void): void {
    if (from === to) return
    const { bytes, starts } = this.blocks.at(-1)!
    const first = this.newestFrom
    const stop = to - first
    const texts = bytes.subarray(0, starts[stop])
    let slot = from - first
    for (let at = texts.indexOf(needle, starts[slot]); at >= 0; at = texts.indexOf(needle, starts[slot])) {
      let high = stop
      while (high - slot > 1) {
        const middle = (slot + high) >> 1
        if (starts[middle]! <= at) slot = middle
        else high = middle
      }
      found(first + slot++)
    }
  }

  /** A number in the order of the n-th six bytes of a name that has all bytes before. */
  namePart(slot: number, n: number): number {
    const { blockSlots } = this
    const { bytes, starts } = this.blocks[Math.floor(slot / blockSlots)]!
    return prefixOf(bytes, starts[slot % blockSlots]! + n * prefixBytes)
  }

  /** By bytes of UTF-8, which is by code points. [SORT-6] */
  compareNames(a: number, b: number): number {
    return Buffer.compare(this.nameOf(a), this.nameOf(b))
  }

  private nameOf(slot: number): Uint8Array {
    const { blockSlots } = this
    const { bytes, starts } = this.blocks[Math.floor(slot / blockSlots)]!
    const from = starts[slot % blockSlots]!
    return bytes.subarray(from, bytes.indexOf(end, from))
  }
}
