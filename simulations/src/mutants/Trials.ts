/** The runs that judge mutants: the whole vocabulary in parts, seeds of the swarm, and of each scenario that has what the swarm lacks. */
import { vocabularyParts } from "../VocabularyRun.ts"
import { ofVocabulary, type Trial } from "./trial.ts"

/** Seeds of the swarm among the runs over a store, and hours of other scenarios: whole, they would take several times as long. */
const swarmSeeds = 9

const others: ReadonlyArray<readonly [scenario: string, hours: number, seeds: number]> = [
  ["reads", 0.4, 2],
  ["retention", 1.5, 1],
  ["idempotency", 2, 1],
  ["access", 1, 1],
  ["sessions", 0.25, 3],
  ["ordering", 1, 1],
  ["key-rotation", 1, 1],
  ["sync-race", 0.5, 1],
  ["several-processes", 0.1, 1],
  ["resend-storm", 1, 1],
  ["rate-storm", 0.5, 1],
  ["flaky-consumers", 1, 1]
]

/** The runs over a store, those first that take the least time for what they reach. */
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
  ...(store === "sqlite" ? [{ scenario: "torn-writes", seed: 1, hours: 0.5, store }] : [])
]
