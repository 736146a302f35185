/** `simulate coverage`: runs seeds of the swarm, and says which forms of inputs they have exercised. An interrupted campaign goes on where it ended. */
import { scenarioNamed } from "../Scenarios.ts"
import { type Coverage, coverageOf, percent } from "../vocabulary/Coverage.ts"
import { exitCodes } from "./ExitCodes.ts"
import { type KeptCampaignOptions, runKeptCampaign, type SeedRange } from "./KeptCampaign.ts"
import type { Output } from "./Output.ts"

/** A campaign of a thousand seeds exercises at least this share of what can be reached, in percent. */
const minPercent = 99

/** The options of `simulate coverage`, read and judged. */
export interface CoverageOptions extends Omit<KeptCampaignOptions, "scenario" | "hours"> {
  /** A file for the table. */
  readonly page: string | undefined
}

/** What some seeds have exercised, as the file of results keeps it. */
interface ExercisedSeeds extends SeedRange {
  readonly store: string
  /** Those that did not pass. */
  readonly failed: ReadonlyArray<{ readonly seed: number; readonly message: string }>
  /** The names of probes. */
  readonly exercised: ReadonlyArray<string>
}

const join = (pieces: ReadonlyArray<ExercisedSeeds>): ExercisedSeeds => ({
  store: pieces[0]!.store,
  firstSeed: pieces[0]!.firstSeed,
  seeds: pieces.reduce((sum, { seeds }) => sum + seeds, 0),
  failed: pieces.flatMap(({ failed }) => failed),
  exercised: [...new Set(pieces.flatMap(({ exercised }) => exercised))]
})

const rangeOf = ({ firstSeed, seeds }: SeedRange): string =>
  seeds === 1 ? String(firstSeed) : `${firstSeed} to ${firstSeed + seeds - 1}`

const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const tableOf = (coverage: Coverage, ran: ReadonlyArray<ExercisedSeeds>): string =>
  [
    "# Coverage of the interface",
    "",
    "Every form of every field of path, query and body, and of whole requests, is a probe: derived from the OpenAPI document, with the outcome that the contract says. This table counts which of them a campaign has sent and seen answered.",
    "",
    `\`./lead-signals simulate coverage --write simulations/COVERAGE.md\` wrote it after ${ran.map((range) => `seeds ${rangeOf(range)} of \`swarm\` over ${range.store}`).join(" and ")}: ${coverage.exercised} of ${coverage.reachable} reachable probes were exercised (${percent(coverage)}).`,
    "",
    row(["operation", "fields", "accepted forms", "refused forms", "exercised", "share"]),
    row(["---", "---:", "---:", "---:", "---:", "---:"]),
    ...coverage.operations.map(({ accepted, exercised, fields, operation, reachable, refused }) =>
      row([
        `\`${operation}\``,
        fields,
        accepted,
        refused,
        `${exercised} of ${reachable}`,
        reachable === 0 ? "–" : percent({ exercised, reachable })
      ])
    ),
    "",
    "## Reachable, not exercised",
    "",
    ...(coverage.missed.length === 0 ? ["None."] : coverage.missed.map((probe) => `- \`${probe}\``)),
    "",
    "## Not reachable",
    "",
    ...(coverage.unreachable.length === 0
      ? ["None."]
      : coverage.unreachable.map(({ probe, reason }) => `- \`${probe}\`: ${reason}`)),
    ""
  ].join("\n")

/** Answers the exit code. */
export const measureCoverage = async (output: Output, options: CoverageOptions): Promise<number> => {
  const { page, store } = options
  const ran = await runKeptCampaign<ExercisedSeeds>(
    output,
    { ...options, scenario: scenarioNamed("swarm")!, hours: null },
    {
      isOf: (range) => range.store === store,
      kindOf: (range) => range.store,
      ofSeed: ({ exercised, seed }, failed) => ({ store, firstSeed: seed, seeds: 1, failed, exercised }),
      join
    }
  )
  const coverage = coverageOf(new Set(ran.flatMap(({ exercised }) => exercised)))
  output.line(
    `coverage · seeds ${ran.map(rangeOf).join(" and ")} · ${coverage.exercised} of ${coverage.reachable} reachable probes (${percent(coverage)})`
  )
  for (const { exercised: of, operation, reachable } of coverage.operations)
    output.line(`  ${operation.padEnd(22)} ${String(of).padStart(5)} of ${reachable}`)
  for (const probe of coverage.missed.slice(0, 40)) output.line(`  not exercised: ${probe}`)
  if (coverage.missed.length > 40) output.line(`  … ${coverage.missed.length - 40} more`)
  for (const { probe, reason } of coverage.unreachable) output.line(`  not reachable: ${probe}: ${reason}`)
  if (page !== undefined) output.file(page, tableOf(coverage, ran))
  if (ran.some(({ failed }) => failed.length > 0)) return exitCodes.violated
  return (100 * coverage.exercised) / coverage.reachable >= minPercent ? exitCodes.passed : exitCodes.vacuous
}
