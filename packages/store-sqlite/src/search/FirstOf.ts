/** Puts what is smaller than one of them before it, for the numbers between two places; where that one is. */
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
  while (low < high) {
    const at = partition(items, low, high, compare)
    if (at === place) return
    if (at < place) low = at + 1
    else high = at - 1
  }
}

/**
 * Of the numbers below `count` those from the place `from` to before `to` in their order, without sorting the others. No two may be
 * equal.
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
