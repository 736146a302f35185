/** Many seeds, over several processes: results come in the order of the seeds, whichever process finished first. */
import { type ChildProcess, fork, type ForkOptions } from "node:child_process"
import { rmSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { bundle, source } from "./bugs/PlantedModules.ts"
import type { RunReport, StoreKind } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"

/** One run of a campaign. `hours` replaces the scenario's length; null keeps it. */
export interface SeedRun {
  readonly scenario: Scenario
  readonly seed: number
  readonly hours: number | null
  readonly store: StoreKind
}

/** A report as it passes between processes: without what only a single run is looked at for. */
export interface SeedReport extends Omit<
  RunReport,
  "coverageMarks" | "exercised" | "trace" | "faults" | "picks"
> {
  readonly seed: number
  readonly scenario: string
  readonly store: StoreKind
  /** The processor time of the run. */
  readonly cpuSeconds: number
  readonly coverageMarks: ReadonlyArray<string>
  readonly exercised: ReadonlyArray<string>
}

/** What a process sends instead when the simulator itself failed. */
export interface SeedFailure {
  readonly failed: string
}

/**
 * A run makes much that is soon forgotten, and one process runs on each processor: more room for it, and a collector without
 * threads of its own, save a fifth of the CPU time.
 */
const collector = ["--max-semi-space-size=128", "--min-semi-space-size=64", "--single-threaded-gc"]

/** Starts a program that runs seeds: a bundle, or a module of this folder. */
export const forkProgram = (program: string, options: ForkOptions = {}): ChildProcess =>
  fork(program, {
    ...options,
    execArgv: [...collector, ...(program.endsWith(".ts") ? ["--import", import.meta.resolve("tsx")] : [])]
  })

/** A process that runs seeds, one at a time. */
interface Worker {
  readonly run: (job: SeedRun) => Promise<SeedReport>
  readonly stop: () => void
}

const start = (program: string): Worker => {
  const child = forkProgram(program)
  let answer: ((report: SeedReport) => void) | null = null
  let fail: ((error: Error) => void) | null = null
  child.on("message", (message: SeedReport | SeedFailure) => {
    if ("failed" in message) fail?.(new Error(message.failed))
    else answer?.(message)
  })
  let doing = ""
  child.on("exit", (code) => fail?.(new Error(`The process that ran ${doing} ended with ${code}`)))
  child.on("error", (error) => fail?.(error))
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        answer = resolve
        fail = reject
        doing = `${job.scenario.name} --seed ${job.seed} --store ${job.store}`
        child.send(job, (error) => {
          if (error !== null) reject(error)
        })
      }),
    // It ends when nobody is left to send it anything, and cleans up first.
    stop: () => {
      fail = null
      if (child.connected) child.disconnect()
    }
  }
}

/** The number of processors of this machine, at least 1: how many processes a campaign has unless told otherwise. */
export const processors = (): number => Math.max(1, cpus().length)

interface CampaignOptions {
  /** Processes. */
  readonly parallel?: number
  /** What a process runs; without it, `worker.ts`, bundled. */
  readonly program?: string
  /** Called for a job that the simulator itself did not survive; without it the campaign fails. */
  readonly onFailed?: (job: SeedRun, error: Error) => void
}

const runJobs = async (
  jobs: Iterable<SeedRun>,
  onReport: (report: SeedReport) => boolean | void,
  { onFailed, parallel = processors(), program }: CampaignOptions & { readonly program: string }
): Promise<void> => {
  const iterator = jobs[Symbol.iterator]()
  /** What is to be called for each job that was run, by its place. */
  const waiting = new Map<number, () => boolean | void>()
  let [taken, nextReported, isOver] = [0, 0, false]
  const workers: Array<Worker> = []
  const startWorker = (): Worker => {
    const one = start(program)
    workers.push(one)
    return one
  }
  const work = async (): Promise<void> => {
    let one: Worker | null = null
    for (;;) {
      if (isOver) return
      const next = iterator.next()
      if (next.done === true) return
      const place = taken++
      one ??= startWorker()
      try {
        const report = await one.run(next.value)
        waiting.set(place, () => onReport(report))
      } catch (error) {
        if (onFailed === undefined) throw error
        one.stop()
        one = null
        waiting.set(place, () => onFailed(next.value, error as Error))
      }
      for (
        let ready = waiting.get(nextReported);
        ready !== undefined && !isOver;
        ready = waiting.get(nextReported)
      ) {
        waiting.delete(nextReported++)
        if (ready() === false) isOver = true
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    for (const each of workers) each.stop()
  }
}

const unwritableCodes = new Set(["EACCES", "EPERM", "EROFS"])

/**
 * Runs the use with the module of this folder as one file, for processes. A seed takes an eighth less time than where a loader
 * compiles each module, which wraps every function that is made to keep its name. Where nothing may be written beside the
 * sources, the modules are loaded one by one.
 */
export const withBundle = async <A>(name: string, use: (program: string) => Promise<A>): Promise<A> => {
  const bundled = await bundle(name, null).catch((failure: NodeJS.ErrnoException) => {
    if (!unwritableCodes.has(failure.code ?? "")) throw failure
    return null
  })
  try {
    return await use(bundled ?? join(source, name))
  } finally {
    if (bundled !== null) rmSync(bundled, { force: true })
  }
}

/**
 * Runs the jobs and reports each, in the order of the jobs. Stops early when `onReport` answers false: what had been
 * begun by then is not reported.
 */
export const campaign = async (
  jobs: Iterable<SeedRun>,
  onReport: (report: SeedReport) => boolean | void,
  { program, ...options }: CampaignOptions = {}
): Promise<void> =>
  program === undefined
    ? withBundle("worker.ts", (bundled) => runJobs(jobs, onReport, { ...options, program: bundled }))
    : runJobs(jobs, onReport, { ...options, program })
