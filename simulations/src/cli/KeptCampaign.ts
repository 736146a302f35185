/** A campaign over many seeds whose results a file keeps: an interrupted one goes on where it ended. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { campaign, type SeedReport, type SeedRun } from "../Campaign.ts"
import type { StoreKind } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import type { Output } from "./Output.ts"

/** The options of a campaign whose results are kept in a file. */
export interface KeptCampaignOptions {
  readonly scenario: Scenario
  /** Instead of the scenario's length; null: as long as the scenario says. */
  readonly hours: number | null
  readonly firstSeed: number
  readonly seeds: number
  readonly store: StoreKind
  /** Processes. */
  readonly jobs: number
  /** Minutes after which no seed begins; null: all are run. */
  readonly minutes: number | null
  /** The file that keeps what was judged: seeds that it holds are not run again. */
  readonly results: string
}

/** What the file keeps of some seeds that follow each other. */
export interface SeedRange {
  readonly firstSeed: number
  readonly seeds: number
}

/** A seed that broke a rule, or came to no end. */
interface FailedSeed {
  readonly seed: number
  readonly message: string
}

/** How a campaign counts what its seeds showed. */
export interface Tally<Range extends SeedRange> {
  /** Whether the campaign that made the range differs from the one of these options in its seeds alone. */
  readonly isOf: (range: Range, options: KeptCampaignOptions) => boolean
  /** The order of ranges of different campaigns; the same text for those of one. */
  readonly kindOf: (range: Range) => string
  readonly ofSeed: (report: SeedReport, failed: ReadonlyArray<FailedSeed>) => Range
  /** One range for some without a gap between them; at least one is given. */
  readonly join: (ranges: ReadonlyArray<Range>) => Range
}

/** Seeds that a line of the file has. */
const lineSeeds = 25

/** What the file holds; a line that a kill cut off counts for nothing. */
const readResults = <Range>(file: string): Array<Range> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Range)
    : []

/** One range for each campaign and each run of its seeds without a gap. */
const joined = <Range extends SeedRange>(
  all: ReadonlyArray<Range>,
  { join, kindOf }: Tally<Range>
): ReadonlyArray<Range> => {
  const sorted = all.toSorted((a, b) =>
    kindOf(a) === kindOf(b) ? a.firstSeed - b.firstSeed : kindOf(a) < kindOf(b) ? -1 : 1
  )
  const found: Array<Array<Range>> = []
  for (const each of sorted) {
    const last = found.at(-1)?.at(-1)
    const isNext =
      last !== undefined && kindOf(last) === kindOf(each) && last.firstSeed + last.seeds === each.firstSeed
    if (isNext) found.at(-1)!.push(each)
    else found.push([each])
  }
  return found.map(join)
}

/** Runs the seeds that the file does not hold; resolves to all that it holds then, other campaigns' ranges among them. */
export const runKeptCampaign = async <Range extends SeedRange>(
  output: Output,
  options: KeptCampaignOptions,
  tally: Tally<Range>
): Promise<ReadonlyArray<Range>> => {
  const { firstSeed, hours, jobs, minutes, results, scenario, seeds, store } = options
  mkdirSync(dirname(results), { recursive: true })
  const kept = readResults<Range>(results)
  const isKnown = (seed: number): boolean =>
    kept.some(
      (each) => tally.isOf(each, options) && seed >= each.firstSeed && seed < each.firstSeed + each.seeds
    )
  const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let open: Array<Range> = []
  const keep = (): void => {
    for (const range of joined(open, tally)) {
      kept.push(range)
      appendFileSync(results, `${JSON.stringify(range)}\n`)
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
    (report) => {
      const { outcome, seed, violation } = report
      const message = violation === null ? outcome : `${violation.oracle}: ${violation.message}`
      open.push(tally.ofSeed(report, outcome === "passed" ? [] : [{ seed, message }]))
      if (outcome !== "passed") {
        output.progress.clear()
        output.line(`${scenario.name} --seed ${seed} over ${store}: ${message}`)
      }
      if (open.length === lineSeeds) keep()
      output.progress.update(++done / seeds, `${done} of ${seeds} seeds`)
    },
    { parallel: Math.min(jobs, seeds) }
  )
  keep()
  output.progress.clear()
  return joined(kept, tally)
}
