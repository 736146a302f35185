/**
 * Seeded pseudo-random numbers, split by label: a draw added to one stream does not move another. The same seed and
 * label give the same numbers on every machine. Not for secrets.
 */

/** FNV-1a over UTF-16 units: spreads a label over 32 bits. */
const spread = (label: string, basis: number): number => {
  let hash = basis >>> 0
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193) >>> 0
  return hash
}

/** A stream of seeded pseudo-random numbers (sfc32). */
export class Prng {
  private constructor(
    private a: number,
    private b: number,
    private c: number,
    private counter: number
  ) {
    for (let i = 0; i < 12; i++) this.next32()
  }

  /**
   * The stream of a seed, a safe integer of at least 0, and a label. The same two give the same numbers on every
   * machine.
   */
  static of(seed: number, label: string): Prng {
    return new Prng(
      seed >>> 0,
      Math.floor(seed / 2 ** 32) >>> 0,
      spread(label, 0x811c9dc5),
      spread(label, 0x01234567) | 1
    )
  }

  /** Draws an integer from 0 to 2³² − 1. */
  next32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum
    return sum >>> 0
  }

  /** Draws a number from 0 to 1, without 1. */
  fraction(): number {
    return this.next32() / 2 ** 32
  }

  /** Draws an integer from 0 to `below` − 1. */
  below(below: number): number {
    return Math.floor(this.fraction() * below)
  }

  /** True with this probability, from 0 (never) to 1 (always). */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Draws a waiting time of this mean, as between independent events: a whole number of at least 0. */
  wait(mean: number): number {
    return Math.ceil(-Math.log(1 - this.fraction()) * mean)
  }

  /** One of the items, each equally likely. There must be at least one. */
  pick<A>(items: ReadonlyArray<A>): A {
    return items[this.below(items.length)]!
  }
}

/** Makes a draw of ranks from 0 to n − 1, in which rank r has the weight 1 / (r + 1)^exponent. */
export const zipf = (n: number, exponent: number): ((prng: Prng) => number) => {
  const cumulative: Array<number> = []
  let sum = 0
  for (let rank = 0; rank < n; rank++) {
    sum += 1 / (rank + 1) ** exponent
    cumulative.push(sum)
  }
  return (prng) => {
    const wanted = prng.fraction() * sum
    let low = 0
    let high = n - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (cumulative[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
