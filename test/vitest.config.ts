import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.types/**"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    // Of its own accord vitest leaves one core idle, which on a small machine is half of it.
    poolOptions: { forks: { minForks: 1, maxForks: Math.max(2, availableParallelism() - 1) } },
    reporters: ["default"]
  }
})
