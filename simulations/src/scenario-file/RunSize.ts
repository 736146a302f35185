/** Refuses runs that would take hours or more memory than a machine has. */
import type { Scenario } from "../Scenario.ts"

/** A run keeps its history in memory: 21,400 actions took 0.55 GB. */
const maxActions = 100_000
/** Each engagement is posted to each receiver of its brand. */
const maxPosts = 200_000
/** Each of them stops the service, or what it does. */
const maxScheduledFaults = 20_000

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0)

const rounded = (n: number): string => Math.round(n).toLocaleString("en")

/**
 * What is too much of a scenario that goes on for so many virtual hours, a line each; empty for a run that fits. The
 * numbers are averages.
 */
export const oversized = (scenario: Scenario, hours = scenario.hours): ReadonlyArray<string> => {
  const { brands, scheduledFaults } = scenario
  const actions = hours * sum(brands.flatMap(({ perHour }) => Object.values(perHour)))
  const posts = hours * sum(brands.map(({ consumers, perHour }) => perHour.observe * consumers.length))
  const faults = (hours / 24) * sum(Object.values(scheduledFaults))
  const tooMuch = (amount: number, max: number, what: string, of: string): ReadonlyArray<string> =>
    amount <= max
      ? []
      : [`${rounded(amount)} ${what} are too many for a run: ${of} may make ${rounded(max)} at most.`]
  return [
    ...tooMuch(actions, maxActions, "actions", "perHour of all brands times the hours"),
    ...tooMuch(posts, maxPosts, "posts", "observe times the brand's consumers times the hours"),
    ...tooMuch(faults, maxScheduledFaults, "faults", "scheduledFaults times the days")
  ]
}
