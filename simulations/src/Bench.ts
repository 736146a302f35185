/** How fast the simulator is, in CPU time of this process: other work on the machine does not change it much. */
import { Record } from "effect"
import type { Progress } from "./report/Progress.ts"
import { simulate, type StoreKind } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"
import { scenarioNamed } from "./Scenarios.ts"

/** With so many times the rates of a quiet day a request comes every second. */
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

/** Seeds that run before those that are timed: by then the code is compiled, as for most seeds of a campaign. */
const warmUpSeeds = 20

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

/** One measurement, and what it is to reach. */
interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly target: number
  /** Whether more is better. */
  readonly isRate: boolean
  /** What was done meanwhile. */
  readonly work: string
}

const oneRun = (name: string, scenario: Scenario, target: number): Figure => {
  const startedAt = cpuSeconds()
  const { counts, outcome } = simulate(scenario, 1)
  return {
    name,
    value: cpuSeconds() - startedAt,
    unit: "CPU seconds",
    target,
    isRate: false,
    work: `${counts.requests} requests, ${counts.posts} posts, ${outcome}`
  }
}

const swarmRate = (store: StoreKind, seeds: number, target: number): Figure => {
  const swarm = scenarioNamed("swarm")!
  for (let seed = 1; seed <= warmUpSeeds; seed++) simulate(swarm, seed, { store })
  const startedAt = cpuSeconds()
  let [requests, posts] = [0, 0]
  for (let seed = warmUpSeeds + 1; seed <= warmUpSeeds + seeds; seed++) {
    const { counts } = simulate(swarm, seed, { store })
    requests += counts.requests
    posts += counts.posts
  }
  return {
    name: `swarm over ${store === "sqlite" ? "SQLite" : "memory"}`,
    value: (seeds * 60) / (cpuSeconds() - startedAt),
    unit: "seeds a CPU-minute",
    target,
    isRate: true,
    work: `${seeds} seeds, ${requests} requests, ${posts} posts`
  }
}

const measurements: ReadonlyArray<readonly [doing: string, measure: () => Figure]> = [
  ["swarm over memory", () => swarmRate("memory", 150, 1000)],
  ["swarm over SQLite", () => swarmRate("sqlite", 75, 400)],
  ["a month of retries", () => oneRun("a month of retries", scenarioNamed("month-of-retries")!, 1)],
  ["a day at one request a second", () => oneRun("a day at one request a second", busyDay(), 25)]
]

const shown = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 })

const lineOf = ({ isRate, name, target, unit, value, work }: Figure): string =>
  `${name}: ${shown(value)} ${unit}, target ${isRate ? "at least" : "at most"} ${shown(target)} (${work})`

/** Measures the speed and prints each figure beside its target; always ends with 0, as machines differ. */
export const bench = (say: (text: string) => void, progress: Progress, isJson: boolean): number => {
  const figures: Array<Figure> = []
  for (const [i, [doing, measure]] of measurements.entries()) {
    progress.update(i / measurements.length, doing)
    const figure = measure()
    figures.push(figure)
    progress.clear()
    if (!isJson) say(lineOf(figure))
  }
  if (isJson) say(JSON.stringify({ figures }))
  return 0
}
