/** What is kept of a run that broke a rule: the smallest input that was found, as a file, and a report. */
import { join } from "node:path"
import * as Html from "../report/Html.ts"
import { type Given, repeatLine, counterexampleSummary } from "../report/Summary.ts"
import { inputOf, run, type RunInput, type RunReport } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"
import { shrink } from "../Shrink.ts"
import { type Counterexample, counterexampleOf } from "../Counterexample.ts"
import type { Output } from "./Output.ts"
import { plantedBug } from "./PlantedProcess.ts"

const folder = ".simulations"

export interface CounterexampleOptions {
  /** Instead of a file in `.simulations`. */
  readonly file: string | undefined
  readonly isShrunk: boolean
  /** An HTML page. */
  readonly report: string | undefined
}

export const writeReport = (
  output: Output,
  file: string | undefined,
  given: Given,
  report: RunReport,
  counterexample: Counterexample | null
): void => {
  if (file === undefined) return
  const title = `${given.scenario} · seed ${given.seed}${given.bug === null ? "" : ` · ${given.bug}`}`
  output.file(file, Html.page({ title, repeat: repeatLine(given), report, counterexample }))
}

/** Shrinks the input, writes both files, and answers the summary. */
export const keepCounterexample = (
  output: Output,
  options: CounterexampleOptions,
  given: Given,
  input: RunInput,
  report: RunReport
): string => {
  const { progress } = output
  const small = options.isShrunk
    ? shrink(input, report, (each, untilSeconds) => run(each, given.store, untilSeconds), {
        onProgress: (runs, { faults, plan }) =>
          progress.update(
            null,
            `shrinking the counterexample: ${runs} runs, ${plan.actions.length} actions, ${(faults?.length ?? 0) + plan.scheduledFaults.length} faults`
          )
      })
    : { input: { ...input, faults: report.faults }, report, runs: 0 }
  progress.clear()
  const counterexample = counterexampleOf(
    { scenario: given.scenario, store: given.store, bug: plantedBug },
    small.input,
    small.report
  )
  const suffix = plantedBug === null ? "" : `-${plantedBug}`
  const file = options.file ?? join(folder, `${given.scenario}-${given.seed}${suffix}.json`)
  output.file(file, `${JSON.stringify(counterexample, null, 1)}\n`)
  writeReport(output, options.report, given, small.report, counterexample)
  return counterexampleSummary(counterexample, small.runs, file)
}

/** Runs a seed of a campaign here once more, which must break its rule again. */
export const keepCounterexampleOf = (
  output: Output,
  options: CounterexampleOptions,
  given: Given,
  hours: number | undefined
): string => {
  const input = inputOf(scenarioNamed(given.scenario)!, given.seed, hours)
  const again = run(input, given.store)
  if (again.outcome === "passed") {
    throw new Error(`${repeatLine(given)} broke a rule in one process and passed in another`)
  }
  return keepCounterexample(output, options, given, input, again)
}
