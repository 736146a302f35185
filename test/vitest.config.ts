import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.types/**"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    reporters: ["default"]
  }
})
