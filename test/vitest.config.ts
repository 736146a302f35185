import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { FileOrder } from "./harness/FileOrder.ts"

/** As many as there will ever be from the first on: vitest ends a process that is idle, now and then with a file just given to it. */
const forks = Math.max(3, availableParallelism())

export default defineConfig({
  test: {
    globalSetup: "harness/RunSetup.ts",
    setupFiles: ["harness/Seed.ts", "harness/YieldAfterEach.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    // Of its own accord vitest leaves one core idle, which on a small machine is half of it; and some files wait for leases and
    // servers, while others can be run. Files share what they import: loading it anew for each would take a fifth of the time.
    poolOptions: {
      forks: { minForks: forks, maxForks: forks, isolate: false }
    },
    sequence: { sequencer: FileOrder },
    reporters: ["default"],
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.types/**"]
  }
})
