/**
 * A part of many items in an order that numbers decide. The items are spread over buckets by their keys, and only those in the buckets of
 * the wanted part are looked at again: in a finer way, or by the keys of the next level where one level does not tell them apart. So each item
 * is read a few times, however many there are and wherever the part lies, and nothing is sorted but what lies around it.
 */
import { firstOf } from "./FirstOf.ts"

/** An order by keys of several levels, each of which decides between what those before leave equal. */
export interface KeyedOrder {
  /** Writes the keys of the items at this level, any numbers but NaN and -Infinity. Items that earlier levels tell apart are not asked for together. */
  readonly writeKeys: (items: Uint32Array, level: number, keys: Float64Array) => void
  /** The level that decides between items which all have this key at the level before; null where `compare` alone does. */
  readonly levelAfter: (level: number, key: number) => number | null
  /** The whole order of two items; never 0. */
  readonly compare: (a: number, b: number) => number
}

/** Buckets of one round, besides one for Infinity. */
const bucketCount = 4096

/** So few are ordered by `compare`. */
const maxCompared = 256

/** Rounds after which `compare` orders what is left: keys made for it could leave most items in one bucket each time. */
const maxRounds = 24

/** The items of one round; each round overwrites them. */
let keys = new Float64Array(4096)
let buckets = new Uint16Array(4096)

const placesOf = new Uint32Array(bucketCount + 2)

interface Part {
  readonly items: Uint32Array
  readonly from: number
  readonly to: number
}

/**
 * Spreads the items over buckets by their keys, and goes on in the buckets alone that have places of the part; sorting all items would
 * take several times as long. Where one key is left, the next level of keys decides, and `compare` where there is none.
 */
const collect = (
  { from, items, to }: Part,
  order: KeyedOrder,
  level: number | null,
  round: number
): Array<number> => {
  const count = items.length
  if (count <= maxCompared || round === maxRounds || level === null) {
    return firstOf(count, from, to, (a, b) => order.compare(items[a]!, items[b]!)).map((i) => items[i]!)
  }
  if (count > keys.length) {
    keys = new Float64Array(Math.ceil(count * 1.25))
    buckets = new Uint16Array(keys.length)
  }
  order.writeKeys(items, level, keys)
  let [min, max] = [Infinity, -Infinity]
  let infinite = 0
  for (let i = 0; i < count; i++) {
    const key = keys[i]!
    if (key === Infinity) infinite++
    else {
      if (key < min) min = key
      if (key > max) max = key
    }
  }
  if (infinite === count || (infinite === 0 && min === max)) {
    return collect({ items, from, to }, order, order.levelAfter(level, keys[0]!), round + 1)
  }
  const scale = bucketCount / (max - min)
  placesOf.fill(0)
  for (let i = 0; i < count; i++) {
    const key = keys[i]!
    // 0 / 0 and what overflows go to either end, which keeps the order.
    const bucket = key === Infinity ? bucketCount : Math.min((key - min) * scale, bucketCount - 1) | 0
    buckets[i] = bucket
    placesOf[bucket + 1]!++
  }
  for (let i = 0; i <= bucketCount; i++) placesOf[i + 1]! += placesOf[i]!
  let first = 0
  while (placesOf[first + 1]! <= from) first++
  let last = first
  while (placesOf[last + 1]! < to) last++
  const start = placesOf[first]!
  const spread = new Uint32Array(placesOf[last + 1]! - start)
  const ends = placesOf.slice(first, last + 1)
  for (let i = 0; i < count; i++) {
    const bucket = buckets[i]!
    if (bucket >= first && bucket <= last) spread[ends[bucket - first]!++ - start] = items[i]!
  }
  const found: Array<number> = []
  let before = start
  for (const end of ends) {
    if (end > before) {
      const part = spread.subarray(before - start, end - start)
      const within = { items: part, from: Math.max(from - before, 0), to: Math.min(to, end) - before }
      found.push(...collect(within, order, level, round + 1))
    }
    before = end
  }
  return found
}

/** The items at the places from `from` up to, but not including, `to` in the order; both are within the items, which are all different. */
export const selectByKeys = (
  items: Uint32Array,
  from: number,
  to: number,
  order: KeyedOrder
): Array<number> => (from >= to ? [] : collect({ items, from, to }, order, 0, 0))
