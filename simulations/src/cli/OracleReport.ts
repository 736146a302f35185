/** `simulate oracles`: what rules judge in many seeds, and in how much they are weakened. An interrupted campaign goes on where it ended. */
import { summedChecks } from "../oracles/Checks.ts"
import { type JudgedSeeds, oracleSummary, oracleTable, tooWeak } from "../report/OracleTable.ts"
import { scenarioNamed } from "../Scenarios.ts"
import { exitCodes } from "./ExitCodes.ts"
import { type KeptCampaignOptions, runKeptCampaign } from "./KeptCampaign.ts"
import type { Output } from "./Output.ts"

/** The options of `simulate oracles`, read and judged. */
export interface OracleReportOptions extends Omit<KeptCampaignOptions, "scenario" | "hours"> {
  readonly scenario: string
  /** A file for the page. */
  readonly page: string | undefined
}

const join = (pieces: ReadonlyArray<JudgedSeeds>): JudgedSeeds => ({
  scenario: pieces[0]!.scenario,
  store: pieces[0]!.store,
  firstSeed: pieces[0]!.firstSeed,
  seeds: pieces.reduce((sum, { seeds }) => sum + seeds, 0),
  failed: pieces.flatMap(({ failed }) => failed),
  day: pieces.map(({ day }) => day).reduce((last, day) => (day > last ? day : last)),
  cpuSeconds: pieces.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  checks: summedChecks(pieces.map(({ checks }) => checks))
})

/** Answers the exit code. */
export const reportOracles = async (output: Output, options: OracleReportOptions): Promise<number> => {
  const { page, store } = options
  const scenario = scenarioNamed(options.scenario)!
  const campaigns = await runKeptCampaign<JudgedSeeds>(
    output,
    { ...options, scenario, hours: null },
    {
      isOf: (range) => range.scenario === scenario.name && range.store === store,
      kindOf: (range) => `${range.scenario} ${range.store}`,
      ofSeed: ({ checks, cpuSeconds, seed }, failed) => ({
        scenario: scenario.name,
        store,
        firstSeed: seed,
        seeds: 1,
        failed,
        day: new Date().toISOString().slice(0, "2026-01-31".length),
        cpuSeconds,
        checks
      }),
      join
    }
  )
  for (const line of oracleSummary(campaigns)) output.line(line)
  if (page !== undefined) output.file(page, oracleTable(campaigns))
  if (campaigns.some(({ failed }) => failed.length > 0)) return exitCodes.violated
  return campaigns.length === 0 || tooWeak(campaigns).length > 0 ? exitCodes.vacuous : exitCodes.passed
}
