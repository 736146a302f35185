/** A worker thread that reads lists that take long, while the serving thread answers others. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import { DriverConnection } from "../connection/DriverConnection.ts"
import type { FileKey } from "../connection/FileKey.ts"
import { type JobKind, type Jobs, runJob } from "./Jobs.ts"
import { storeWorker } from "./StoreWorker.ts"

/** A thread that reads, brand after brand in turn. */
export interface ReadingWorker {
  /**
   * Runs jobs one after the other, each over one snapshot of the file. Brands take turns: a brand waits for the jobs that the thread has
   * got and for at most one more of each other brand, however many of theirs are queued. `input` is made when the thread gets the job.
   * An interruption drops a job that the thread has not got, and otherwise waits for its end.
   */
  readonly read: <K extends JobKind>(
    brandId: string,
    kind: K,
    input: () => Jobs[K]["input"]
  ) => Effect.Effect<Jobs[K]["output"], StoreUnavailable>
}

/** A queue that runs at most `jobsAtOnce` jobs at a time, and takes the next from the brand that has waited longest. */
export const roundRobin = (jobsAtOnce: number) => {
  const waiting = new Map<string, Array<() => Promise<void>>>()
  let running = 0
  const next = (): void => {
    const [first] = waiting
    if (first === undefined || running === jobsAtOnce) return
    running++
    const [brandId, queue] = first
    const work = queue.shift()!
    waiting.delete(brandId)
    if (queue.length > 0) waiting.set(brandId, queue)
    void work().then(() => {
      running--
      next()
    })
  }
  return <A>(brandId: string, work: () => Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(brandId) ?? []
      queue.push(() => work().then(resolve, reject))
      waiting.set(brandId, queue)
      next()
    })
}

const unavailable = (failure: unknown): StoreUnavailable =>
  failure instanceof StoreUnavailable
    ? failure
    : new StoreUnavailable({
        reason: `the reading thread failed (${(failure as Error).name})`,
        cause: failure
      })

/** Starts the thread with its first job. It gets up to `jobsAtOnce` jobs, and runs them in their order. */
export const readingWorker = (
  filename: string,
  key: FileKey | undefined,
  beforeOpening: () => void,
  jobsAtOnce = 1
): Effect.Effect<ReadingWorker, never, Scope.Scope> =>
  Effect.map(
    storeWorker(filename, { readonly: true, busyMillis: 5000, key, pragmas: [], beforeOpening, jobsAtOnce }),
    (worker) => {
      const schedule = roundRobin(jobsAtOnce)
      return {
        read: <K extends JobKind>(brandId: string, kind: K, input: () => Jobs[K]["input"]) =>
          Effect.async<Jobs[K]["output"], StoreUnavailable>((resume) => {
            let state: "waiting" | "running" | "dropped" = "waiting"
            const ended = schedule(brandId, async () => {
              if (state === "dropped") return
              state = "running"
              const output = await worker.run(kind, input())
              resume(Effect.succeed(output))
            }).catch((failure: unknown) => resume(Effect.fail(unavailable(failure))))
            // A job that has begun runs to its end: others wait for it.
            return Effect.suspend(() => {
              if (state === "running") return Effect.promise(() => ended)
              state = "dropped"
              return Effect.void
            })
          })
      }
    }
  )

/** Whether the failure is SQLite's, or of a check of the store, and so of the file. Any other is a programming error. */
const isFileFailure = (failure: unknown): boolean =>
  failure instanceof StoreUnavailable || String((failure as { code?: unknown }).code).startsWith("SQLITE_")

/** The first programming error in a job of a store that runs its jobs in place; null before. */
export interface InPlaceDefect {
  defect: unknown
}

/** The connections of jobs in place, while they are open, with their files: a simulation looks at what the jobs keep in memory. */
export const connectionsInPlace = new Map<DriverConnection, string>()

/**
 * Runs the same jobs at once, on the calling thread and over a connection of its own: for a simulation, in which nothing else runs
 * meanwhile. A programming error in a job is a defect here, and so is every later job of the store's workers, which share `failed`: with a
 * thread, the caller would read the file itself, and nobody waits for the jobs that only fill or follow a memory, so that the error would go
 * unnoticed.
 */
export const readingInPlace = (
  filename: string,
  key: FileKey | undefined,
  failed: InPlaceDefect = { defect: null }
): Effect.Effect<ReadingWorker, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => ({ connection: null as DriverConnection | null })),
      ({ connection }) =>
        Effect.sync(() => {
          if (connection === null) return
          connectionsInPlace.delete(connection)
          connection.close()
        })
    ),
    (opened) => ({
      read: <K extends JobKind>(_: string, kind: K, input: () => Jobs[K]["input"]) =>
        Effect.suspend(() => {
          if (failed.defect !== null) return Effect.die(failed.defect)
          try {
            if (opened.connection === null) {
              opened.connection = new DriverConnection(filename, { readonly: true, busyMillis: 0, key })
              connectionsInPlace.set(opened.connection, filename)
            }
            // Jobs that only read answer at once.
            return Effect.succeed(
              runJob(opened.connection, { kind, input: input() }, () => {}) as Jobs[K]["output"]
            )
          } catch (failure) {
            if (isFileFailure(failure)) return Effect.fail(unavailable(failure))
            failed.defect = failure
            return Effect.die(failure)
          }
        })
    })
  )
