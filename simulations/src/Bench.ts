/** How fast the simulator is: virtual time per time, and seeds a minute. */
import { Record } from "effect"
import type { Progress } from "./report/Progress.ts"
import { type RunReport, simulate } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"
import { scenarioNamed } from "./Scenarios.ts"

/** So many times as much as on a quiet day is done, then a request comes every second. */
const busyness = 41

const busyDay = (): Scenario => {
  const quiet = scenarioNamed("quiet-day")!
  const [first, ...others] = quiet.brands.map((brand) => ({
    ...brand,
    consumers: ["healthy" as const],
    perHour: Record.map(brand.perHour, (rate) => rate * busyness)
  }))
  return { ...quiet, brands: [first!, ...others] }
}

const seedsTimed = 30

export const bench = (say: (text: string) => void, progress: Progress, isJson: boolean): number => {
  const timed = (work: () => RunReport) => {
    const startedAt = performance.now()
    const report = work()
    return { report, seconds: (performance.now() - startedAt) / 1000 }
  }
  progress.update(0, "a day at one request a second")
  const day = timed(() => simulate(busyDay(), 1))
  progress.update(0.4, "a month of retries")
  const month = timed(() => simulate(scenarioNamed("month-of-retries")!, 1))
  progress.update(0.6, `${seedsTimed} seeds of swarm`)
  const swarm = scenarioNamed("swarm")!
  const startedAt = performance.now()
  for (let seed = 1; seed <= seedsTimed; seed++) simulate(swarm, seed)
  const perMinute = (seedsTimed * 60_000) / (performance.now() - startedAt)
  progress.clear()
  const lines = [
    ["a day at one request a second", day.report, day.seconds],
    ["a month of retries", month.report, month.seconds]
  ] as const
  if (isJson) {
    say(
      JSON.stringify({
        daySeconds: day.seconds,
        dayRequests: day.report.counts.requests,
        monthSeconds: month.seconds,
        swarmSeedsPerMinute: perMinute
      })
    )
  } else {
    for (const [name, { counts, outcome }, seconds] of lines) {
      say(
        `${name}: ${seconds.toFixed(1)} s, ${Math.round(counts.simulatedSeconds / seconds).toLocaleString("en")} virtual seconds a second (${counts.requests} requests, ${counts.posts} posts, ${outcome})`
      )
    }
    say(`swarm: ${Math.round(perMinute)} seeds a minute in one process`)
  }
  return 0
}
