/** Runs that send the whole vocabulary, a part each: every form of every input, beside two people whose leads they can be about. */
import type { Action } from "./plan/Plan.ts"
import { inputOf, type RunInput } from "./Run.ts"
import { scenarioNamed } from "./Scenarios.ts"
import { probes } from "./vocabulary/Probes.ts"
import { unreachable } from "./vocabulary/Unreachable.ts"

/** How many probes a part has: those of one operation, or of few. */
const partLength = 150

const reachable = (): ReadonlyArray<string> =>
  [...probes().keys()].filter((name) => unreachable(name) === null)

/** The number of parts that the vocabulary has. */
export const vocabularyParts = (): number => Math.ceil(reachable().length / partLength)

const observed = (brand: number): Action => ({
  n: brand,
  at: 0,
  brand,
  do: "observe",
  isLines: false,
  seen: [
    {
      signal: 0,
      person: { extId: `b${brand}-p0.`, name: `Name of b${brand}-p0.` },
      engagement: { id: `b${brand}-e0` }
    }
  ]
})

/** A run of nothing but the probes of these names. */
export const probingInput = (names: ReadonlyArray<string>, seed = 1): RunInput => {
  const quiet = inputOf(scenarioNamed("quiet-day")!, seed, 0.01)
  const consumers = [{ behaviour: "healthy" as const, events: ["lead2.created", "activity.detected"] }]
  return {
    ...quiet,
    schedule: { kind: "fifo" },
    plan: {
      ...quiet.plan,
      hours: 0.5,
      brands: [{ consumers }, { consumers }],
      actions: [observed(0), observed(1), { n: 2, at: 2000, brand: 0, do: "probe", probes: names }],
      scheduledFaults: []
    }
  }
}

/** A run of a part of the vocabulary, from 1 to `vocabularyParts`. */
export const vocabularyInput = (part: number): RunInput =>
  probingInput(reachable().slice((part - 1) * partLength, part * partLength), part)
