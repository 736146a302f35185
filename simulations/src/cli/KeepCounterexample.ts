/** What is kept of a run that broke a rule: the smallest input that was found, as a file, and a report. */
import { join } from "node:path"
import * as Html from "../report/Html.ts"
import { shellWord } from "../report/ShellWord.ts"
import { type Given, repeatLine, counterexampleSummary } from "../report/Summary.ts"
import { inputOf, run, type RunInput, type RunReport } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import { shrink } from "../Shrink.ts"
import { type Counterexample, counterexampleOf } from "../Counterexample.ts"
import type { Output } from "./Output.ts"
import { plantedBug, plantedHere } from "./PlantedProcess.ts"
import { isScenarioFile, fileNameOf } from "./ScenarioFiles.ts"

/** Where commands keep what they find, in the caller's folder. */
export const defaultFolder = ".simulations"

/** Where the counterexample and the report of a violation go. */
export interface CounterexampleOptions {
  /** Instead of a file in `.simulations`. */
  readonly file: string | undefined
  readonly isShrunk: boolean
  /** Seconds of real time at most, 60 by default. */
  readonly shrinkSeconds?: number
  /** An HTML page. */
  readonly report: string | undefined
}

/** Writes the page of a run; nothing where no file was named. A file that can't be written ends the command with exit code 2. */
export const writeReport = (
  output: Output,
  file: string | undefined,
  given: Given,
  report: RunReport,
  /** The counterexample of a run that broke a rule, with the command that replays it. */
  kept: { readonly counterexample: Counterexample; readonly replay: string } | null
): void => {
  if (file === undefined) return
  const title = `${given.scenario} · seed ${given.seed}${given.bug === null ? "" : ` · ${given.bug}`}`
  output.file(
    file,
    Html.page({
      title,
      commands: [
        { what: "Repeat the whole run", command: repeatLine(given) },
        ...(kept === null ? [] : [{ what: "Replay the counterexample alone", command: kept.replay }])
      ],
      report,
      counterexample: kept?.counterexample ?? null,
      planted: plantedHere
    })
  )
}

/** A counterexample that was made small and written. */
interface Kept {
  readonly counterexample: Counterexample
  readonly report: RunReport
  readonly file: string
  /** Lines for a terminal. */
  readonly summary: string
}

/** Shrinks the input, and writes the counterexample and the report. */
export const keepCounterexample = (
  output: Output,
  options: CounterexampleOptions,
  given: Given,
  {
    input,
    report,
    scenario
  }: { readonly scenario: Scenario; readonly input: RunInput; readonly report: RunReport }
): Kept => {
  const { progress } = output
  const small = options.isShrunk
    ? shrink(input, report, (each, untilSeconds) => run(each, given.store, untilSeconds), {
        seconds: options.shrinkSeconds ?? 60,
        onProgress: (runs, { faults, plan }) =>
          progress.update(
            null,
            `shrinking the counterexample: ${runs} runs, ${plan.actions.length} actions, ${(faults?.length ?? 0) + plan.scheduledFaults.length} faults`
          )
      })
    : { input: { ...input, faults: report.faults }, report, runs: 0 }
  progress.clear()
  const counterexample = counterexampleOf(
    {
      scenario: given.scenario,
      store: given.store,
      bug: plantedBug,
      ...(isScenarioFile(given.scenario) ? { definition: scenario } : {})
    },
    small.input,
    small.report
  )
  const suffix = plantedBug === null ? "" : `-${plantedBug}`
  const file =
    options.file ?? join(defaultFolder, `${fileNameOf(given.scenario)}-${given.seed}${suffix}.json`)
  output.file(file, `${JSON.stringify(counterexample, null, 1)}\n`)
  const replay = `./lead-signals simulate replay ${shellWord(file)}`
  writeReport(output, options.report, given, small.report, { counterexample, replay })
  return {
    counterexample,
    report: small.report,
    file,
    summary: counterexampleSummary(counterexample, small.runs, file)
  }
}

/** Runs a seed of a campaign here once more, which must break its rule again. */
export const keepCounterexampleOf = (
  output: Output,
  options: CounterexampleOptions,
  given: Given,
  { hours, scenario }: { readonly scenario: Scenario; readonly hours: number | undefined }
): Kept => {
  const input = inputOf(scenario, given.seed, hours)
  const report = run(input, given.store)
  if (report.outcome === "passed") {
    throw new Error(`${repeatLine(given)} broke a rule in one process and passed in another`)
  }
  return keepCounterexample(output, options, given, { scenario, input, report })
}
