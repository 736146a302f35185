/** The processes of a seed: how many serve the store, with which settings, and which of them each fault strikes. */
import { Prng } from "@lead-signals/simulation-kernel"
import type { Scenario } from "../Scenario.ts"
import { type Plan, type PlannedProcess, routings, type ScheduledFault } from "./Plan.ts"

/** The share of processes that begin with an older version's settings, where there are several. */
const olderShare = 0.3

/** Nothing where one process serves a store of its own: so it was in every plan that names no processes. */
export const processesOfSeed = (
  { networkedStore, processes: { least, most } }: Pick<Scenario, "networkedStore" | "processes">,
  seed: number
): Pick<Plan, "processes" | "routing" | "networkedStore"> => {
  const draw = Prng.of(seed, "processes")
  const count = least + draw.below(Math.max(1, most - least + 1))
  return {
    ...(count === 1
      ? {}
      : {
          processes: Array.from({ length: count }, (): PlannedProcess => ({
            older: draw.chance(olderShare)
          })),
          routing: draw.pick(routings)
        }),
    ...(networkedStore ? { networkedStore } : {})
  }
}

/** A fault of one process strikes the one that the seed chooses. */
export const withProcesses = (
  faults: ReadonlyArray<ScheduledFault>,
  seed: number,
  count: number
): ReadonlyArray<ScheduledFault> => {
  if (count === 1) return faults
  const draw = Prng.of(seed, "processes that faults befall")
  return faults.map((fault) => ({ ...fault, process: draw.below(count) }))
}
