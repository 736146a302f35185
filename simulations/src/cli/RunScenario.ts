/** `simulate SCENARIO`: one seed or many, here or shared by processes. */
import { setImmediate } from "node:timers/promises"
import { campaign, type SeedReport, type SeedRun } from "../Campaign.ts"
import { type Given, repeatLine, runSummary } from "../report/Summary.ts"
import { violationOf } from "../Counterexample.ts"
import { type CheckCount, summedChecks } from "../oracles/Checks.ts"
import { checksTable } from "../report/ChecksTable.ts"
import { check, inputOf, run, type RunReport, type StoreKind } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import {
  type CounterexampleOptions,
  keepCounterexample,
  keepCounterexampleOf,
  writeReport
} from "./KeepCounterexample.ts"
import { CoverageMarks } from "./CoverageMarks.ts"
import { digestOf } from "./Digests.ts"
import { exitCodeOf, exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"
import { plantedBug, plantedWorker } from "./PlantedProcess.ts"

/** The fewest seeds for which it pays to start more processes. */
const seedsForProcesses = 6

/** The options of a scenario's command, read and judged. */
export interface ScenarioOptions extends CounterexampleOptions {
  /** What names the scenario on the command line: its name, or the path of its file. */
  readonly called: string
  readonly firstSeed: number
  readonly seeds: number
  readonly store: StoreKind
  /** As it was typed, and in hours. */
  readonly until: string | undefined
  readonly hours: number | undefined
  /** Each seed is run twice, and the traces are compared. */
  readonly isChecked: boolean
  /** The table of checks is printed. */
  readonly areOraclesListed: boolean
  /** Processes. */
  readonly jobs: number
}

const givenOf = (seed: number, { called, store, until }: ScenarioOptions): Given => ({
  scenario: called,
  seed,
  until,
  store,
  bug: plantedBug
})

const jsonLine = (
  {
    checks,
    counts,
    coverageMarks,
    digest,
    outcome,
    ...report
  }: Omit<SeedReport, "cpuSeconds" | "exercised" | "seed" | "scenario" | "store">,
  { scenario, seed, store }: Given,
  { areOraclesListed }: ScenarioOptions
): string =>
  JSON.stringify({
    scenario,
    seed,
    store,
    outcome,
    violation: report.violation === null ? null : violationOf(report),
    counts,
    coverageMarks,
    digest,
    ...(areOraclesListed ? { checks } : {})
  })

const printChecks = (
  output: Output,
  { areOraclesListed }: ScenarioOptions,
  checks: ReadonlyArray<CheckCount>
): void => {
  if (areOraclesListed) for (const line of checksTable(checks)) output.text(line)
}

/** One seed, here: with everything that there is to print of it. */
const runOne = (
  output: Output,
  scenario: Scenario,
  seed: number,
  options: ScenarioOptions,
  { isAlone, isFirstBroken }: { readonly isAlone: boolean; readonly isFirstBroken: boolean }
): { readonly report: RunReport; readonly code: number } => {
  const { hours, store } = options
  const given = givenOf(seed, options)
  const input = inputOf(scenario, seed, hours)
  const startedAt = performance.now()
  const report = run(input, store)
  const seconds = (performance.now() - startedAt) / 1000
  if (output.isJson)
    output.line(jsonLine({ ...report, coverageMarks: [...report.coverageMarks] }, given, options))
  else if (isAlone || report.outcome !== "passed") output.line(runSummary(report, seconds, given))
  if (options.isChecked) {
    const parted = check(input, store)
    if (parted !== null) {
      output.line(`Two runs of ${repeatLine(given)} differ from here on: ${JSON.stringify(parted)}`)
      return { report, code: exitCodes.crashed }
    }
  }
  const code = exitCodeOf(report)
  // A page of a seed that broke a rule is not written over.
  if (!isFirstBroken) return { report, code }
  if (report.outcome === "passed") writeReport(output, options.report, given, report, null)
  else output.text(`\n${keepCounterexample(output, options, given, { scenario, input, report }).summary}`)
  return { report, code }
}

/** Ends with 3 where seeds that passed have proved nothing. */
const concluded = (
  output: Output,
  code: number,
  called: string,
  coverageMarks: CoverageMarks,
  seeds: number
): number => {
  const vacuity = code === exitCodes.passed ? coverageMarks.vacuity(seeds) : null
  if (vacuity === null) return code
  output.error(`${called} proved nothing: ${vacuity}.`)
  return exitCodes.vacuous
}

/** Runs the seeds one after another in this process. Between two of them it handles signals, so that SIGINT and SIGTERM end it. */
const runHere = async (output: Output, scenario: Scenario, options: ScenarioOptions): Promise<number> => {
  const { firstSeed, hours, seeds } = options
  const { progress } = output
  const coverageMarks = new CoverageMarks(scenario, hours === undefined)
  const digests: Array<string> = []
  let checks: ReadonlyArray<CheckCount> = []
  let [passed, code] = [0, exitCodes.passed]
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    await setImmediate()
    progress.clear()
    const one = runOne(output, scenario, seed, options, {
      isAlone: seeds === 1,
      isFirstBroken: code === exitCodes.passed
    })
    digests.push(one.report.digest)
    checks = summedChecks([checks, one.report.checks])
    coverageMarks.add(one.report)
    if (code === exitCodes.passed) code = one.code
    if (one.report.outcome === "passed") passed++
    if (seeds > 1) {
      const done = digests.length
      progress.update(done / seeds, `${done} of ${seeds} seeds, ${passed} passed`)
    }
  }
  progress.clear()
  if (seeds > 1) {
    output.text(`${options.called} · seeds ${firstSeed} to ${firstSeed + seeds - 1}`)
    for (const line of coverageMarks.table(seeds)) output.text(line)
  }
  printChecks(output, options, checks)
  output.text(`digest: ${digestOf(digests)}`)
  return concluded(output, code, options.called, coverageMarks, seeds)
}

