/** What a hunt for planted bugs found, on a terminal and as a page. */
import type { Hunted } from "../BugHunt.ts"
import { bugGroups } from "../bugs/index.ts"

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

/** One line, without the name of the bug. */
export const huntSummary = ({ actions, faults, message, oracle, seeds }: Hunted): string =>
  oracle === null
    ? `not found in ${counted(seeds, "seed")}${message === null ? "" : `: ${message}`}`
    : `${oracle}, after ${counted(seeds, "seed")}; ${counted(actions, "action")}, ${counted(faults, "fault")}`

const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** The line for a terminal, and simulations/BUGS.md. `seeds` is how many each bug had at most. */
export const bugsTable = (
  hunted: ReadonlyArray<Hunted>,
  seeds: number
): { readonly summary: string; readonly markdown: string } => {
  const found = hunted.filter(({ oracle }) => oracle !== null)
  const share = hunted.length === 0 ? 0 : (100 * found.length) / hunted.length
  const summary = `${found.length} of ${hunted.length} found (${share.toFixed(1)} %); the median after ${counted(median(found.map((each) => each.seeds)), "seed")}, in a counterexample of ${counted(median(found.map(({ actions }) => actions)), "action")} and ${counted(median(found.map(({ faults }) => faults)), "fault")}`
  const byName = new Map(hunted.map((each) => [each.bug, each]))
  const sections = bugGroups.flatMap(([where, bugs]) => {
    const rows = bugs.flatMap(({ about: whatIsWrong, name, scenario }) => {
      const each = byName.get(name)
      if (each === undefined) return []
      const about = scenario === "swarm" ? whatIsWrong : `${whatIsWrong} (\`${scenario}\`)`
      return each.oracle === null
        ? [`| \`${name}\` | ${about} | not found | ${each.seeds} | | |`]
        : [`| \`${name}\` | ${about} | ${each.oracle} | ${each.seeds} | ${each.actions} | ${each.faults} |`]
    })
    return rows.length === 0
      ? []
      : [
          `## In the ${where}`,
          "",
          "| bug | what is wrong | found by | seeds | actions | faults |",
          "|---|---|---|---:|---:|---:|",
          ...rows,
          ""
        ]
  })
  const markdown = [
    "# Planted bugs",
    "",
    `Each is a small change of production code, planted alone. The swarm scenario, or the one in parentheses, runs from seed 1 on until an oracle breaks, for at most ${seeds} seeds; then the simulator shrinks the counterexample. Seeds: the number of seeds until then. Actions and faults: the size of the counterexample.`,
    "",
    `\`./lead-signals simulate bugs --seeds ${seeds} --write simulations/BUGS.md\` made this table: ${summary}.`,
    "",
    ...sections
  ].join("\n")
  return { summary, markdown }
}
