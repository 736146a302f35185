/** Which run a night makes of a seed: mostly one of `swarm`, or of `dense-swarm`. */
import type { SeedRun } from "../Campaign.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"

/** Whole scenarios take long: only one seed in this many runs one of them, each scenario and store in turn. */
const seedsPerScenario = 25
/** Coincidences need fewer seeds of `dense-swarm`, and what is slow needs `swarm`. It has no factor in common with the other numbers, so that both run over each store. */
const seedsPerDense = 3
/** The SQLite store takes longer and gives the same histories. */
const seedsPerSqlite = 10
/** An encrypted file does, too. */
const seedsPerEncrypted = 50

/** A function of the seed alone, so that a night that was interrupted goes on with the same runs. */
export const explorationOf = (seed: number): SeedRun => {
  if (seed % seedsPerScenario === 0) {
    const names = scenarioNames().filter((name) => scenarioNamed(name)!.expected === "passed")
    const n = seed / seedsPerScenario
    const store = Math.floor(n / names.length) % 2 === 0 ? "memory" : "sqlite"
    return { scenario: scenarioNamed(names[n % names.length]!)!, seed, hours: null, store }
  }
  const store =
    seed % seedsPerEncrypted === seedsPerEncrypted - 1
      ? "sqlite-encrypted"
      : seed % seedsPerSqlite === seedsPerSqlite - 1
        ? "sqlite"
        : "memory"
  const name = seed % seedsPerDense === 1 ? "dense-swarm" : "swarm"
  return { scenario: scenarioNamed(name)!, seed, hours: null, store }
}
