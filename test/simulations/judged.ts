/** A rule by itself, without a run: what it says of calls and posts that a test makes up, and what it counts. */
import { inputOf, scenarioNamed } from "@lead-signals/simulations"
import { Checks, KnownFacts, type Oracle, oracles } from "@lead-signals/simulations/internal"

export const plan: KnownFacts["plan"] = inputOf(scenarioNamed("swarm")!, 1).plan
export const second = 1000
export const start = Date.UTC(2026, 0, 5, 8)

/** The rule of that name over a store that is seen, and what it counts as weakened. */
export const judge = (
  name: string,
  planned: typeof plan = plan
): {
  readonly facts: KnownFacts
  readonly oracle: ReturnType<Oracle["instantiate"]>
  readonly weakened: () => ReadonlyArray<readonly [reason: string, count: number]>
} => {
  const facts = new KnownFacts(planned)
  facts.isStoreSeen = true
  facts.now = () => start
  const checks = new Checks(name)
  const oracle = oracles.find((each) => each.name === name)!.instantiate(facts, checks)
  const weakened = () => checks.counts.flatMap((each) => Object.entries(each.weakened))
  return { facts, oracle, weakened }
}
