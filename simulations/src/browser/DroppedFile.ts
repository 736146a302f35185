/** Tells what a file is that somebody drops on the page: a scenario, or the counterexample of a run. */
import { Either } from "effect"
import { readCounterexample } from "../Counterexample.ts"
import { renderCounterexample } from "../CounterexampleText.ts"
import { readScenario } from "../scenario-file/ScenarioFile.ts"
import type { Scenario } from "../Scenario.ts"
import type { OfferedScenario, ReadFile } from "./Messages.ts"

/** What a page says of a scenario. */
export const offered = ({ about, coverageMarks, hours, name }: Scenario): OfferedScenario => ({
  name,
  about,
  hours,
  coverageMarks
})

const isCounterexample = (text: string): boolean => {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === "object" && value !== null && "counterexample" in value
  } catch {
    return false
  }
}

/** Never throws: a text that is neither has the reasons why it is no scenario, or no counterexample. */
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
    onRight: (scenario): ReadFile => ({ kind: "scenario", scenario: offered(scenario), text })
  })
}
