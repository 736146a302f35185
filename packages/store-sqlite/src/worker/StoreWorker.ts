/** The serving thread's side of a worker thread. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Worker } from "node:worker_threads"
import type { FileKey } from "../connection/FileKey.ts"
import type { Migrating } from "../schema/Migrations.ts"
import type { JobKind, Jobs, Report } from "./Jobs.ts"
import { startThread } from "./startThread.ts"
import type { ThreadOptions } from "./ThreadOptions.ts"

/** What a thread opens. */
export interface StoreWorkerOptions extends Omit<ThreadOptions, "acknowledged" | "filename" | "key"> {
  /** Throws where the file must not be opened: a thread opens it by its path, and late. */
  readonly beforeOpening?: () => void
  /** Encrypts the file; a plain file has none. */
  readonly key?: FileKey | undefined
  /** Jobs that the thread has at once: it runs the first, and the others wait in it. 1 unless given; more where all jobs are synchronous. */
  readonly jobsAtOnce?: number
}

/** Called while a migration is under way. */
export type OnProgress = (progress: Migrating) => void

const ended = (reason: string) => new StoreUnavailable({ reason: `a thread of the store ended (${reason})` })

const failureOf = ({ code, reason }: Extract<Report, { readonly kind: "failed" }>): StoreUnavailable =>
  reason === null
    ? new StoreUnavailable({ reason: `the file can't be used (${code})`, cause: { code } })
    : new StoreUnavailable({ reason })

interface Pending {
  readonly resolve: (output: Jobs[JobKind]["output"]) => void
  readonly reject: (error: Error) => void
  readonly onProgress: OnProgress
}

/** A running thread, which runs jobs in the order in which they are posted. */
class Thread {
  private readonly worker: Worker
  private readonly acknowledgement: Int32Array
  /** The jobs that are posted, in their order. */
  private readonly pending: Array<Pending> = []
  isOver = false

  constructor(filename: string, { busyMillis, key, pragmas, readonly }: StoreWorkerOptions) {
    const acknowledged = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.acknowledgement = new Int32Array(acknowledged)
    this.worker = startThread({ filename, readonly, busyMillis, key, pragmas, acknowledged })
    this.worker.unref()
    this.worker.on("message", (report: Report) => this.handle(report))
    const end = (reason: string): void => {
      this.isOver = true
      while (this.pending.length > 0) this.take()?.reject(ended(reason))
    }
    this.worker.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.name))
    this.worker.on("exit", (code) => end(`exit ${code}`))
  }

  /** Takes the job that the thread runs. */
  private take(): Pending | undefined {
    const first = this.pending.shift()
    if (this.pending.length === 0) this.worker.unref()
    return first
  }

  private handle(report: Report): void {
    switch (report.kind) {
      case "progress":
        try {
          this.pending[0]?.onProgress(report.progress)
        } catch (failure) {
          this.take()?.reject(failure as Error)
          void this.end()
          return
        }
        Atomics.store(this.acknowledgement, 0, 1)
        Atomics.notify(this.acknowledgement, 0)
        return
      case "done":
        this.take()?.resolve(report.output)
        return
      case "failed":
        this.take()?.reject(failureOf(report))
    }
  }

  async run<K extends JobKind>(
    kind: K,
    input: Jobs[K]["input"],
    onProgress: OnProgress
  ): Promise<Jobs[K]["output"]> {
    if (this.isOver) throw ended("before")
    const output = await new Promise<Jobs[JobKind]["output"]>((resolve, reject) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      this.worker.postMessage({ kind, input })
      this.pending.push({ resolve, reject, onProgress })
      this.worker.ref()
    })
    return output as Jobs[K]["output"]
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}

/**
 * Runs jobs in a worker thread, one after the other. The thread starts with the first job, and again with the next one after
 * it has ended by itself.
 */
export class StoreWorker {
  private readonly filename: string
  private readonly options: StoreWorkerOptions
  private thread: Thread | null = null
  private isClosed = false
  /** The ends of the newest jobs, of as many as the thread has at once. */
  private readonly newest: Array<Promise<unknown>>

  constructor(filename: string, options: StoreWorkerOptions) {
    this.filename = filename
    this.options = options
    this.newest = Array.from({ length: options.jobsAtOnce ?? 1 }, () => Promise.resolve())
  }

  /** Runs the job after those before it. Rejects with a `StoreUnavailable`, whose cause has SQLite's code where there is one. */
  run<K extends JobKind>(
    kind: K,
    input: Jobs[K]["input"],
    onProgress: OnProgress = () => {}
  ): Promise<Jobs[K]["output"]> {
    const done = this.newest.shift()!.then(async () => {
      if (this.isClosed) throw ended("closed")
      if (this.thread === null || this.thread.isOver) {
        this.options.beforeOpening?.()
        this.thread = new Thread(this.filename, this.options)
      }
      return this.thread.run(kind, input, onProgress)
    })
    this.newest.push(done.catch(() => {}))
    return done
  }

  /**
   * Ends the thread for good, as soon as the statement that it runs has ended. SQLite takes back what the job has not
   * committed, and the job rejects.
   */
  async abort(): Promise<void> {
    this.isClosed = true
    await this.thread?.end()
  }

  get isIdle(): boolean {
    return this.thread === null || this.thread.isOver
  }

  /** Resolves when all jobs so far have ended, and the thread with them. */
  close(): Promise<void> {
    const closed = Promise.all(this.newest).then(async () => {
      this.isClosed = true
      await this.thread?.end()
    })
    // A job that comes later waits for that, and rejects.
    this.newest.fill(closed)
    return closed
  }
}

/** Closes with its scope: at once if it never ran a job. */
export const storeWorker = (
  filename: string,
  options: StoreWorkerOptions
): Effect.Effect<StoreWorker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new StoreWorker(filename, options)),
    (worker) =>
      Effect.suspend(() => {
        const closed = worker.close()
        return worker.isIdle ? Effect.void : Effect.promise(() => closed)
      })
  )
