/** A process of a campaign: runs the seed that it is sent, and sends back what came of it. */
import type { SeedReport, SeedRun } from "./Campaign.ts"
import { simulate } from "./Run.ts"
import { scenarioNamed } from "./Scenarios.ts"

process.on("message", (job: SeedRun) => {
  const { hours, scenario, seed, store } = job
  const { checks, counts, coverageMarks, digest, exercised, outcome, violation } = simulate(
    scenarioNamed(scenario)!,
    seed,
    {
      store,
      ...(hours === null ? {} : { hours })
    }
  )
  const report: SeedReport = {
    scenario,
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
  process.send!(report)
})
