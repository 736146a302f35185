/** Trigrams: numbers of 24 bits for three successive bytes of a text, counted by how often texts have them. */

/** Ends each text of a slot. A trigram contains it only in place of what lies behind the end of its text. */
export const end = 0

/** The trigram of three bytes. */
export const trigramOf = (first: number, second: number, third: number): number =>
  (first << 16) | (second << 8) | third

/** The trigram that begins there, within its text; 0 where the text ends. */
export const trigramAt = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at]!
  if (first === end) return 0
  const second = bytes[at + 1]!
  return trigramOf(first, second, second === end ? end : bytes[at + 2]!)
}

/** Numbers trigrams from 0 on as they are met: lists are found by the number. */
export class Trigrams {
  size = 0
  private mask = 0xffff
  /** The trigram and its number at each place, or no trigram. */
  private keys = new Int32Array(this.mask + 1)
  private numbers = new Int32Array(this.mask + 1)
  /** How many postings each has, by its number: repeats that took the place of removed ones, too. */
  counts = new Int32Array(1024)

  get byteLength(): number {
    return this.keys.byteLength + this.numbers.byteLength + this.counts.byteLength
  }

  /** −1 for one that was never met. */
  find(trigram: number): number {
    const at = this.placeOf(trigram)
    return this.keys[at] === trigram ? this.numbers[at]! : -1
  }

  /** Gives the next number to one that was never met. */
  numberOf(trigram: number): number {
    const at = this.placeOf(trigram)
    if (this.keys[at] === trigram) return this.numbers[at]!
    const number = this.size++
    this.keys[at] = trigram
    this.numbers[at] = number
    if (number === this.counts.length) {
      const counts = new Int32Array(number * 2)
      counts.set(this.counts)
      this.counts = counts
    }
    if (this.size * 2 > this.mask) this.grow()
    return number
  }

  /** The numbers of the trigrams that begin with one or two bytes. */
  startingWith(bytes: Uint8Array): ReadonlyArray<number> {
    const shift = bytes.length === 1 ? 16 : 8
    const wanted = bytes.length === 1 ? bytes[0]! : (bytes[0]! << 8) | bytes[1]!
    const { keys, numbers } = this
    const found: Array<number> = []
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== 0 && keys[i]! >>> shift === wanted) found.push(numbers[i]!)
    }
    return found
  }

  private placeOf(trigram: number): number {
    let at = (Math.imul(trigram, 0x9e3779b1) >>> 8) & this.mask
    while (this.keys[at] !== trigram && this.keys[at] !== 0) at = (at + 1) & this.mask
    return at
  }

  private grow(): void {
    const { keys, numbers } = this
    this.mask = this.mask * 2 + 1
    this.keys = new Int32Array(this.mask + 1)
    this.numbers = new Int32Array(this.mask + 1)
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue
      const at = this.placeOf(keys[i]!)
      this.keys[at] = keys[i]!
      this.numbers[at] = numbers[i]!
    }
  }
}
