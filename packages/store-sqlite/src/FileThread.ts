/**
 * A thread with a connection of its own to the file: what takes long there keeps nobody waiting here. It begins with the
 * first question. What it runs is told it as SQL, so it needs no module but the driver.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import type { Asked, Asking } from "./Asking.ts"

const script = `
const { parentPort, workerData } = require("node:worker_threads")
const { driver, filename, pragmas, readonly, busyMillis } = workerData
const db = new (require(driver))(filename, { readonly, timeout: busyMillis })
for (const pragma of pragmas) db.pragma(pragma)
const prepared = new Map()
parentPort.on("message", ({ each, many, params, shape, text }) => {
  try {
    if (prepared.size > 500) prepared.clear()
    const statement = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, statement)
    if (statement.reader) {
      statement.pluck(each !== undefined || shape === "values")
      statement.raw(shape === "tuples")
    }
    const rows =
      each !== undefined ? each.map((param) => statement.get(param))
      : many !== undefined ? (many.forEach((row) => statement.run(...row)), [])
      : statement.reader ? statement.all(...params) : (statement.run(...params), [])
    parentPort.postMessage({ rows })
  } catch (error) {
    parentPort.postMessage({ error: String(error.code ?? "unknown") })
  }
})`

export interface FileThreadOptions {
  readonly readonly: boolean
  /** How long a statement waits there for a lock. */
  readonly busyMillis: number
  readonly pragmas: ReadonlyArray<string>
  /** Throws where the file must not be opened: it is opened by its path, and late. */
  readonly beforeOpening?: () => void
}

type Answer = { readonly rows: ReadonlyArray<unknown> } | { readonly error: string }

const gone = (reason: string) => new StoreUnavailable({ reason: `a thread of the store ended (${reason})` })

/** One question at a time: whoever asks waits for the answer before the next one. */
class Running {
  private readonly worker: Worker
  private waiting: {
    readonly resolve: (answer: Answer) => void
    readonly reject: (error: Error) => void
  } | null = null
  isOver = false

  constructor(filename: string, { busyMillis, pragmas, readonly }: FileThreadOptions) {
    const driver = createRequire(import.meta.url).resolve("better-sqlite3")
    this.worker = new Worker(script, {
      eval: true,
      workerData: { filename, driver, readonly, busyMillis, pragmas }
    })
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

  async ask(question: Asked): Promise<ReadonlyArray<unknown>> {
    if (this.isOver) throw gone("before")
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      this.worker.postMessage(question)
    }).finally(() => this.worker.unref())
    if ("error" in answer) {
      throw new StoreUnavailable({
        reason: `the file can't be used (${answer.error})`,
        cause: { code: answer.error }
      })
    }
    return answer.rows
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}

/** A thread that ended by itself is begun again with the next question. */
export class FileThread {
  private running: Running | null = null
  private isClosed = false
  /** Ends when all questions so far are answered. */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly filename: string,
    private readonly options: FileThreadOptions
  ) {}

  private async askNow(question: Asked): Promise<ReadonlyArray<unknown>> {
    if (this.isClosed) throw gone("closed")
    if (this.running === null || this.running.isOver) {
      this.options.beforeOpening?.()
      this.running = new Running(this.filename, this.options)
    }
    return this.running.ask(question)
  }

  /** After what was begun before. */
  private alone<A>(work: () => Promise<A>): Promise<A> {
    const done = this.last.then(work)
    this.last = done.catch(() => {})
    return done
  }

  /** What takes nothing, and answers as it does. */
  run(text: string): Promise<ReadonlyArray<unknown>> {
    return this.alone(() => this.askNow({ text, params: [], shape: "objects" }))
  }

  /** The work as one transaction, which nothing else comes into: all that it writes is committed, or nothing. */
  transaction<A>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Asking<A>): Promise<A> {
    const tell = (text: string) => this.askNow({ text, params: [], shape: "objects" })
    return this.alone(async () => {
      await tell(begin)
      try {
        const asking = work()
        let next = asking.next()
        while (next.done !== true) next = asking.next(await this.askNow(next.value))
        await tell("COMMIT")
        return next.value
      } catch (failure) {
        // A full disk, for one, ends the transaction by itself; so does the end of the thread.
        if (!this.isGone) await tell("ROLLBACK").catch(() => {})
        throw failure
      }
    })
  }

  get isGone(): boolean {
    return this.running === null || this.running.isOver
  }

  /** When all that was begun has ended. */
  async close(): Promise<void> {
    await this.alone(async () => {
      this.isClosed = true
      await this.running?.end()
    })
  }
}

/** Closed with its scope: at once if it was never needed. */
export const fileThread = (
  filename: string,
  options: FileThreadOptions
): Effect.Effect<FileThread, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new FileThread(filename, options)),
    (thread) =>
      Effect.suspend(() => {
        const closed = thread.close()
        return thread.isGone ? Effect.void : Effect.promise(() => closed)
      })
  )
