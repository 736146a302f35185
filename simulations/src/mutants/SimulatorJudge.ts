/** The simulator as a judge of mutants: runs each in a process of its own, into which it is planted. */
import { fork } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { bundleWith } from "../bugs/Planting.ts"
import type { StoreKind } from "../Run.ts"
import type { JudgeJob, JudgeMessage } from "./judge.ts"
import type { SimulatorJudgement } from "./Judgement.ts"
import { applied, type Mutant } from "./Mutant.ts"
import { textOf } from "./Sources.ts"

export interface SimulatorBudget {
  readonly seeds: number
  /** CPU seconds for a mutant, after which no seed begins. */
  readonly seconds: number
}

/** A seed of the swarm takes less than two seconds. */
const secondsOfSeed = 20

const maxMegabytes = 1500

const program = "mutants/judge.ts"

/** The store whose runs can show the mutant. */
const storeFor = (mutant: Mutant): StoreKind => (mutant.package === "store-sqlite" ? "sqlite" : "memory")

const runSeeds = (bundle: string, job: JudgeJob): Promise<SimulatorJudgement> =>
  new Promise((resolve, reject) => {
    const child = fork(bundle, {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-semi-space-size=64", `--max-old-space-size=${maxMegabytes}`]
    })
    let hasBegun = false
    let judgement: Omit<SimulatorJudgement, "by"> | null = null
    child.on("message", (message: JudgeMessage) => {
      if (message === "begun") hasBegun = true
      else judgement = message
    })
    child.on("error", reject)
    child.on("exit", (code, signal) => {
      const ended = `the process ended with ${signal ?? code}`
      const crash = !hasBegun ? "load" : signal === "SIGKILL" ? "timeout" : "defect"
      resolve({
        by: "simulator",
        ...(judgement ?? { outcome: crash, detail: ended, seeds: 0, seconds: 0 })
      })
    })
    // A process that failed to load takes no message: its exit says so.
    child.send(job, () => {})
  })

const contentHash = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

export class SimulatorJudge {
  private constructor(
    private readonly budget: SimulatorBudget,
    /** The bundle of the code as it is. */
    private readonly clean: string,
    private readonly cleanHash: string
  ) {}

  static async make(budget: SimulatorBudget): Promise<SimulatorJudge> {
    const clean = await bundleWith(program, null)
    return new SimulatorJudge(budget, clean, contentHash(clean))
  }

  /** Runs the code as it is: unless it survives, nothing can be said of mutants. */
  judgeClean(store: StoreKind): Promise<SimulatorJudgement> {
    return runSeeds(this.clean, { ...this.budget, store, secondsOfSeed })
  }

  async judge(mutant: Mutant): Promise<SimulatorJudgement> {
    const nothingRun = { by: "simulator", seeds: 0, seconds: 0 } as const
    const name = createHash("sha256").update(mutant.id).digest("hex").slice(0, 16)
    const module = { name, file: mutant.file, text: applied(textOf(mutant.file), mutant) }
    let bundle: string
    try {
      bundle = await bundleWith(program, module)
    } catch (error) {
      const [detail] = (error as Error).message.split("\n")
      return { ...nothingRun, outcome: "load", detail: detail! }
    }
    try {
      if (contentHash(bundle) === this.cleanHash) return { ...nothingRun, outcome: "absent", detail: "" }
      return await runSeeds(bundle, { ...this.budget, store: storeFor(mutant), secondsOfSeed })
    } finally {
      rmSync(bundle, { force: true })
    }
  }

  close(): void {
    rmSync(this.clean, { force: true })
  }
}
