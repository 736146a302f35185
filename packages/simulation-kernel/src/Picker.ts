/**
 * Which of the runnable fibers goes on: drawn from the seed, so that interleavings are part of the history. Random picks
 * find races between neighbours, priorities that change a few times (PCT) those of fibers that are far apart.
 */
import type { Prng } from "./Prng.ts"

/** A fiber that can run. */
export interface Runnable {
  /** The number of the fiber's lane, ascending in the order in which lanes were made. */
  readonly lane: number
}

/** The choice of the fiber that runs next. */
export interface Picker {
  /** Answers an index into the runnable lanes, of which there is at least one. */
  readonly pick: (runnable: ReadonlyArray<Runnable>) => number
}

/** Picks in the order in which fibers became runnable, as a host does. */
export const fifo: Picker = { pick: () => 0 }

/** Picks each runnable fiber with the same chance. */
export const random = (prng: Prng): Picker => ({ pick: (runnable) => prng.below(runnable.length) })

/** How many picks a run is taken to have, over which the changes of priority are spread. */
const picksExpected = 20_000

/** Picks by drawn priorities, the highest first; at `changes` drawn picks it puts the fiber that runs last (PCT). */
export const pct = (prng: Prng, changes: number): Picker => {
  const priorities = new Map<number, number>()
  const changePoints = new Set(Array.from({ length: changes }, () => prng.below(picksExpected)))
  let picks = 0
  let lowest = 0
  return {
    pick: (runnable) => {
      let best = 0
      let max = Number.NEGATIVE_INFINITY
      for (let i = 0; i < runnable.length; i++) {
        const { lane } = runnable[i]!
        let priority = priorities.get(lane)
        if (priority === undefined) {
          priority = prng.fraction()
          priorities.set(lane, priority)
        }
        if (priority <= max) continue
        best = i
        max = priority
      }
      if (changePoints.has(picks++)) priorities.set(runnable[best]!.lane, --lowest)
      return best
    }
  }
}

/**
 * Picks as `picker` does, and adds to `picks` every index that a host would not have picked, by the number of picks
 * before it.
 */
export const recorded = (picker: Picker, picks: Map<number, number>): Picker => {
  let count = 0
  return {
    pick: (runnable) => {
      const index = picker.pick(runnable)
      if (index !== 0) picks.set(count, index)
      count++
      return index
    }
  }
}

/** Picks as `recorded` noted, as far as there are as many lanes, and otherwise as a host does. */
export const scripted = (picks: ReadonlyMap<number, number>): Picker => {
  let count = 0
  return { pick: (runnable) => Math.min(picks.get(count++) ?? 0, runnable.length - 1) }
}

/** Draws a picker: random in seven of ten cases, PCT with 3 changes in two, as a host in one. */
export const ofSeed = (prng: Prng): Picker => {
  const draw = prng.fraction()
  if (draw < 0.7) return random(prng)
  return draw < 0.9 ? pct(prng, 3) : fifo
}
