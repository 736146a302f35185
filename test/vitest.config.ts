import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What takes longest begins first, so that no core waits for it at the end. The rest goes in vitest's own order. */
const longest = [
  "simulations/counterexamples",
  "server/commands",
  "server/operatorCommands",
  "simulations/simulate",
  "store-sqlite/plans",
  "server/readme",
  "simulations/embedding",
  "store-sqlite/contract",
  "server/start",
  "server/ledger",
  "packed/packed",
  "store-memory/contract",
  "http/hostile",
  "http/documentation",
  "browser/browser",
  "embedded/examples",
  "server/import",
  "server/kill",
  "server/listen"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** As many as there will ever be from the first on: vitest ends a process that is idle, now and then with a file just given to it. */
const forks = Math.max(3, availableParallelism())

export default defineConfig({
  test: {
    globalSetup: "harness/BundleServer.ts",
    setupFiles: ["harness/Seed.ts", "harness/YieldAfterEach.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    // Of its own accord vitest leaves one core idle, which on a small machine is half of it; and some files wait for leases and
    // servers, while others can be run. Files share what they import: loading it anew for each would take a fifth of the time.
    poolOptions: {
      forks: { minForks: forks, maxForks: forks, isolate: false }
    },
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.types/**"]
  }
})
