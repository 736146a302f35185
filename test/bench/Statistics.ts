/** Medians and spreads: what a noisy machine lets one say. */
export const quantile = (values: ReadonlyArray<number>, fraction: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]!
}

/** The mean of the two in the middle of an even number; NaN of none. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Three significant digits, from 1,000 on whole numbers. */
export const formatted = (value: number): string =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(value < 10 ? 2 : 3)))

/** The least and the greatest, as text. */
export const spread = (values: ReadonlyArray<number>): string =>
  `${formatted(Math.min(...values))}–${formatted(Math.max(...values))}`
