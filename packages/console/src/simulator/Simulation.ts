/** Runs of the simulator, each in a worker of its own: the page goes on meanwhile, and a run ends by ending its worker. */
import type {
  Finished,
  Message,
  OfferedBug,
  OfferedScenario,
  Order,
  ReadFile,
  Small
} from "@lead-signals/simulations/browser"
import { basePath } from "../api/client.ts"
import { Drawing } from "./drawing.ts"

type Phase = "idle" | "running" | "finished" | "stopped" | "failed"

/** What a run is of. */
export interface RunOf {
  readonly title: string
  /** The name of the planted bug; null for the code as it is. */
  readonly bug: string | null
  /** The command that does the same in a terminal; null for what only this page has. */
  readonly command: string | null
  readonly coverageMarks: ReadonlyArray<string>
}

/** A run, as far as it has come. */
export interface Run {
  readonly of: RunOf
  readonly phase: Phase
  readonly drawing: Drawing
  /** The marks that lit up, each with the number of events before it. */
  readonly marks: ReadonlyArray<readonly [events: number, mark: string]>
  readonly finished: Finished | null
  readonly shrinking: Extract<Message, { is: "shrinking" }> | null
  readonly small: Small | null
  readonly problem: string | null
}

/** A file that was dropped on the page. */
export interface DroppedFile {
  readonly name: string
  readonly file: ReadFile
}

interface State {
  readonly scenarios: ReadonlyArray<OfferedScenario>
  readonly bugs: ReadonlyArray<OfferedBug>
  /** Why the simulator could not be loaded. */
  readonly problem: string | null
  readonly dropped: DroppedFile | null
  readonly run: Run | null
}

const loadProblem = "The simulator could not be loaded. Reload the page to try again."

/**
 * The state outside React: `subscribe` and `snapshot` are for `useSyncExternalStore`. One run at a time; a new one ends the one before. A worker
 * that can't be loaded becomes `problem`.
 */
export class Simulation {
  state: State = { scenarios: [], bugs: [], problem: null, dropped: null, run: null }
  private readonly listeners = new Set<() => void>()
  /** Answers what there is, and reads files. */
  private reader: Worker | null = null
  private runner: Worker | null = null

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): State => this.state

  /** Loads the worker, and asks it what it has. */
  open(): void {
    this.reader ??= this.worker("", (message) => {
      if (message.is === "described") this.change({ scenarios: message.scenarios, bugs: message.bugs })
      if (message.is === "read") this.change({ dropped: { name: message.name, file: message.file } })
      if (message.is === "failed") this.change({ problem: message.message })
    })
    this.send(this.reader, { do: "describe" })
  }

  close(): void {
    this.reader?.terminate()
    this.runner?.terminate()
    this.reader = this.runner = null
  }

  async read(file: File): Promise<void> {
    const text = await file.text()
    if (this.reader !== null) this.send(this.reader, { do: "read", name: file.name, text })
  }

  forgetFile(): void {
    this.change({ dropped: null })
  }

  start(of: RunOf, order: Extract<Order, { do: "run" | "replay" }>): void {
    this.runner?.terminate()
    const drawing = new Drawing()
    this.change({
      run: {
        of,
        phase: "running",
        drawing,
        marks: [],
        finished: null,
        shrinking: null,
        small: null,
        problem: null
      }
    })
    this.runner = this.worker(of.bug ?? "", (message) => this.hear(message, order.do === "run"))
    this.send(this.runner, order)
  }

  /** Ends the run, with what was seen of it. */
  stop(): void {
    this.runner?.terminate()
    this.runner = null
    this.changeRun({ phase: "stopped" })
  }

  /** Takes the smallest counterexample so far. */
  stopShrinking(): void {
    if (this.runner !== null) this.send(this.runner, { do: "stop-shrinking" })
  }

  private hear(message: Message, isShrunk: boolean): void {
    const { run } = this.state
    if (run === null) return
    if (message.is === "events") {
      run.drawing.add(message.events)
      this.changeRun({ marks: [...run.marks, ...message.marks] })
    } else if (message.is === "finished") {
      this.changeRun({ phase: "finished", finished: message.finished })
      if (message.finished.outcome !== "passed" && isShrunk && this.runner !== null)
        this.send(this.runner, { do: "shrink" })
    } else if (message.is === "shrinking") this.changeRun({ shrinking: message })
    else if (message.is === "small") this.changeRun({ small: message.small, shrinking: null })
    else if (message.is === "failed") this.changeRun({ phase: "failed", problem: message.message })
  }

  private worker(name: string, onMessage: (message: Message) => void): Worker {
    const worker = new Worker(`${basePath}/simulator.js`, { type: "module", name })
    worker.addEventListener("message", ({ data }: MessageEvent<Message>) => onMessage(data))
    worker.addEventListener("error", () => onMessage({ is: "failed", message: loadProblem }))
    return worker
  }

  private send(worker: Worker, order: Order): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is no window
    worker.postMessage(order)
  }

  private changeRun(change: Partial<Run>): void {
    const { run } = this.state
    if (run !== null) this.change({ run: { ...run, ...change } })
  }

  private change(change: Partial<State>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.listeners) listener()
  }
}
