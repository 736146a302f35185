/** `simulate nightly`: every scenario over both stores, then seeds of the swarm until the time is up. */
import { campaign, type SeedRun } from "../Campaign.ts"
import { type Given, runSummary } from "../report/Summary.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"
import { type CounterexampleOptions, keepCounterexampleOf } from "./KeepCounterexample.ts"
import { CoverageMarks, seedsForCoverage } from "./CoverageMarks.ts"
import { digestOf } from "./Digests.ts"
import { exitCodeOf, exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"
import { plantedBug } from "./PlantedProcess.ts"

export interface NightlyOptions extends CounterexampleOptions {
  readonly firstSeed: number
  readonly minutes: number
  /** Processes. */
  readonly jobs: number
}

function* seedRuns(firstSeed: number, isTimeLeft: () => boolean): Generator<SeedRun> {
  for (const scenario of scenarioNames()) {
    if (scenarioNamed(scenario)!.expected !== "passed") continue
    for (const store of ["memory", "sqlite"] as const) yield { scenario, seed: firstSeed, hours: null, store }
  }
  // Every tenth over SQLite, whose runs take longer.
  for (let i = 0; isTimeLeft(); i++) {
    const store = i % 10 === 9 ? "sqlite" : "memory"
    yield { scenario: "swarm", seed: firstSeed + 1 + i, hours: null, store }
  }
}

/** Answers the exit code. */
export const runNightly = async (output: Output, options: NightlyOptions): Promise<number> => {
  const { firstSeed, jobs, minutes } = options
  const { progress } = output
  const endsAt = performance.now() + minutes * 60_000
  const swarm = new CoverageMarks(scenarioNamed("swarm")!, true)
  const digests: Array<string> = []
  let [swarmSeeds, broken, code] = [0, 0, exitCodes.passed]
  output.line(`nightly · from seed ${firstSeed} · ${minutes} minutes · ${jobs} processes`)
  await campaign(
    seedRuns(firstSeed, () => performance.now() < endsAt),
    (report) => {
      digests.push(report.digest)
      if (report.scenario === "swarm") {
        swarmSeeds++
        swarm.add(report)
      }
      if (report.outcome !== "passed") {
        broken++
        progress.clear()
        const { scenario, seed, store } = report
        const given: Given = { scenario, seed, store, until: undefined, bug: plantedBug }
        output.line(runSummary(report, 0, given))
        if (code === exitCodes.passed) {
          code = exitCodeOf(report)
          output.line(`\n${keepCounterexampleOf(output, options, given, undefined)}\n`)
        }
      }
      const left = Math.max(0, endsAt - performance.now())
      progress.update(
        1 - left / (minutes * 60_000),
        `${digests.length} seeds, ${broken} broken, ${Math.ceil(left / 60_000)} minutes left`
      )
    },
    { parallel: jobs }
  )
  progress.clear()
  output.line(`${digests.length} runs, ${swarmSeeds} of them seeds of swarm; ${broken} broken`)
  for (const line of swarm.table(swarmSeeds)) output.line(line)
  output.line(`digest: ${digestOf(digests)}`)
  if (code !== exitCodes.passed) return code
  return swarm.vacuity(swarmSeeds, seedsForCoverage * 4) === null ? exitCodes.passed : exitCodes.vacuous
}
