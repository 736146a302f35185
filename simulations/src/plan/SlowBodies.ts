/** Observations whose bodies come slowly: in time, or too late. [ERR-6] */
import type { Prng } from "@lead-signals/simulation-kernel"
import type { DatedAction } from "./Plan.ts"

/** An observation for the first time, or again. */
export type Observation = DatedAction & { readonly do: "observe" | "again" }

/** Pauses of a JSON body in three pieces, and of lines with a piece each: within their time, or beyond it. A clock that drifts changes none of that. */
const pausesOfJson = [
  [0, 4000, 4500],
  [8500, 0, 0],
  [3000, 3000, 2500],
  [0, 0, 65_000],
  [30_000, 35_000, 0],
  [70_000, 0, 0]
]
const pausesOfLines = [
  [1000, 25_000, 27_000],
  [50_000, 50_000, 50_000],
  [0, 40_000, 40_000],
  [0, 55_000, 0],
  [0, 70_000, 0],
  [50_000, 0, 90_000]
]

/** Pauses of lines with the longest texts: the bytes of one give the next no time. [ERR-6] */
const pausesOfLong = [
  [0, 0, 0, 0, 0, 55_000],
  [0, 0, 90_000, 0, 0, 0],
  [20_000, 40_000, 0, 0, 0, 100_000]
]

/** The same lines with pauses between the longest texts. */
export const longComingSlowly = (prng: Prng, action: Observation): Observation => ({
  ...action,
  arrival: { cuts: "lines", pauses: prng.pick(pausesOfLong) }
})

/** How many engagements a line body has that comes slowly: few others have several. */
const linesOfSlow = 3

/** The same observation with a body that comes slowly; half of them are lines. */
export const comingSlowly = (prng: Prng, action: Observation): Observation => {
  if (prng.chance(0.5)) {
    const { isLines: _, ...rest } = action
    return { ...rest, arrival: { cuts: 3, pauses: prng.pick(pausesOfJson) } }
  }
  const [first] = action.seen
  const seen = [
    ...action.seen,
    // The same engagement again is a duplicate. [EVT-8]
    ...Array.from({ length: Math.max(0, linesOfSlow - action.seen.length) }, () => first!)
  ]
  return { ...action, seen, isLines: true, arrival: { cuts: "lines", pauses: prng.pick(pausesOfLines) } }
}
