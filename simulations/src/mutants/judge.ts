/** A process of the simulator's judge: keeps the program compiled, and runs it with one module after the other exchanged. */
import { readFileSync } from "node:fs"
import { cpuLimit, cpuSeconds } from "../CpuLimit.ts"
import type { SimulatorJudgement } from "./Judgement.ts"
import { LinkedModules } from "./LinkedModules.ts"
import type { LinkedProgram } from "./LinkedProgram.ts"
import { type Place, Reach } from "./Reach.ts"
import type { Trial, TrialResult } from "./trial.ts"

/** A run with the CPU seconds that it may take. */
export interface LimitedTrial {
  readonly trial: Trial
  readonly mostSeconds: number
}

/** Runs the trials until one does not pass, or the CPU seconds are used up. */
export interface JudgeJob {
  readonly kind: "judge"
  /** Null: the program as it is. */
  readonly change: { readonly file: string; readonly code: string } | null
  readonly trials: ReadonlyArray<LimitedTrial>
  readonly seconds: number
}

/** Runs a trial of the program as it is, and counts how often it comes to each of the places; null: evaluates it alone. */
export interface ReachJob {
  readonly kind: "reach"
  readonly places: ReadonlyArray<Place>
  readonly trial: Trial | null
}

/** What the process is sent: to judge a mutant by trials, or to count how often a trial comes to places. */
export type Job = JudgeJob | ReachJob

/** The answer to a job that counts. `seconds` are of CPU time. */
export interface Reached {
  readonly result: TrialResult
  readonly counts: ReadonlyArray<number>
  readonly seconds: number
}

/** `loaded` once the exchanged module is evaluated, and then the result. */
export type Message =
  | { readonly kind: "loaded" }
  | { readonly kind: "judged"; readonly judgement: Omit<SimulatorJudgement, "by"> }
  | { readonly kind: "reached"; readonly reached: Reached }

type Attempt = (trial: Trial) => TrialResult

const [programFile] = process.argv.slice(2)
const modules = await LinkedModules.load(JSON.parse(readFileSync(programFile!, "utf8")) as LinkedProgram)
const allow = cpuLimit()
let reach: Reach | null = null

const attempt = (): Attempt => modules.evaluate()["attempt"] as Attempt

const lineOf = (error: unknown): string =>
  String((error as Error).message)
    .split("\n")[0]!
    .slice(0, 200)

/** A module that never ends being evaluated is a mutant that does not load. */
const secondsToLoad = 30

const judge = ({ change, seconds, trials }: JudgeJob): Omit<SimulatorJudgement, "by"> => {
  const startedAt = cpuSeconds()
  const used = (): number => cpuSeconds() - startedAt
  let run: Attempt
  try {
    allow(secondsToLoad)
    modules.exchange(change)
    run = attempt()
  } catch (error) {
    return { outcome: "load", detail: lineOf(error), seeds: 0, seconds: used() }
  }
  send({ kind: "loaded" })
  let seeds = 0
  for (const { mostSeconds, trial } of trials) {
    if (used() >= seconds) break
    seeds++
    allow(mostSeconds)
    const { detail, outcome } = run(trial)
    if (outcome !== "passed") return { outcome, detail, seeds, seconds: used() }
  }
  return { outcome: "survived", detail: "", seeds, seconds: used() }
}

const reached = ({ places, trial }: ReachJob): Reached => {
  const startedAt = cpuSeconds()
  reach ??= new Reach(places)
  const run = attempt()
  const result = trial === null ? { outcome: "passed" as const, detail: "" } : run(trial)
  return { result, counts: reach.taken(), seconds: cpuSeconds() - startedAt }
}

const send = (message: Message): void => {
  // A campaign that was stopped no longer waits for it.
  process.send!(message, () => {})
}

process.on("message", (job: Job) => {
  if (job.kind === "reach") send({ kind: "reached", reached: reached(job) })
  else {
    const judgement = judge(job)
    allow(Number.POSITIVE_INFINITY)
    send({ kind: "judged", judgement })
  }
})
