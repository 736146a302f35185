/** Tells what a file is that somebody drops on the page: a scenario, or the counterexample of a run. */
import { Either } from "effect"
import { readCounterexample, renderCounterexample } from "../Counterexample.ts"
import { readScenario } from "../scenario-file/ScenarioFile.ts"
import type { ReadFile } from "./Messages.ts"

const isCounterexample = (text: string): boolean => {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === "object" && value !== null && "counterexample" in value
  } catch {
    return false
  }
}

export const readDropped = (text: string): ReadFile => {
  if (isCounterexample(text)) {
    return Either.match(readCounterexample(text), {
      onLeft: (problem): ReadFile => ({ kind: "neither", problems: [problem] }),
      onRight: (counterexample): ReadFile => ({
        kind: "counterexample",
        scenario: counterexample.scenario,
        seed: counterexample.seed,
        bug: counterexample.bug,
        rule: counterexample.violates.oracle,
        lines: renderCounterexample(counterexample),
        text
      })
    })
  }
  return Either.match(readScenario(text), {
    onLeft: (problems): ReadFile => ({ kind: "neither", problems }),
    onRight: ({ about, hours, name }): ReadFile => ({
      kind: "scenario",
      scenario: { name, about, hours },
      text
    })
  })
}
