/** `simulate oracles`: what rules judge in many seeds, and in how much they are weakened. An interrupted campaign goes on where it ended. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { campaign, type SeedRun } from "../Campaign.ts"
import { summedChecks } from "../oracles/Checks.ts"
import { type JudgedSeeds, oracleSummary, oracleTable, tooWeak } from "../report/OracleTable.ts"
import type { StoreKind } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

export interface OracleReportOptions {
  readonly scenario: string
  readonly firstSeed: number
  readonly seeds: number
  readonly store: StoreKind
  /** Processes. */
  readonly jobs: number
  /** After so many minutes no seed begins; null: all are run. */
  readonly minutes: number | null
  /** The file that keeps what was judged: seeds that it holds are not run again. */
  readonly results: string
  /** A file for the page. */
  readonly page: string | undefined
}

const piece = 25

/** What the file holds; a line that a kill cut off counts for nothing. */
const readResults = (file: string): Array<JudgedSeeds> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as JudgedSeeds)
    : []

const joined = (pieces: ReadonlyArray<JudgedSeeds>): JudgedSeeds => ({
  scenario: pieces[0]!.scenario,
  store: pieces[0]!.store,
  firstSeed: pieces[0]!.firstSeed,
  seeds: pieces.reduce((sum, { seeds }) => sum + seeds, 0),
  failed: pieces.flatMap(({ failed }) => failed),
  day: pieces.map(({ day }) => day).reduce((last, day) => (day > last ? day : last)),
  cpuSeconds: pieces.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  checks: summedChecks(pieces.map(({ checks }) => checks))
})

/** One campaign for each scenario and store, and for each stretch of seeds without a gap. */
const stretches = (pieces: ReadonlyArray<JudgedSeeds>): ReadonlyArray<JudgedSeeds> => {
  const of = ({ scenario, store }: JudgedSeeds): string => `${scenario} ${store}`
  const sorted = pieces.toSorted((a, b) =>
    of(a) === of(b) ? a.firstSeed - b.firstSeed : of(a) < of(b) ? -1 : 1
  )
  const found: Array<Array<JudgedSeeds>> = []
  for (const each of sorted) {
    const last = found.at(-1)?.at(-1)
    if (last !== undefined && of(last) === of(each) && last.firstSeed + last.seeds === each.firstSeed)
      found.at(-1)!.push(each)
    else found.push([each])
  }
  return found.map(joined)
}

/** Answers the exit code. */
export const reportOracles = async (output: Output, options: OracleReportOptions): Promise<number> => {
  const { firstSeed, jobs, minutes, page, results, seeds, store } = options
  mkdirSync(dirname(results), { recursive: true })
  const pieces = readResults(results)
  const isKnown = (seed: number): boolean =>
    pieces.some(
      (each) =>
        each.scenario === options.scenario &&
        each.store === store &&
        seed >= each.firstSeed &&
        seed < each.firstSeed + each.seeds
    )
  const scenario = scenarioNamed(options.scenario)!
  const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let open: Array<JudgedSeeds> = []
  const keep = (): void => {
    for (const stretch of stretches(open)) {
      pieces.push(stretch)
      appendFileSync(results, `${JSON.stringify(stretch)}\n`)
    }
    open = []
  }
  function* jobsOf(): Iterable<SeedRun> {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++)
      if (!isKnown(seed) && performance.now() < endsAt) yield { scenario, seed, hours: null, store }
  }
  let done = 0
  await campaign(
    jobsOf(),
    ({ checks, cpuSeconds, outcome, seed, violation }) => {
      const message = violation === null ? outcome : `${violation.oracle}: ${violation.message}`
      const failed = outcome === "passed" ? [] : [{ seed, message }]
      const day = new Date().toISOString().slice(0, "2026-01-31".length)
      open.push({
        scenario: scenario.name,
        store,
        firstSeed: seed,
        seeds: 1,
        failed,
        day,
        cpuSeconds,
        checks
      })
      if (outcome !== "passed") {
        output.progress.clear()
        output.line(`${scenario.name} --seed ${seed} over ${store}: ${message}`)
      }
      if (open.length === piece) keep()
      output.progress.update(++done / seeds, `${done} of ${seeds} seeds`)
    },
    { parallel: Math.min(jobs, seeds) }
  )
  keep()
  output.progress.clear()
  const campaigns = stretches(pieces)
  for (const line of oracleSummary(campaigns)) output.line(line)
  if (page !== undefined) output.file(page, oracleTable(campaigns))
  if (campaigns.some(({ failed }) => failed.length > 0)) return exitCodes.violated
  return campaigns.length === 0 || tooWeak(campaigns).length > 0 ? exitCodes.vacuous : exitCodes.passed
}
