/** What the rules have judged in campaigns, and in how much they were weakened, as a page and on a terminal. */
import { type CheckCount, summedChecks, weakenedShare } from "../oracles/Checks.ts"

/** Seeds of one scenario over one store, without a gap. */
export interface JudgedSeeds {
  readonly scenario: string
  readonly store: string
  readonly firstSeed: number
  readonly seeds: number
  /** The seeds that broke a rule, or came to no end, each with its rule and message. */
  readonly failed: ReadonlyArray<{ readonly seed: number; readonly message: string }>
  /** The day on which they ran, `YYYY-MM-DD`, of the last of them. */
  readonly day: string
  /** Processor time, in seconds. */
  readonly cpuSeconds: number
  readonly checks: ReadonlyArray<CheckCount>
}

/** The most of its checks in which a rule may be weakened, as a share. */
const mostWeakened = 0.02

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, n) => all + n, 0)
const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",")
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`
const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const weakenedOf = ({ weakened }: CheckCount): number => sum(Object.values(weakened))

/** The rules that were weakened in more of their checks than may be. */
export const tooWeak = (campaigns: ReadonlyArray<JudgedSeeds>): ReadonlyArray<CheckCount> =>
  summedChecks(campaigns.map(({ checks }) => checks)).filter((count) => weakenedShare(count) > mostWeakened)

/** Lines for a terminal. */
export const oracleSummary = (campaigns: ReadonlyArray<JudgedSeeds>): ReadonlyArray<string> => [
  ...campaigns.map(
    ({ failed, firstSeed, scenario, seeds, store }) =>
      `${scenario} · ${store} · seeds ${firstSeed} to ${firstSeed + seeds - 1} · ${seeds - failed.length} passed`
  ),
  ...campaigns.flatMap(({ failed, scenario, store }) =>
    failed.map(({ message, seed }) => `  ${scenario} --seed ${seed} over ${store}: ${message}`)
  ),
  ...tooWeak(campaigns).map(
    (count) => `  too weak: ${count.oracle}, ${count.rule}: ${percent(weakenedShare(count))}`
  )
]

const reasons = ({ weakened }: CheckCount): string =>
  Object.entries(weakened)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${reason} (${thousands(n)})`)
    .join("; ")

const whole = new Set(["each call"])

/** The page: campaigns, and a line for each rule. */
export const oracleTable = (campaigns: ReadonlyArray<JudgedSeeds>): string => {
  const counts = summedChecks(campaigns.map(({ checks }) => checks)).toSorted((a, b) =>
    a.oracle === b.oracle ? 0 : a.oracle < b.oracle ? -1 : 1
  )
  const judged = counts.filter((count) => count.judged + weakenedOf(count) > 0)
  const silent = counts.filter((count) => count.judged + weakenedOf(count) === 0)
  const seeds = sum(campaigns.map((each) => each.seeds))
  const failed = campaigns.flatMap((each) => each.failed)
  const worst = judged.toSorted((a, b) => weakenedShare(b) - weakenedShare(a))[0]
  return [
    "# Rules",
    "",
    "How often each rule of the simulator was judged, and in how many of its checks a fault explained something, so that it judged a part of the rule or nothing. No rule may be weakened in more than 2 % of its checks. A rule that looks at whole calls, posts or runs has the line “each call”.",
    "",
    "`./lead-signals simulate oracles --write simulations/ORACLES.md` writes this page from the seeds that were run, and `--results` keeps them, so that a campaign goes on where it ended. Seeds are judged by the rules of the day on which they ran.",
    "",
    `In all ${thousands(seeds)} seeds, ${thousands(seeds - failed.length)} of which passed: ${thousands(sum(judged.map((count) => count.judged)))} checks, ${thousands(sum(judged.map(weakenedOf)))} more of which were weakened${worst === undefined ? "" : `, at most ${percent(weakenedShare(worst))} of one rule's`}.`,
    "",
    row(["scenario", "store", "seeds", "passed", "last run on", "processor time"]),
    row(["---", "---", "---:", "---:", "---", "---:"]),
    ...campaigns.map((each) =>
      row([
        `\`${each.scenario}\``,
        each.store,
        `${each.firstSeed} to ${each.firstSeed + each.seeds - 1}`,
        thousands(each.seeds - each.failed.length),
        each.day,
        `${thousands(Math.round(each.cpuSeconds))} s`
      ])
    ),
    "",
    row(["rule", "what it judges", "judged", "weakened", "when"]),
    row(["---", "---", "---:", "---:", "---"]),
    ...judged.map((count) =>
      row([
        `\`${count.oracle}\``,
        whole.has(count.rule) ? "each call, post or run" : count.rule,
        thousands(count.judged),
        percent(weakenedShare(count)),
        weakenedOf(count) === 0 ? "never" : reasons(count)
      ])
    ),
    "",
    "## Not judged in these seeds",
    "",
    ...(silent.length === 0 ? ["None."] : silent.map(({ oracle, rule }) => `- \`${oracle}\`: ${rule}`)),
    "",
    "## Violations",
    "",
    ...(failed.length === 0
      ? ["None."]
      : campaigns.flatMap(({ failed: of, scenario, store }) =>
          of.map(({ message, seed }) => `- \`${scenario} --seed ${seed}\` over ${store}: ${message}`)
        )),
    ""
  ].join("\n")
}
