/** The measurements of `simulate bench`: CPU seconds of the process that runs them, beside what each is to reach. */
import { Record } from "effect"
import { cpuSeconds } from "./CpuLimit.ts"
import { record, type Recording, replay } from "./BareService.ts"
import { inputOf, run, simulate, type StoreKind } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"
import { scenarioNamed } from "./Scenarios.ts"

/** One measurement, and its target. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Null where it is measured for comparison. */
  readonly target: number | null
  /** Whether more is better. */
  readonly isRate: boolean
  /** What the measured run did. */
  readonly work: string
}

/** The factor on the rates of a quiet day with which a request comes every second. */
const busyness = 19

const busyDay = (): Scenario => {
  const quiet = scenarioNamed("quiet-day")!
  const [first, ...others] = quiet.brands.map((brand) => ({
    ...brand,
    consumers: ["healthy" as const],
    perHour: Record.map(brand.perHour, (rate) => rate * busyness)
  }))
  return { ...quiet, brands: [first!, ...others] }
}

/** Seeds that run before what is timed: by then the code is compiled, as for most seeds of a campaign. */
const warmUpSeeds = 12

const warmUp = (store: StoreKind): void => {
  for (let seed = 1; seed <= warmUpSeeds; seed++) simulate(scenarioNamed("swarm")!, seed, { store })
}

/** `part` runs that part of the scenario's hours alone, and answers what all of them would take. */
const oneRun = (name: string, scenario: Scenario, target: number, part = 1): Figure => {
  warmUp("memory")
  const startedAt = cpuSeconds()
  const { counts, outcome } = simulate(scenario, 1, { hours: scenario.hours * part })
  return {
    name,
    value: (cpuSeconds() - startedAt) / part,
    unit: "CPU seconds",
    target,
    isRate: false,
    work: `${counts.requests} requests, ${counts.posts} posts, ${outcome}`
  }
}

const swarmRate = (name: string, store: StoreKind, seeds: number, target: number): Figure => {
  const swarm = scenarioNamed("swarm")!
  warmUp(store)
  const startedAt = cpuSeconds()
  let [requests, posts] = [0, 0]
  for (let seed = warmUpSeeds + 1; seed <= warmUpSeeds + seeds; seed++) {
    const { counts } = simulate(swarm, seed, { store })
    requests += counts.requests
    posts += counts.posts
  }
  return {
    name,
    value: (seeds * 60) / (cpuSeconds() - startedAt),
    unit: "seeds a CPU-minute",
    target,
    isRate: true,
    work: `${seeds} seeds, ${requests} requests, ${posts} posts`
  }
}

/** How many rounds the bare service and whole runs are measured in, one after the other: other work on the machine then slows both. */
const rounds = 3

const cpuSecondsOf = (work: () => void): number => {
  const startedAt = cpuSeconds()
  work()
  return cpuSeconds() - startedAt
}

/** What the bare service takes for the requests of seeds, beside whole runs of the same seeds. */
const bareRate = (name: string, store: StoreKind, seeds: number): Figure => {
  const swarm = scenarioNamed("swarm")!
  const recordings: ReadonlyArray<Recording> = Array.from(
    { length: seeds },
    (_, i) => record(inputOf(swarm, i + 1), store).recording
  )
  let answers = 0
  let posts = 0
  for (const recording of recordings) {
    const replayed = replay(recording)
    answers += replayed.answers
    posts += replayed.posts
  }
  let [bare, whole] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    bare += cpuSecondsOf(() => recordings.forEach(replay))
    whole += cpuSecondsOf(() => recordings.forEach(({ input }) => run(input, store)))
  }
  const perMinute = (seconds: number): number => (rounds * seeds * 60) / seconds
  return {
    name,
    value: perMinute(bare),
    unit: "seeds a CPU-minute",
    target: null,
    isRate: true,
    work: `${answers} requests, ${posts} posts; whole runs of the same ${seeds} seeds: ${perMinute(whole).toFixed(0)}`
  }
}

/** What the bare service takes for the requests and posts of a run, beside the whole run, as `oneRun` counts it. */
const bareRun = (name: string, scenario: Scenario, part: number): Figure => {
  const { recording } = record(inputOf(scenario, 1, scenario.hours * part), "memory")
  const { answers, posts } = replay(recording)
  let [bare, whole] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    bare += cpuSecondsOf(() => replay(recording))
    whole += cpuSecondsOf(() => run(recording.input, recording.store))
  }
  return {
    name,
    value: bare / rounds / part,
    unit: "CPU seconds",
    target: null,
    isRate: false,
    work: `${answers} requests, ${posts} posts; the whole run: ${(whole / rounds / part).toFixed(1)}`
  }
}

/** Each in its order, by its name. */
export const measurements: ReadonlyMap<string, (name: string) => Figure> = new Map([
  ["swarm over memory", (name: string) => swarmRate(name, "memory", 40, 1000)],
  ["swarm over SQLite", (name: string) => swarmRate(name, "sqlite", 20, 400)],
  ["a month of retries", (name: string) => oneRun(name, scenarioNamed("month-of-retries")!, 1)],
  ["a day at one request a second, by four hours of it", (name: string) => oneRun(name, busyDay(), 25, 1 / 6)]
])

/** Those of `--floor`: what bounds the figures of whole runs. */
export const floorMeasurements: ReadonlyMap<string, (name: string) => Figure> = new Map([
  ["the bare service over memory", (name: string) => bareRate(name, "memory", 10)],
  ["the bare service over SQLite", (name: string) => bareRate(name, "sqlite", 5)],
  [
    "the bare service in a month of retries",
    (name: string) => bareRun(name, scenarioNamed("month-of-retries")!, 1)
  ],
  [
    "the bare service in a day at one request a second, by an hour of it",
    (name: string) => bareRun(name, busyDay(), 1 / 24)
  ]
])
