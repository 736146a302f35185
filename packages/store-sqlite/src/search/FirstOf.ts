/** The first numbers in an order, by selection: a page of many hits is found without sorting them all. */

/** Rounds of selection before the rest is sorted: names and scores made against the choice of pivots would take quadratic time. */
const maxRounds = 64

/** Moves the numbers between two places that come before one of them in front of it; answers where that one is then. */
const partition = (
  items: Uint32Array,
  low: number,
  high: number,
  compare: (a: number, b: number) => number
): number => {
  const middle = (low + high) >>> 1
  const pivot = items[middle]!
  items[middle] = items[high]!
  let to = low
  for (let i = low; i < high; i++) {
    const item = items[i]!
    if (compare(item, pivot) >= 0) continue
    items[i] = items[to]!
    items[to++] = item
  }
  items[high] = items[to]!
  items[to] = pivot
  return to
}

/** Puts the number that comes at the place in the order there, smaller ones before it and greater ones behind. */
const select = (
  items: Uint32Array,
  place: number,
  first: number,
  compare: (a: number, b: number) => number
): void => {
  let [low, high] = [first, items.length - 1]
  for (let round = 0; low < high; round++) {
    if (round === maxRounds) {
      items.subarray(low, high + 1).sort(compare)
      return
    }
    const at = partition(items, low, high, compare)
    if (at === place) return
    if (at < place) low = at + 1
    else high = at - 1
  }
}

/**
 * Orders the numbers from 0 to `count - 1` by `compare`, and answers those at the places from `from` up to, but not including, `to`.
 * `compare` must not be 0 for two numbers.
 */
export const firstOf = (
  count: number,
  from: number,
  to: number,
  compare: (a: number, b: number) => number
): Array<number> => {
  const items = new Uint32Array(count)
  for (let i = 0; i < count; i++) items[i] = i
  if (from > 0) select(items, from, 0, compare)
  if (to < count) select(items, to, from, compare)
  return Array.from(items.subarray(from, to)).sort(compare)
}
