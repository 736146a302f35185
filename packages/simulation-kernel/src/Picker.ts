/**
 * Which of the runnable fibers goes on: drawn from the seed, so that interleavings are part of the history. Random picks
 * find races between neighbours, priorities that change a few times (PCT) those of fibers that are far apart.
 */
import type { Prng } from "./Prng.ts"

/** A fiber that can run. */
export interface Runnable {
  /** Ascending in the order in which lanes came to be. */
  readonly lane: number
}

export interface Picker {
  /** An index into the runnable lanes, of which there is at least one. */
  readonly pick: (runnable: ReadonlyArray<Runnable>) => number
}

/** In the order in which they became runnable: what a host does. */
export const fifo: Picker = { pick: () => 0 }

export const random = (prng: Prng): Picker => ({ pick: (runnable) => prng.below(runnable.length) })

/** How many picks a run is taken to have, over which the changes of priority are spread. */
const picksExpected = 20_000

/** Each lane has a priority, the highest runs; at `changes` drawn picks the one that runs is put last. */
export const pct = (prng: Prng, changes: number): Picker => {
  const priorities = new Map<number, number>()
  const changePoints = new Set(Array.from({ length: changes }, () => prng.below(picksExpected)))
  let picks = 0
  let lowest = 0
  return {
    pick: (runnable) => {
      let best = 0
      let greatest = Number.NEGATIVE_INFINITY
      for (const [i, { lane }] of runnable.entries()) {
        const priority = priorities.get(lane) ?? prng.fraction()
        priorities.set(lane, priority)
        if (priority > greatest) [best, greatest] = [i, priority]
      }
      if (changePoints.has(picks++)) priorities.set(runnable[best]!.lane, --lowest)
      return best
    }
  }
}

/** Notes every pick that a host would not have made: by how many picks came before it, the index. */
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

/** Makes the noted picks, as far as there are as many lanes, and else those of a host. */
export const scripted = (picks: ReadonlyMap<number, number>): Picker => {
  let count = 0
  return { pick: (runnable) => Math.min(picks.get(count++) ?? 0, runnable.length - 1) }
}

/** The strategy of a seed: mostly random picks, some PCT, some as a host would. */
export const ofSeed = (prng: Prng): Picker => {
  const draw = prng.fraction()
  if (draw < 0.7) return random(prng)
  return draw < 0.9 ? pct(prng, 3) : fifo
}
