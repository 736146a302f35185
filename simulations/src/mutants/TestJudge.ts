/** The project's tests as a judge of mutants, run in a scratch copy of the repository. */
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { TestJudgement } from "./Judgement.ts"
import { applied, type Mutant } from "./Mutant.ts"
import { nearestFirst, startsServer, tracesOfTests } from "./RelatedTests.ts"
import { ScratchCopy } from "./ScratchCopy.ts"
import { textOf } from "./Sources.ts"

/** Minutes by the clock for that number of files. All of them take two on a small machine that does nothing else. */
const maxMinutes = (files: number): number => Math.min(20, 2 + files / 10)

/** What vitest's JSON reporter says of a run. */
interface RunResults {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

interface TestRun {
  readonly outcome: "passed" | "failed" | "timeout"
  readonly results: RunResults | null
}

const configFile = "mutants.config.ts"

/**
 * The project's configuration, but for the order of the files, which is that of the command, and for how long tests wait: what a mutant
 * breaks never comes. On a mutant one process runs the files, since most mutants fail in the first.
 */
const config = `
import { BaseSequencer, type TestSpecification } from "vitest/node"
import base from "./vitest.config.ts"

class GivenOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification): number =>
      process.argv.findIndex((word) => moduleId.endsWith("/test/" + word))
    return files.sort((a, b) => place(a) - place(b))
  }
}

const { poolOptions, ...rest } = base.test
const forks = process.argv.includes("--bail") ? { minForks: 1, maxForks: 1 } : {}

export default {
  ...base,
  test: {
    ...rest,
    poolOptions: { forks: { ...poolOptions.forks, ...forks } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: GivenOrder }
  }
}
`

/** Whether each file of tests passes on the code as it is: one that fails can judge nothing. */
export type CleanTests = Readonly<Record<string, boolean>>

/** Has one scratch copy and judges one mutant at a time there. */
export class TestJudge {
  private readonly scratch = ScratchCopy.make()
  private readonly folder = join(this.scratch.folder, "test")
  private readonly tests = tracesOfTests(this.folder)

  constructor() {
    this.scratch.write(join("test", configFile), config)
  }

  private run(files: ReadonlyArray<string>, more: ReadonlyArray<string>): Promise<TestRun> {
    const vitest = join(this.folder, "node_modules", "vitest", "vitest.mjs")
    const report = join(this.scratch.folder, "results.json")
    rmSync(report, { force: true })
    const words = ["run", "--config", configFile, "--reporter", "json", "--outputFile", report]
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [vitest, ...words, ...more, ...files], {
        cwd: this.folder,
        env: {
          ...process.env,
          LEAD_SIGNALS_KEEP_CONSOLE: "true",
          TESTS_WITHOUT_SERVER: String(!files.some((file) => startsServer(this.folder, file)))
        },
        stdio: "ignore",
        // A group of its own, so that its processes end with it.
        detached: true
      })
      let isLate = false
      const end = (): void => {
        try {
          process.kill(-child.pid!, "SIGKILL")
        } catch {
          // All have ended.
        }
      }
      const timer = setTimeout(
        () => {
          isLate = true
          end()
        },
        maxMinutes(files.length) * 60_000
      )
      process.once("exit", end)
      child.on("error", reject)
      child.on("exit", (code) => {
        clearTimeout(timer)
        process.off("exit", end)
        end()
        let results: RunResults | null = null
        try {
          results = JSON.parse(readFileSync(report, "utf8")) as RunResults
        } catch {
          // It ended before it wrote any.
        }
        resolve({ outcome: isLate ? "timeout" : code === 0 ? "passed" : "failed", results })
      })
    })
  }

  private fileOf(name: string): string {
    return name.slice(this.folder.length + 1)
  }

  /** The `count` files of tests that are nearest to the mutant. */
  filesFor(mutant: Mutant, count: number): ReadonlyArray<string> {
    return nearestFirst(mutant, textOf(mutant.file), this.tests).slice(0, count)
  }

  /** Runs the files on the code as it is. */
  async runClean(files: ReadonlyArray<string>): Promise<CleanTests> {
    const { outcome, results } = await this.run(files, [])
    if (results === null) throw new Error(`The tests end with "${outcome}" on the code as it is`)
    const passed = new Set(
      results.testResults.filter(({ status }) => status === "passed").map(({ name }) => this.fileOf(name))
    )
    return Object.fromEntries(files.map((file) => [file, passed.has(file)]))
  }

  /** Runs the nearest files of tests, as long as none fails. */
  async judge(mutant: Mutant, count: number, clean: CleanTests): Promise<TestJudgement> {
    const text = textOf(mutant.file)
    const startedAt = performance.now()
    const files = this.filesFor(mutant, count).filter((file) => clean[file] === true)
    this.scratch.write(mutant.file, applied(text, mutant))
    try {
      // Without any word vitest would run all files.
      const { outcome, results } =
        files.length === 0
          ? ({ outcome: "passed", results: null } as const)
          : await this.run(files, ["--bail", "1"])
      return {
        by: "tests",
        outcome: outcome === "passed" ? "survived" : outcome,
        detail: outcome === "failed" ? this.firstFailure(results) : "",
        files: count,
        seconds: (performance.now() - startedAt) / 1000
      }
    } finally {
      this.scratch.write(mutant.file, text)
    }
  }

  private firstFailure(results: RunResults | null): string {
    for (const { assertionResults, name, status } of results?.testResults ?? []) {
      const failed = assertionResults.find((each) => each.status === "failed")
      if (failed !== undefined) return `${this.fileOf(name)}: ${failed.fullName}`
      if (status === "failed" && assertionResults.length === 0) return `${this.fileOf(name)} does not load`
    }
    return "the run of the tests fails"
  }

  close(): void {
    this.scratch.remove()
  }
}
