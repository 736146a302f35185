/** The schedule of attempts as the interface gives it, apart from the code that keeps it. [DELIV-3] */
const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The wait after each attempt that failed, in milliseconds; each can be a fifth shorter or longer. */
export const waits: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

/** The first, and one after each wait. */
export const attemptsInAll = waits.length + 1

/** Null: there was no answer. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status <= 299
