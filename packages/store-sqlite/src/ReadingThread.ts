/** A thread that reads the file for lists that take long: this one answers others meanwhile. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Asking } from "./Asking.ts"
import { fileThread } from "./FileThread.ts"

export interface ReadingThread {
  /**
   * Runs the work over one state of the file, one work after the other. Brands take turns: a brand waits for at most one
   * work of each other brand, however many of theirs are queued.
   */
  readonly read: <A>(brandId: string, work: () => Asking<A>) => Effect.Effect<A, StoreUnavailable>
}

/** A queue that runs one work at a time and takes the next from the brand that has waited longest. */
export const roundRobin = () => {
  const waiting = new Map<string, Array<() => Promise<void>>>()
  let isRunning = false
  const next = (): void => {
    const [first] = waiting
    isRunning = first !== undefined
    if (first === undefined) return
    const [brandId, queue] = first
    const work = queue.shift()!
    waiting.delete(brandId)
    if (queue.length > 0) waiting.set(brandId, queue)
    void work().then(next)
  }
  return <A>(brandId: string, work: () => Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(brandId) ?? []
      queue.push(() => work().then(resolve, reject))
      waiting.set(brandId, queue)
      if (!isRunning) next()
    })
}

export const readingThread = (
  filename: string,
  beforeOpening: () => void
): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.map(
    fileThread(filename, { readonly: true, busyMillis: 5000, pragmas: [], beforeOpening }),
    (thread) => {
      const inTurn = roundRobin()
      return {
        read: (brandId, work) =>
          // What is begun is ended: others wait for it.
          Effect.uninterruptible(
            Effect.tryPromise({
              try: () => inTurn(brandId, () => thread.transaction("BEGIN", work)),
              catch: (failure) =>
                failure instanceof StoreUnavailable
                  ? failure
                  : new StoreUnavailable({
                      reason: `the reading thread failed (${(failure as Error).name})`,
                      cause: failure
                    })
            })
          )
      }
    }
  )
