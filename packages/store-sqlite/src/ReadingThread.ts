/**
 * A thread that reads the file for lists that take long: this one answers others meanwhile. It begins with the first of
 * them. What it runs is told it as SQL, so it needs no module but the driver.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import type { Asking, Question } from "./Asking.ts"

export interface ReadingThread {
  /** Runs the work over one state of the file, one after the other. */
  readonly read: <A>(work: () => Asking<A>) => Effect.Effect<A, StoreUnavailable>
}

const script = `
const { parentPort, workerData } = require("node:worker_threads")
const db = new (require(workerData.driver))(workerData.filename, { readonly: true })
const prepared = new Map()
parentPort.on("message", ({ params, text }) => {
  try {
    if (prepared.size > 500) prepared.clear()
    const statement = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, statement)
    parentPort.postMessage({ rows: statement.reader ? statement.all(...params) : (statement.run(...params), []) })
  } catch (error) {
    parentPort.postMessage({ error: String(error.code ?? "unknown") })
  }
})`

type Answer = { readonly rows: ReadonlyArray<unknown> } | { readonly error: string }

const gone = (reason: string) => new StoreUnavailable({ reason: `the reading thread ended (${reason})` })

/** One question at a time. */
class Line {
  private readonly worker: Worker
  private waiting: {
    readonly resolve: (answer: Answer) => void
    readonly reject: (error: Error) => void
  } | null = null
  isOver = false

  constructor(filename: string) {
    const driver = createRequire(import.meta.url).resolve("better-sqlite3")
    this.worker = new Worker(script, { eval: true, workerData: { filename, driver } })
    this.worker.unref()
    this.worker.on("message", (answer: Answer) => {
      const { waiting } = this
      this.waiting = null
      waiting?.resolve(answer)
    })
    const end = (reason: string): void => {
      this.isOver = true
      this.waiting?.reject(gone(reason))
      this.waiting = null
    }
    this.worker.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.name))
    this.worker.on("exit", (code) => end(`exit ${code}`))
  }

  async ask(question: Question): Promise<ReadonlyArray<unknown>> {
    if (this.isOver) throw gone("before")
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      this.worker.postMessage(question)
    }).finally(() => this.worker.unref())
    if ("error" in answer) throw new StoreUnavailable({ reason: `the file can't be read (${answer.error})` })
    return answer.rows
  }

  async read<A>(asking: Asking<A>): Promise<A> {
    await this.ask({ text: "BEGIN", params: [] })
    try {
      let next = asking.next()
      while (next.done !== true) next = asking.next(await this.ask(next.value))
      return next.value
    } finally {
      if (!this.isOver) await this.ask({ text: "COMMIT", params: [] })
    }
  }

  close(): Promise<number> {
    return this.worker.terminate()
  }
}

export const readingThread = (filename: string): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.gen(function* () {
    const thread: { begun: Line | null } = { begun: null }
    const turns = yield* Effect.makeSemaphore(1)
    // A store that never needed the thread is closed at once.
    yield* Effect.addFinalizer(() => {
      const { begun } = thread
      return begun === null ? Effect.void : Effect.promise(() => begun.close())
    })
    return {
      read: (work) =>
        // Half a transaction would be in the way of the next one.
        Effect.uninterruptible(
          Effect.tryPromise({
            try: () => {
              if (thread.begun === null || thread.begun.isOver) thread.begun = new Line(filename)
              return thread.begun.read(work())
            },
            catch: (failure) =>
              failure instanceof StoreUnavailable ? failure : gone((failure as Error).name)
          })
        ).pipe(turns.withPermits(1))
    }
  })
