/**
 * For teams that bring something of their own: their store under our service, or their whole host. Each runs scenarios by
 * seeds until a rule breaks, and makes that counterexample small.
 */
import type { Layer } from "effect"
import { inputOf, type RunInput, type RunReport, run, runHost } from "./Run.ts"
import { noRates, type Scenario } from "./Scenario.ts"
import { scenarioNamed } from "./Scenarios.ts"
import { shrink, shrinkAsync } from "./Shrink.ts"
import { type Counterexample, counterexampleOf, violationOf } from "./Counterexample.ts"
import { renderCounterexample } from "./CounterexampleText.ts"
import * as Disk from "./world/Disk.ts"
import type { OwnHost } from "./world/OwnHost.ts"
import type { Stores } from "./world/StorePorts.ts"

/** Which runs to make. */
export interface VerifyOptions {
  /**
   * Names of the package's scenarios, or scenarios of your own; `["swarm"]` by default. An unknown name throws a
   * `RangeError`.
   */
  readonly scenarios?: ReadonlyArray<string | Scenario>
  /** Seeds of each scenario, 20 by default. */
  readonly seeds?: number
  /** The first seed, 1 by default; the others follow it. */
  readonly firstSeed?: number
  /** Virtual hours of each run; the scenario's own by default. */
  readonly hours?: number
  /** Called after each run. */
  readonly onRun?: (run: {
    readonly scenario: string
    readonly seed: number
    readonly report: RunReport
  }) => void
}

/** The result of a verification. */
export type Verdict =
  /** Every run passed. `report` is that of the last one. */
  | {
      readonly passed: true
      readonly runs: number
      readonly coverageMarks: ReadonlySet<string>
      readonly report: RunReport
    }
  /** A run broke a rule; the verification ended there. `runs` counts those before it and itself. */
  | {
      readonly passed: false
      readonly runs: number
      readonly scenario: string
      readonly seed: number
      /** Which rule broke, and how. */
      readonly oracle: string
      readonly message: string
      /** The smallest counterexample that breaks the same rule. */
      readonly counterexample: Counterexample
      /** The counterexample in lines, for people. */
      readonly rendered: string
      /** The call that repeats the run, as code. */
      readonly again: string
      /** The report of the smallest counterexample. */
      readonly report: RunReport
    }

const scenarioOf = (scenario: string | Scenario): Scenario => {
  const found = typeof scenario === "string" ? scenarioNamed(scenario) : scenario
  if (found === null) throw new RangeError(`There is no scenario "${String(scenario)}".`)
  return found
}

function* runsOf({ firstSeed = 1, scenarios = ["swarm"], seeds = 20 }: VerifyOptions) {
  if (scenarios.length === 0 || seeds < 1) throw new RangeError("There is no run to verify.")
  for (const each of scenarios) {
    const scenario = scenarioOf(each)
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) yield { scenario, seed }
  }
}

const broken = (
  call: "verifyStore(open, " | "verifyHost(make, ",
  runs: number,
  { hours, scenario }: { readonly scenario: Scenario; readonly hours: number | undefined },
  input: RunInput,
  report: RunReport
): Extract<Verdict, { passed: false }> => {
  const { message, oracle } = violationOf(report)
  const counterexample = counterexampleOf(
    { scenario: scenario.name, store: "memory", bug: null },
    input,
    report
  )
  const rendered = [...renderCounterexample(counterexample), `${oracle}: ${message}`].join("\n")
  return {
    passed: false,
    runs,
    scenario: scenario.name,
    seed: input.seed,
    oracle,
    message,
    counterexample,
    rendered,
    again: `${call}{ scenarios: ["${scenario.name}"], firstSeed: ${input.seed}, seeds: 1${hours === undefined ? "" : `, hours: ${hours}`} })`,
    report
  }
}

/**
 * Verifies a store of your own under the service. `open` answers a layer of the store's ports over what the store
 * keeps; the service builds it when it starts and, after each kill, starts again. The layer must be synchronous:
 * nothing in it may wait for a promise, a socket or a timer, or the run is livelocked. For a store that can't do so
 * there is `verifyHost`. Throws a `RangeError` for an unknown scenario, and where there is no scenario or no seed.
 */
export const verifyStore = (
  open: () => () => Layer.Layer<Stores, unknown>,
  options: VerifyOptions = {}
): Verdict => {
  const coverageMarks = new Set<string>()
  const execute = (input: RunInput, untilSeconds?: number): RunReport =>
    run(input, Disk.own(open()), untilSeconds)
  let runs = 0
  let last: RunReport | null = null
  for (const { scenario, seed } of runsOf(options)) {
    const input = inputOf(scenario, seed, options.hours)
    const report = execute(input)
    last = report
    runs++
    options.onRun?.({ scenario: scenario.name, seed, report })
    for (const mark of report.coverageMarks) coverageMarks.add(mark)
    if (report.outcome === "passed") continue
    const small = shrink(input, report, execute)
    return broken("verifyStore(open, ", runs, { scenario, hours: options.hours }, small.input, small.report)
  }
  return { passed: true, runs, coverageMarks, report: last! }
}

/** The faults of a host that can't be killed: all but kills and those of the store. */
const bearable = (input: RunInput): RunInput => {
  const { loss, lostAnswer, cut, duplication, late } = input.plan.rates
  return {
    ...input,
    plan: {
      hours: input.plan.hours,
      brands: input.plan.brands,
      actions: input.plan.actions,
      rates: { ...noRates, loss, lostAnswer, cut, duplication, late },
      scheduledFaults: input.plan.scheduledFaults.filter(({ fault }) => fault === "partition")
    }
  }
}

/**
 * Verifies a host of your own: a function that, given the world, answers a fetch handler for the whole API, the
 * operator's calls included. The host must take time from `Date.now` and timers, which are the simulation's, post to
 * webhooks by `world.post`, and wait for nothing outside the process. It is called anew for each run, and there are
 * hundreds of runs while a counterexample is made small. Rejects with a `RangeError` for an unknown scenario, and where
 * there is no scenario or no seed.
 */
export const verifyHost = async (make: OwnHost, options: VerifyOptions = {}): Promise<Verdict> => {
  const coverageMarks = new Set<string>()
  const execute = (input: RunInput, untilSeconds?: number): Promise<RunReport> =>
    runHost(input, make, untilSeconds)
  let runs = 0
  let last: RunReport | null = null
  for (const { scenario, seed } of runsOf(options)) {
    const input = bearable(inputOf(scenario, seed, options.hours))
    const report = await execute(input)
    last = report
    runs++
    options.onRun?.({ scenario: scenario.name, seed, report })
    for (const mark of report.coverageMarks) coverageMarks.add(mark)
    if (report.outcome !== "passed") {
      const small = await shrinkAsync(input, report, execute)
      // A host that keeps something between runs, or waits for the outside, may not do the same again.
      const [smallest, ran] =
        small.report.outcome === "passed"
          ? [{ ...input, faults: report.faults }, report]
          : [small.input, small.report]
      return broken("verifyHost(make, ", runs, { scenario, hours: options.hours }, smallest, ran)
    }
  }
  return { passed: true, runs, coverageMarks, report: last! }
}
