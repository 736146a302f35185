/** What campaigns of ordered webhooks have judged, as a page and on a terminal. */
import type { CheckCount } from "../oracles/Checks.ts"
import { scenarioNamed } from "../Scenarios.ts"

/** A campaign of one scenario over one store. */
export interface OrderedSeeds {
  readonly scenario: string
  /** The length of each run instead of the scenario's; null: as long as that says. */
  readonly hours: number | null
  readonly store: string
  readonly firstSeed: number
  readonly seeds: number
  readonly passed: number
  /** The seeds that broke a rule, or came to no end, each with its rule and message. */
  readonly failed: ReadonlyArray<{ readonly seed: number; readonly message: string }>
  readonly posts: number
  readonly kills: number
  readonly checks: ReadonlyArray<CheckCount>
  /** Processor time of the campaign's processes, in seconds. */
  readonly cpuSeconds: number
}

const ruleOf = ({ checks }: OrderedSeeds, rule: string): CheckCount | undefined =>
  checks.find(
    (each) => each.rule === rule && (each.oracle === "leads in order" || each.oracle === "formats right")
  )

const judgedOf = (campaign: OrderedSeeds, rule: string): number => ruleOf(campaign, rule)?.judged ?? 0

const weakenedOf = (campaign: OrderedSeeds, rule: string): number =>
  Object.values(ruleOf(campaign, rule)?.weakened ?? {}).reduce((sum, n) => sum + n, 0)

const order = "a lead's events come one after the other"

const figures: ReadonlyArray<readonly [name: string, of: (campaign: OrderedSeeds) => number]> = [
  ["seeds", ({ seeds }) => seeds],
  ["of them passed", ({ passed }) => passed],
  ["violations of any rule", ({ failed }) => failed.length],
  ["ordered webhooks with posts", (each) => judgedOf(each, "an ordered webhook")],
  ["posts of all webhooks", ({ posts }) => posts],
  ["posts that were batches", (each) => judgedOf(each, "each batch, and its id")],
  ["events that came as CloudEvents", (each) => judgedOf(each, "each CloudEvent")],
  ["events in order, judged", (each) => judgedOf(each, order)],
  ["events in order, not judged", (each) => weakenedOf(each, order)],
  [
    "of those judged, held back by an earlier event",
    (each) => judgedOf(each, "an event that waited for the one before")
  ],
  [
    "dead letters that a later post names as skipped",
    (each) => judgedOf(each, "a dead letter that a later post names")
  ],
  ["kills of a process", ({ kills }) => kills]
]

const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",")

/** The scenario, its length where another was asked for, and the store. */
const runsOf = ({ hours, scenario, store }: OrderedSeeds): string =>
  `${scenario}${hours === null ? "" : ` of ${hours} h`} on ${store}`

/** Lines for a terminal. */
export const orderSummary = (campaign: OrderedSeeds): ReadonlyArray<string> => [
  `${runsOf(campaign)} · seeds ${campaign.firstSeed} to ${campaign.firstSeed + campaign.seeds - 1} · ${Math.round(campaign.cpuSeconds)} s of processor time`,
  ...figures.map(([name, of]) => `  ${name.padEnd(50)} ${thousands(of(campaign)).padStart(11)}`),
  ...campaign.failed.map(({ message, seed }) => `  seed ${seed}: ${message}`)
]

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const seedsOf = (campaign: OrderedSeeds): string =>
  `${runsOf(campaign)}, ${campaign.firstSeed} to ${campaign.firstSeed + campaign.seeds - 1}`

/** What each scenario of the campaigns is, with its webhooks that are ordered. */
const scenariosOf = (campaigns: ReadonlyArray<OrderedSeeds>): ReadonlyArray<string> =>
  [...new Set(campaigns.map(({ scenario }) => scenario))].map((name) => {
    const { about, webhooks } = scenarioNamed(name)!
    const ordered = Math.round(webhooks.ordered * 100)
    return `- \`${name}\`, with ${ordered === 100 ? "all" : `${ordered} %`} of its webhooks ordered: ${about}`
  })

/** The figures of all campaigns, in a sentence. */
const totalOf = (campaigns: ReadonlyArray<OrderedSeeds>): string => {
  const sum = (of: (campaign: OrderedSeeds) => number): string =>
    thousands(campaigns.reduce((total, each) => total + of(each), 0))
  return `In all ${sum(({ seeds }) => seeds)} seeds: ${sum((each) => judgedOf(each, "an ordered webhook"))} ordered webhooks, ${sum((each) => judgedOf(each, order))} events judged, ${sum((each) => judgedOf(each, "an event that waited for the one before"))} of them held back by an earlier one, ${sum((each) => judgedOf(each, "a dead letter that a later post names"))} dead letters named as skipped, ${sum(({ failed }) => failed.length)} violations.`
}

/** The page: a column for each campaign. */
export const orderTable = (campaigns: ReadonlyArray<OrderedSeeds>): string =>
  [
    "# Ordered delivery",
    "",
    "What the rules `leads in order` and `formats right` judged of ordered webhooks, some with a `maxDelay`, some with batches, some with CloudEvents. All other rules judged the same runs. The scenarios:",
    "",
    ...scenariosOf(campaigns),
    "",
    "`./lead-signals simulate order-report --write simulations/ORDERING.md` writes this page from the seeds that were run; `--scenario`, `--until` and `--store` choose which. `--results` keeps them, so that a campaign goes on where it ended.",
    "",
    totalOf(campaigns),
    "",
    row(["", ...campaigns.map(seedsOf)]),
    row(["---", ...campaigns.map(() => "---:")]),
    ...figures.map(([name, of]) => row([name, ...campaigns.map((each) => thousands(of(each)))])),
    row(["processor time", ...campaigns.map(({ cpuSeconds }) => `${thousands(Math.round(cpuSeconds))} s`)]),
    "",
    "Each event is judged when it first comes: the one before it of its lead must have been taken by then, or be named as skipped; none may be older than one that came before. Not judged: posts that were under way while an erasure gave their deliveries other ids.",
    "",
    "## Violations",
    "",
    ...(campaigns.every(({ failed }) => failed.length === 0)
      ? ["None."]
      : campaigns.flatMap((campaign) =>
          campaign.failed.map(({ message, seed }) => `- ${runsOf(campaign)}, seed ${seed}: ${message}`)
        )),
    ""
  ].join("\n")
