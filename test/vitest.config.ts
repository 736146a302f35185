import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.types/**"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
    reporters: ["default"]
  }
})
