/** A process of a hunt for bugs: runs seeds of a scenario until one breaks a rule, and makes its counterexample small. */
import type { Hunted, HuntJob } from "./BugHunt.ts"
import { cpuLimit } from "./CpuLimit.ts"
import { inputOf, run } from "./Run.ts"
import { scenarioNamed } from "./Scenarios.ts"
import { shrink } from "./Shrink.ts"
import { livelock } from "./Counterexample.ts"

/** CPU seconds that one seed may take: the longest scenario takes less than ten. */
const secondsOfSeed = 60

process.on("message", ({ hunt, scenario: name, seeds, shrinkSeconds, store }: HuntJob) => {
  const startedAt = performance.now()
  const scenario = scenarioNamed(name)!
  const done = (hunted: Omit<Hunted, "bug" | "seconds">): void => {
    process.send!(
      { bug: hunt, ...hunted, seconds: (performance.now() - startedAt) / 1000 } satisfies Hunted,
      () => process.exit(0)
    )
  }
  const allow = cpuLimit()
  for (let seed = 1; seed <= seeds; seed++) {
    allow(secondsOfSeed)
    const input = inputOf(scenario, seed)
    const report = run(input, store)
    if (report.outcome === "passed") continue
    allow(shrinkSeconds + secondsOfSeed)
    const small = shrink(input, report, (each, until) => run(each, store, until), {
      seconds: shrinkSeconds
    })
    const { message, oracle } = small.report.violation ?? livelock
    const { actions, scheduledFaults } = small.input.plan
    return done({
      oracle,
      message,
      seeds: seed,
      actions: actions.length,
      faults: (small.input.faults?.length ?? 0) + scheduledFaults.length,
      shrinkRuns: small.runs
    })
  }
  done({ oracle: null, message: null, seeds, actions: 0, faults: 0, shrinkRuns: 0 })
})
