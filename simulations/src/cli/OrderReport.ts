/** `simulate order-report`: what is judged of ordered webhooks in many seeds. An interrupted campaign goes on where it ended. */
import { summedChecks } from "../oracles/Checks.ts"
import { type OrderedSeeds, orderSummary, orderTable } from "../report/OrderTable.ts"
import { exitCodes } from "./ExitCodes.ts"
import { type KeptCampaignOptions, runKeptCampaign } from "./KeptCampaign.ts"
import type { Output } from "./Output.ts"

/** The options of `simulate order-report`, read and judged. */
export interface OrderReportOptions extends KeptCampaignOptions {
  /** A file for the page. */
  readonly page: string | undefined
}

const join = (pieces: ReadonlyArray<OrderedSeeds>): OrderedSeeds => ({
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

/** Answers the exit code. */
export const reportOrder = async (output: Output, options: OrderReportOptions): Promise<number> => {
  const { hours, page, scenario, store } = options
  const kind = { scenario: scenario.name, hours, store }
  const campaigns = await runKeptCampaign<OrderedSeeds>(output, options, {
    isOf: (range) => kindOf(range) === kindOf(kind),
    kindOf,
    ofSeed: ({ checks, counts, cpuSeconds, seed }, failed) => ({
      ...kind,
      firstSeed: seed,
      seeds: 1,
      passed: failed.length === 0 ? 1 : 0,
      failed,
      posts: counts.posts,
      kills: counts.kills,
      cpuSeconds,
      checks: checks.filter(({ oracle }) => oracle === "leads in order" || oracle === "formats right")
    }),
    join
  })
  for (const each of campaigns) for (const line of orderSummary(each)) output.line(line)
  if (page !== undefined) output.file(page, orderTable(campaigns))
  if (campaigns.some(({ failed }) => failed.length > 0)) return exitCodes.violated
  return campaigns.length === 0 ? exitCodes.vacuous : exitCodes.passed
}
