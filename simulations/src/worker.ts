/** A process of a campaign: runs the seed that it is sent, and sends back what came of it. */
import type { SeedFailure, SeedReport, SeedRun } from "./Campaign.ts"
import { simulate } from "./Run.ts"

const reportOf = ({ hours, scenario, seed, store }: SeedRun): SeedReport => {
  const before = process.cpuUsage()
  const { checks, counts, coverageMarks, digest, exercised, outcome, violation } = simulate(scenario, seed, {
    store,
    ...(hours === null ? {} : { hours })
  })
  const { system, user } = process.cpuUsage(before)
  return {
    cpuSeconds: (system + user) / 1e6,
    scenario: scenario.name,
    seed,
    store,
    outcome,
    violation,
    digest,
    counts,
    checks,
    coverageMarks: [...coverageMarks],
    exercised: [...exercised]
  }
}

process.on("message", (job: SeedRun) => {
  let answer: SeedReport | SeedFailure
  try {
    answer = reportOf(job)
  } catch (error) {
    answer = { failed: (error as Error).stack ?? String(error) }
  }
  // A campaign that was stopped no longer waits for it.
  process.send!(answer, () => {})
})
