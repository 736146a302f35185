import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { bundledThreads } from "../scripts/bundle.mjs"
import { bundlePackages } from "../scripts/bundled-packages.mjs"
import { FileOrder } from "./harness/FileOrder.ts"
import { isThorough } from "./harness/Thoroughness.ts"

/**
 * More than there are cores: many files wait for leases, pauses and servers. As many as there will ever be from the first on: vitest
 * ends a process that is idle, now and then with a file just given to it.
 */
const forks = Math.max(4, 2 * availableParallelism())

/**
 * V8 can abort with "Check failed: jit_page.has_value()" where it protects code pages by memory keys, and threads that load
 * WebAssembly (Node strips types with it) start and end all the time, as the stores of tests do.
 */
const protection = "--no-memory-protection-keys"
const hasProtection = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).includes(
  "--memory-protection-keys"
)

const patientMessages = new URL("harness/PatientMessages.mjs", import.meta.url).href

/** With its initial size V8 collects the new space every few milliseconds while modules are loaded and histories generated. */
const newSpace = "--min-semi-space-size=16"

/** Milliseconds after which a test hangs for sure, on a slow machine that has other work, too. */
const testTimeout = isThorough ? 1_800_000 : 600_000

/** A folder of this run alone: two runs of one checkout share no bundle. `RunSetup.ts` removes it. */
const newPackagesFolder = (): string => {
  const bundles = fileURLToPath(new URL(".bundle", import.meta.url))
  mkdirSync(bundles, { recursive: true })
  return mkdtempSync(join(bundles, "packages-"))
}

/** `npm test` loads the packages from a few files, others from their sources. */
const packagesFolder = process.env["BUNDLED_PACKAGES"] === "true" ? newPackagesFolder() : null
const packages = packagesFolder === null ? new Map<string, string>() : await bundlePackages(packagesFolder)
// A test that runs tests would bundle them again, for a few files.
delete process.env["BUNDLED_PACKAGES"]

export default defineConfig({
  // Node would load WebAssembly in each of the many threads of the stores, to strip the types of forty files.
  plugins: [bundledThreads()],
  resolve: {
    alias: Array.from(packages, ([name, file]) => ({ find: new RegExp(`^${name}$`), replacement: file }))
  },
  test: {
    globalSetup: "harness/RunSetup.ts",
    provide: { packagesFolder },
    setupFiles: ["harness/LongForms.ts", "harness/Seed.ts", "harness/YieldAfterEach.ts"],
    testTimeout,
    hookTimeout: testTimeout,
    // What is awaited has no second alone: machines that are busy with other tests take long. No test sets less.
    expect: { poll: { timeout: 300_000 } },
    server: { deps: { external: [/[\\/]\.bundle[\\/]packages-/] } },
    pool: "forks",
    // Files share what they import: loading it anew for each would take a fifth of the time.
    poolOptions: {
      forks: {
        minForks: forks,
        maxForks: forks,
        isolate: false,
        execArgv: [newSpace, ...(hasProtection ? [protection] : []), "--import", patientMessages]
      }
    },
    sequence: { sequencer: FileOrder },
    reporters: ["default"],
    include: ["**/*.test.ts"],
    // Packing, installing and compiling what hosts get takes as long as a third of all else.
    exclude: ["**/node_modules/**", "**/.types/**", ...(isThorough ? [] : ["packed/**"])]
  }
})
