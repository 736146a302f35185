/** Mutants counted by what became of them. */
import { isKill } from "./Judgement.ts"
import type { Mutant } from "./Mutant.ts"
import type { Judged } from "./Judged.ts"
import { outsideReason } from "./Outside.ts"

/**
 * What became of a mutant: the simulator killed it by a rule or by a crash; only the tests did; neither did; it is
 * equivalent; or it was not judged to its end.
 */
export type Fate = "rule" | "crash" | "tests" | "neither" | "equivalent" | "open"

/** Whether runs of the simulator judge it. The client is no part of the simulated service. */
export const isSimulatable = ({ id, package: name }: Mutant): boolean =>
  name !== "client" && outsideReason(id) === null

/** The simulator comes first: what both notice counts as noticed by it. */
export const fateOf = ({ equivalent, mutant, simulator, tests }: Omit<Judged, "isOfFairPart">): Fate => {
  if (equivalent !== null) return "equivalent"
  if (simulator !== null && isKill(simulator)) return simulator.outcome === "oracle" ? "rule" : "crash"
  if (tests !== null && isKill(tests)) return "tests"
  return (simulator === null && isSimulatable(mutant)) || tests === null ? "open" : "neither"
}

/** Whether the simulator's program contains the mutated code, where a run can come to it. */
export const isSimulated = ({ mutant, simulator }: Judged): boolean =>
  isSimulatable(mutant) && simulator?.outcome !== "absent"

/** Numbers of mutants, and shares of those that are not equivalent; null where there are none. */
export interface Tally {
  readonly mutants: number
  readonly fates: Readonly<Record<Fate, number>>
  /** Mutants that the simulator has yet to judge. */
  readonly unsimulated: number
  /** The share that the simulator kills among those that its program contains and that it has judged. */
  readonly bySimulator: number | null
  /** Mutants in the simulator's program to which none of its runs comes. */
  readonly unreached: number
  /** The share that the simulator kills among those of its program to which a run comes, and that it has judged. */
  readonly bySimulatorOfReached: number | null
  /** The share that the simulator kills among all that are judged. */
  readonly bySimulatorOfAll: number | null
  /** The share that the simulator or the tests kill, in the fair sample of `Judged`. Elsewhere survivors are open more often than killed ones. */
  readonly byEither: number | null
  /** How many those are, without equivalent ones. */
  readonly fair: number
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

/** Shares leave out equivalent mutants; an empty list has only zeros and nulls. */
export const tallyOf = (judged: ReadonlyArray<Judged>): Tally => {
  const fates: Record<Fate, number> = { rule: 0, crash: 0, tests: 0, neither: 0, equivalent: 0, open: 0 }
  for (const each of judged) fates[fateOf(each)]++
  const real = judged.filter(({ equivalent }) => equivalent === null)
  const simulated = real.filter(isSimulated)
  const unsimulated = simulated.filter(({ simulator }) => simulator === null).length
  const unreached = simulated.filter(({ simulator }) => simulator?.outcome === "unreached").length
  const { crash, rule } = fates
  const fair = real.filter(({ isOfFairPart }) => isOfFairPart)
  const survivors = fair.filter((each) => fateOf(each) === "neither").length
  return {
    mutants: judged.length,
    fates,
    unsimulated,
    unreached,
    bySimulatorOfReached: shareOf(rule + crash, simulated.length - unsimulated - unreached),
    bySimulator: shareOf(rule + crash, simulated.length - unsimulated),
    bySimulatorOfAll: shareOf(rule + crash, real.length - unsimulated),
    byEither: shareOf(fair.length - survivors, fair.length),
    fair: fair.length
  }
}
