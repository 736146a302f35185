/** What a campaign over mutants found, as a page and as lines. */
import { equivalentsFile } from "./Equivalents.ts"
import { isKill } from "./Judgement.ts"
import { kindNames, kinds, packages } from "./Mutant.ts"
import type { Judged } from "./Judged.ts"
import { outsideFile, outsideReason } from "./Outside.ts"
import { fateOf, isSimulated, type Tally, tallyOf } from "./Tally.ts"

/** The least shares of mutants that must be noticed, which the table names beside those that were. */
export const targets = { bySimulator: 0.9, byEither: 0.98 }

const percent = (share: number | null): string => (share === null ? "–" : `${(100 * share).toFixed(1)} %`)

const row = (name: string, tally: Tally): string => {
  const { byEither, bySimulator, bySimulatorOfReached, fates, mutants, unreached } = tally
  const shares = [bySimulator, bySimulatorOfReached, byEither].map(percent)
  return `| ${[name, mutants, fates.rule, fates.crash, fates.tests, fates.neither, fates.equivalent, fates.open, unreached, ...shares].join(" | ")} |`
}

const headOf = (what: string): ReadonlyArray<string> => [
  `| ${what} | mutants | by a rule | by a crash | by tests only | by neither | equivalent | not judged | no run comes to it | simulator | of those that a run comes to | simulator or tests |`,
  "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
]

/** One line for people. */
export const summaryOf = (judged: ReadonlyArray<Judged>): string => {
  const { byEither, bySimulator, bySimulatorOfAll, bySimulatorOfReached, fair, fates, mutants } =
    tallyOf(judged)
  const open = fates.open === 0 ? "" : `; ${fates.open} not judged`
  return `${mutants} mutants: the simulator kills ${percent(bySimulator)} of those that its program contains, ${percent(bySimulatorOfReached)} of those that a run comes to and ${percent(bySimulatorOfAll)} of all, simulator or tests ${percent(byEither)} of ${fair} that both judged to their end; ${fates.neither} killed by neither, ${fates.equivalent} equivalent${open}`
}

const killerOf = ({ simulator, tests }: Judged): string => {
  const by = simulator === null || isKill(simulator) ? (simulator ?? tests) : tests
  return by === null ? "" : by.detail === "" ? by.outcome : `${by.outcome}: ${by.detail}`
}

/** A line about one mutant. */
export const judgedLine = (judged: Judged): string => {
  const killer = killerOf(judged)
  return `${fateOf(judged)}  ${judged.mutant.id}${killer === "" ? "" : `  ${killer}`}`
}

/** Code in a list item; a diff can hold backticks. */
const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

const listOf = (
  title: string,
  about: string,
  judged: ReadonlyArray<Judged>,
  more: (each: Judged) => string
): ReadonlyArray<string> =>
  judged.length === 0
    ? []
    : [
        `## ${title}`,
        "",
        about,
        "",
        ...judged.map((each) => `- \`${each.mutant.id}\`: ${code(each.mutant.diff)}${more(each)}`),
        ""
      ]

/** What the page says besides the figures. */
export interface TableOptions {
  /** The day of the campaign. */
  readonly day: string
  readonly command: string
  /** How many mutants there are in all. */
  readonly population: number
  /** How many files of tests judged a mutant, the nearest of them. */
  readonly testFiles: number
}

/** The page simulations/MUTANTS.md, as Markdown. */
export const mutantsTable = (
  judged: ReadonlyArray<Judged>,
  { command, day, population, testFiles }: TableOptions
): string => {
  const having = (name: string, isOfRow: (each: Judged) => boolean): ReadonlyArray<string> => {
    const those = judged.filter(isOfRow)
    return those.length === 0 ? [] : [row(name, tallyOf(those))]
  }
  const withFate = (...fates: ReadonlyArray<string>): ReadonlyArray<Judged> =>
    judged.filter((each) => fates.includes(fateOf(each)))
  const { fates, unreached } = tallyOf(judged)
  const outside = judged.filter(
    ({ equivalent, mutant }) => equivalent === null && outsideReason(mutant.id) !== null
  )
  return [
    "# Mutants",
    "",
    `Each mutant is production code with one small change that was made by syntax. The simulator judges it by runs that come to the change, parts of the vocabulary, seeds of \`swarm\` and of other scenarios, over SQLite where the change is in that store; then tests, at most the ${testFiles} files nearest to the module, judge what it lets live. \`${command}\` wrote this page on ${day}, of ${judged.length} among ${population} mutants: ${summaryOf(judged)}.`,
    "",
    `The targets are ${percent(targets.bySimulator)} by the simulator, of the mutants that its program contains, and ${percent(targets.byEither)} by simulator or tests, of all. Equivalent mutants count for neither: \`${equivalentsFile}\` marks ${fates.equivalent} of these. The simulator's share also leaves out ${outside.length} that \`${outsideFile}\` puts outside of its program. Both files are as of this page, and may have grown after the mutants were judged. A crash is a run that failed, hung, took too long or did not begin. The simulator's program contains ${unreached} mutants to which none of its runs comes: they count as alive.`,
    "",
    "## By package",
    "",
    ...headOf("package"),
    ...packages.flatMap((name) => having(name, ({ mutant }) => mutant.package === name)),
    row("all", tallyOf(judged)),
    ...having("in the simulator's program", isSimulated),
    "",
    "## By kind",
    "",
    ...headOf("kind"),
    ...kindNames.flatMap((kind) =>
      having(`\`${kind}\`: ${kinds[kind]}`, ({ mutant }) => mutant.kind === kind)
    ),
    "",
    ...listOf(
      "Killed by neither",
      "The tests or the simulator must come to kill these, unless they are equivalent.",
      withFate("neither"),
      () => ""
    ),
    ...listOf(
      "Killed by tests only",
      "The simulator's program contains these, and it lets them live.",
      withFate("tests").filter((each) => each.simulator !== null && isSimulated(each)),
      ({ simulator, tests }) =>
        `${simulator?.outcome === "unreached" ? " No run comes to it." : ""} (${tests!.detail})`
    ),
    ...listOf(
      "Alive in the simulator, not judged by tests",
      "The simulator's program contains these, and it lets them live.",
      withFate("open").filter((each) => each.simulator !== null && isSimulated(each)),
      ({ simulator }) => (simulator!.outcome === "unreached" ? " (no run comes to it)" : "")
    ),
    ...listOf(
      "Outside of the simulator's program",
      "No run can come to these, for the reason that each gives: tests alone judge them.",
      outside,
      ({ mutant, tests }) =>
        ` ${outsideReason(mutant.id)!} ${tests === null ? "Not judged." : isKill(tests) ? `Killed: ${tests.detail}.` : "No test kills it."}`
    ),
    ...listOf(
      "Equivalent",
      `They behave as the code does, for the reasons in \`${equivalentsFile}\`.`,
      withFate("equivalent"),
      ({ equivalent }) => ` ${equivalent!}`
    )
  ].join("\n")
}
