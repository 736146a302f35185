/** `simulate order-report`: what is judged of ordered webhooks in many seeds. An interrupted campaign goes on where it ended. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { campaign, type SeedRun } from "../Campaign.ts"
import { summedChecks } from "../oracles/Checks.ts"
import { type OrderedSeeds, orderSummary, orderTable } from "../report/OrderTable.ts"
import type { StoreKind } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

export interface OrderReportOptions {
  readonly scenario: Scenario
  /** Instead of the scenario's length; null: as long as the scenario says. */
  readonly hours: number | null
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
const readResults = (file: string): Array<OrderedSeeds> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as OrderedSeeds)
    : []

const joined = (pieces: ReadonlyArray<OrderedSeeds>): OrderedSeeds => ({
  scenario: pieces[0]!.scenario,
  hours: pieces[0]!.hours,
  store: pieces[0]!.store,
  firstSeed: Math.min(...pieces.map(({ firstSeed }) => firstSeed)),
  seeds: pieces.reduce((sum, { seeds }) => sum + seeds, 0),
  passed: pieces.reduce((sum, { passed }) => sum + passed, 0),
  failed: pieces.flatMap(({ failed }) => failed),
  posts: pieces.reduce((sum, { posts }) => sum + posts, 0),
  kills: pieces.reduce((sum, { kills }) => sum + kills, 0),
  cpuSeconds: pieces.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  checks: summedChecks(pieces.map(({ checks }) => checks))
})

/** What tells a campaign from others, besides its seeds. */
const kindOf = ({ hours, scenario, store }: Pick<OrderedSeeds, "hours" | "scenario" | "store">): string =>
  JSON.stringify([scenario, store, hours])

/** One campaign for each scenario, length and store, and for each stretch of seeds without a gap. */
const stretches = (pieces: ReadonlyArray<OrderedSeeds>): ReadonlyArray<OrderedSeeds> => {
  const sorted = pieces.toSorted((a, b) =>
    kindOf(a) === kindOf(b) ? a.firstSeed - b.firstSeed : kindOf(a) < kindOf(b) ? -1 : 1
  )
  const found: Array<Array<OrderedSeeds>> = []
  for (const each of sorted) {
    const last = found.at(-1)?.at(-1)
    const isNext =
      last !== undefined && kindOf(last) === kindOf(each) && last.firstSeed + last.seeds === each.firstSeed
    if (isNext) found.at(-1)!.push(each)
    else found.push([each])
  }
  return found.map(joined)
}

/** Answers the exit code. */
export const reportOrder = async (output: Output, options: OrderReportOptions): Promise<number> => {
  const { firstSeed, hours, jobs, minutes, page, results, scenario, seeds, store } = options
  const kind = { scenario: scenario.name, hours, store }
  mkdirSync(dirname(results), { recursive: true })
  const pieces = readResults(results)
  const isKnown = (seed: number): boolean =>
    pieces.some(
      (each) => kindOf(each) === kindOf(kind) && seed >= each.firstSeed && seed < each.firstSeed + each.seeds
    )
  const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let open: Array<OrderedSeeds> = []
  const keep = (): void => {
    if (open.length === 0) return
    for (const stretch of stretches(open)) {
      pieces.push(stretch)
      appendFileSync(results, `${JSON.stringify(stretch)}\n`)
    }
    open = []
  }
  function* jobsOf(): Iterable<SeedRun> {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++)
      if (!isKnown(seed) && performance.now() < endsAt) yield { scenario, seed, hours, store }
  }
  let done = 0
  await campaign(
    jobsOf(),
    ({ checks, counts, cpuSeconds, outcome, seed, violation }) => {
      const isPassed = outcome === "passed"
      const message = violation === null ? outcome : `${violation.oracle}: ${violation.message}`
      open.push({
        ...kind,
        firstSeed: seed,
        seeds: 1,
        passed: isPassed ? 1 : 0,
        failed: isPassed ? [] : [{ seed, message }],
        posts: counts.posts,
        kills: counts.kills,
        cpuSeconds,
        checks: checks.filter(({ oracle }) => oracle === "leads in order" || oracle === "formats right")
      })
      if (!isPassed) {
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
  for (const each of campaigns) for (const line of orderSummary(each)) output.line(line)
  if (page !== undefined) output.file(page, orderTable(campaigns))
  if (campaigns.some(({ failed }) => failed.length > 0)) return exitCodes.violated
  return campaigns.length === 0 ? exitCodes.vacuous : exitCodes.passed
}
