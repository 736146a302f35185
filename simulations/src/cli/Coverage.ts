/** `simulate coverage`: runs seeds of the swarm, and says which forms of inputs they have exercised. */
import { campaign, type SeedRun } from "../Campaign.ts"
import type { StoreKind } from "../Run.ts"
import { runSummary } from "../report/Summary.ts"
import { type Coverage, coverageOf, percent } from "../vocabulary/Coverage.ts"
import { exitCodeOf, exitCodes } from "./ExitCodes.ts"
import { scenarioNamed } from "../Scenarios.ts"
import type { Output } from "./Output.ts"

/** A campaign of a thousand seeds exercises at least this share of what can be reached, in percent. */
const minPercent = 99

/** The options of `simulate coverage`, read and judged. */
export interface CoverageOptions {
  readonly firstSeed: number
  readonly seeds: number
  readonly store: StoreKind
  /** Processes. */
  readonly jobs: number
  /** A file for the table. */
  readonly table: string | undefined
}

const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const tableOf = (coverage: Coverage, { firstSeed, seeds, store }: CoverageOptions): string =>
  [
    "# Coverage of the interface",
    "",
    "Every form of every field of path, query and body, and of whole requests, is a probe: derived from the OpenAPI document, with the outcome that the contract says. This table counts which of them a campaign has sent and seen answered.",
    "",
    `\`./lead-signals simulate coverage --seed ${firstSeed} --seeds ${seeds} --store ${store} --write simulations/COVERAGE.md\` made it: ${coverage.exercised} of ${coverage.reachable} reachable probes were exercised (${percent(coverage)}).`,
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
  const { firstSeed, jobs, seeds, store } = options
  const exercised = new Set<string>()
  let [done, code] = [0, exitCodes.passed]
  const runs = Array.from({ length: seeds }, (_, i): SeedRun => ({
    scenario: scenarioNamed("swarm")!,
    seed: firstSeed + i,
    hours: null,
    store
  }))
  await campaign(
    runs,
    (report) => {
      for (const probe of report.exercised) exercised.add(probe)
      if (report.outcome !== "passed") {
        if (code === exitCodes.passed) code = exitCodeOf(report)
        output.progress.clear()
        output.line(
          runSummary(report, 0, { scenario: "swarm", seed: report.seed, store, until: undefined, bug: null })
        )
      }
      output.progress.update(++done / seeds, `${done} of ${seeds} seeds`)
    },
    { parallel: Math.min(jobs, seeds) }
  )
  output.progress.clear()
  const coverage = coverageOf(exercised)
  output.line(
    `coverage · seeds ${firstSeed} to ${firstSeed + seeds - 1} · ${coverage.exercised} of ${coverage.reachable} reachable probes (${percent(coverage)})`
  )
  for (const { exercised: of, operation, reachable } of coverage.operations)
    output.line(`  ${operation.padEnd(22)} ${String(of).padStart(5)} of ${reachable}`)
  for (const probe of coverage.missed.slice(0, 40)) output.line(`  not exercised: ${probe}`)
  if (coverage.missed.length > 40) output.line(`  … ${coverage.missed.length - 40} more`)
  for (const { probe, reason } of coverage.unreachable) output.line(`  not reachable: ${probe}: ${reason}`)
  if (options.table !== undefined) output.file(options.table, tableOf(coverage, options))
  if (code !== exitCodes.passed) return code
  return (100 * coverage.exercised) / coverage.reachable >= minPercent ? exitCodes.passed : exitCodes.vacuous
}
