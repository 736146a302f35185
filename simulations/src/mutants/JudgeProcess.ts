/** A process of the simulator's judge, started again when a mutant ends it. */
import { type ChildProcess, fork } from "node:child_process"
import type { Job, JudgeJob, Message, Reached, ReachJob } from "./judge.ts"
import type { SimulatorJudgement } from "./Judgement.ts"

const maxMegabytes = 2000

/** As for campaigns; coverage needs the code of functions that have not run for a while. */
const settings = [
  "--max-semi-space-size=128",
  "--min-semi-space-size=64",
  "--single-threaded-gc",
  "--no-flush-bytecode",
  `--max-old-space-size=${maxMegabytes}`
]

/** How many jobs a process does before another one takes over: the classes of each mutant stay in its memory. */
const maxJobs = 150

type Answer =
  | { readonly kind: "message"; readonly message: Exclude<Message, { readonly kind: "loaded" }> }
  | { readonly kind: "ended"; readonly how: string; readonly hasLoaded: boolean }

/** Takes one job at a time. A mutant that ends the process is killed by that, and the next job starts another process. */
export class JudgeProcess {
  private child: ChildProcess | null = null
  private jobs = 0

  constructor(
    /** The bundle of `judge.ts`. */
    private readonly bundle: string,
    /** The file of the linked program. */
    private readonly program: string
  ) {}

  private ask(job: Job): Promise<Answer> {
    if (this.jobs++ % maxJobs === 0) this.stop()
    const child = (this.child ??= fork(this.bundle, [this.program], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: settings
    }))
    return new Promise((resolve) => {
      let hasLoaded = false
      const onMessage = (message: Message): void => {
        if (message.kind === "loaded") hasLoaded = true
        else end({ kind: "message", message })
      }
      const onExit = (code: number | null, signal: string | null): void => {
        this.child = null
        end({ kind: "ended", how: signal ?? String(code), hasLoaded })
      }
      const end = (answer: Answer): void => {
        child.off("message", onMessage)
        child.off("exit", onExit)
        resolve(answer)
      }
      child.on("message", onMessage)
      child.on("exit", onExit)
      // Where it has ended meanwhile, its exit says so.
      child.send(job, () => {})
    })
  }

  /** Judges one exchanged module; the end of the process is a judgement, too. */
  async judge(job: JudgeJob): Promise<Omit<SimulatorJudgement, "by">> {
    const answer = await this.ask(job)
    if (answer.kind === "message" && answer.message.kind === "judged") return answer.message.judgement
    const { hasLoaded, how } = answer as Extract<Answer, { readonly kind: "ended" }>
    const outcome = !hasLoaded ? "load" : how === "SIGKILL" ? "timeout" : "defect"
    return { outcome, detail: `the process ended with ${how}`, seeds: 0, seconds: 0 }
  }

  async reach(job: ReachJob): Promise<Reached> {
    const answer = await this.ask(job)
    if (answer.kind === "message" && answer.message.kind === "reached") return answer.message.reached
    throw new Error("The process that counts what runs reach has ended")
  }

  stop(): void {
    this.child?.removeAllListeners("exit")
    this.child?.kill("SIGKILL")
    this.child = null
  }
}
