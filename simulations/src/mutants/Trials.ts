/** The runs that judge mutants: the whole vocabulary in parts, seeds of the swarm, and of each scenario that has what the swarm lacks. */
import { vocabularyParts } from "../VocabularyRun.ts"
import { ofVocabulary, type Trial } from "./trial.ts"

/** Seeds of the swarm among the runs over a store, and hours of other scenarios: several short seeds draw more than a long one in its time. */
const swarmSeeds = 9

const others: ReadonlyArray<readonly [scenario: string, hours: number, seeds: number]> = [
  ["reads", 0.1, 4],
  ["reads", 0.4, 1],
  ["retention", 0.4, 3],
  ["retention", 0.8, 3],
  ["idempotency", 2, 4],
  ["access", 0.3, 3],
  ["sessions", 0.1, 3],
  ["ordering", 0.2, 5],
  ["key-rotation", 0.4, 2],
  ["sync-race", 0.1, 3],
  ["several-processes", 0.1, 2],
  ["resend-storm", 0.5, 2],
  ["rate-storm", 0.5, 1],
  ["flaky-consumers", 0.4, 3],
  ["month-of-retries", 192, 1]
]

/** Runs over SQLite for what both stores have in common: the store makes rows of what the rules decide. */
const beside: ReadonlyArray<Trial> = [
  { scenario: "key-rotation", seed: 1, hours: 0.4, store: "sqlite" },
  { scenario: "swarm", seed: 2, hours: null, store: "sqlite" }
]

/**
 * Seeds of `reads` whose brand has 640 to 1,380 leads from its second minute on, by the bounds from which a store over SQLite finds leads in other
 * ways: what searches have in memory, in large parts and small ones, and the rank index. Other seeds of so few hours have a few dozen.
 */
const large: ReadonlyArray<Trial> = [11, 20, 84].map((seed) => ({
  scenario: "reads",
  seed,
  hours: 0.1,
  store: "sqlite"
}))

/** The runs for changes of a store; over memory those of what all stores have in common, too. */
export const trialsOver = (store: Trial["store"]): ReadonlyArray<Trial> => [
  ...Array.from({ length: vocabularyParts() }, (_, i) => ({
    scenario: ofVocabulary,
    seed: i + 1,
    hours: null,
    store
  })),
  ...Array.from({ length: swarmSeeds }, (_, i) => ({ scenario: "swarm", seed: i + 1, hours: null, store })),
  ...others.flatMap(([scenario, hours, seeds]) =>
    Array.from({ length: seeds }, (_, i) => ({ scenario, seed: i + 1, hours, store }))
  ),
  ...(store === "sqlite" ? [...large, { scenario: "torn-writes", seed: 1, hours: 0.2, store }] : beside)
]
