/** One run as a judge of mutants makes it: a seed of a scenario, and how it ended. */
import { inputOf, run, type RunReport, type StoreKind } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"
import { vocabularyInput } from "../VocabularyRun.ts"

/** One run, with all that it depends on. */
export interface Trial {
  /** The name of a scenario, or `vocabulary`. */
  readonly scenario: string
  /** The seed of the scenario, or the part of the vocabulary. */
  readonly seed: number
  /** Virtual hours in place of the scenario's; null: its own. */
  readonly hours: number | null
  readonly store: StoreKind
}

/** How the run ended. */
export interface TrialResult {
  /** `oracle`: a rule was violated. `livelock`: something owed did not come. `defect`: the simulation failed. */
  readonly outcome: "passed" | "oracle" | "livelock" | "defect"
  /** The rule or the error; empty where there is none. */
  readonly detail: string
}

const detailLength = 200

/** A trial that sends a part of the vocabulary. */
export const ofVocabulary = "vocabulary"

const reportOf = ({ hours, scenario, seed, store }: Trial): RunReport =>
  run(
    scenario === ofVocabulary
      ? vocabularyInput(seed)
      : inputOf(scenarioNamed(scenario)!, seed, hours ?? undefined),
    store
  )

/** Runs the trial. Never throws. */
export const attempt = (trial: Trial): TrialResult => {
  try {
    const { outcome, violation } = reportOf(trial)
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
