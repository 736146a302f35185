/** One run as a judge of mutants makes it: a seed of a scenario, and how it ended. */
import { simulate, type StoreKind } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"

export interface Trial {
  readonly scenario: string
  readonly seed: number
  /** Virtual hours in place of the scenario's; null: its own. */
  readonly hours: number | null
  readonly store: StoreKind
}

export interface TrialResult {
  /** `oracle`: a rule was violated. `livelock`: something owed did not come. `defect`: the simulation failed. */
  readonly outcome: "passed" | "oracle" | "livelock" | "defect"
  /** The rule or the error; empty where there is none. */
  readonly detail: string
}

const detailLength = 200

/** Runs the trial. Never throws. */
export const attempt = ({ hours, scenario, seed, store }: Trial): TrialResult => {
  try {
    const { outcome, violation } = simulate(scenarioNamed(scenario)!, seed, {
      store,
      ...(hours === null ? {} : { hours })
    })
    if (outcome === "passed") return { outcome, detail: "" }
    return outcome === "violated"
      ? { outcome: "oracle", detail: violation!.oracle }
      : { outcome: "livelock", detail: "" }
  } catch (error) {
    return {
      outcome: "defect",
      detail: String((error as Error).message)
        .split("\n")[0]!
        .slice(0, detailLength)
    }
  }
}