/** Many seeds, shared by processes; the first that breaks a rule is shrunk and kept. */
const runShared = async (output: Output, scenario: Scenario, options: ScenarioOptions): Promise<number> => {
  const { firstSeed, hours, jobs, seeds, store } = options
  const { progress } = output
  const last = firstSeed + seeds - 1
  const coverageMarks = new CoverageMarks(scenario, hours === undefined)
  const digests: Array<string> = []
  let checks: ReadonlyArray<CheckCount> = []
  let [passed, code] = [0, exitCodes.passed]
  const startedAt = performance.now()
  const all = Array.from({ length: seeds }, (_, i): SeedRun => ({
    scenario,
    seed: firstSeed + i,
    hours: hours ?? null,
    store
  }))
  await campaign(
    all,
    (report) => {
      digests.push(report.digest)
      checks = summedChecks([checks, report.checks])
      coverageMarks.add(report)
      if (report.outcome === "passed") passed++
      const given = givenOf(report.seed, options)
      progress.clear()
      if (output.isJson) output.line(jsonLine(report, given, options))
      else if (report.outcome !== "passed") output.line(runSummary(report, 0, given))
      if (report.outcome !== "passed" && code === exitCodes.passed) {
        code = exitCodeOf(report)
        output.text(`\n${keepCounterexampleOf(output, options, given, { scenario, hours }).summary}\n`)
      }
      progress.update(digests.length / seeds, `${digests.length} of ${seeds} seeds, ${passed} passed`)
    },
    { parallel: Math.min(jobs, seeds), ...(plantedWorker === undefined ? {} : { program: plantedWorker }) }
  )
  progress.clear()
  const minutes = (performance.now() - startedAt) / 60_000
  output.text(
    `${options.called} · seeds ${firstSeed} to ${last} · ${passed} passed · ${Math.round(seeds / minutes)} a minute`
  )
  for (const line of coverageMarks.table(seeds)) output.text(line)
  printChecks(output, options, checks)
  output.text(`digest: ${digestOf(digests)}`)
  if (code === exitCodes.passed && options.report !== undefined) {
    const report = run(inputOf(scenario, last, hours), store)
    writeReport(output, options.report, givenOf(last, options), report, null)
  }
  return concluded(output, code, options.called, coverageMarks, seeds)
}

/** Answers the exit code. */
export const runScenario = async (
  output: Output,
  scenario: Scenario,
  options: ScenarioOptions
): Promise<number> =>
  options.seeds >= seedsForProcesses && options.jobs > 1 && !options.isChecked
    ? runShared(output, scenario, options)
    : runHere(output, scenario, options)
