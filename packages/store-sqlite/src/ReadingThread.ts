/** A thread that reads the file for lists that take long: this one answers others meanwhile. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Asking } from "./Asking.ts"
import { FileThread } from "./FileThread.ts"

export interface ReadingThread {
  /** Runs the work over one state of the file, one after the other. */
  readonly read: <A>(work: () => Asking<A>) => Effect.Effect<A, StoreUnavailable>
}

const readAll = async <A>(thread: FileThread, asking: Asking<A>): Promise<A> => {
  await thread.run("BEGIN")
  try {
    let next = asking.next()
    while (next.done !== true) next = asking.next(await thread.ask(next.value))
    return next.value
  } finally {
    if (!thread.isGone) await thread.run("COMMIT")
  }
}

export const readingThread = (filename: string): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.gen(function* () {
    const thread = new FileThread(filename, { readonly: true, busyMillis: 5000, pragmas: [] })
    const turns = yield* Effect.makeSemaphore(1)
    // A store that never needed the thread is closed at once.
    yield* Effect.addFinalizer(() => (thread.isGone ? Effect.void : Effect.promise(() => thread.close())))
    return {
      read: (work) =>
        // Half a transaction would be in the way of the next one.
        Effect.uninterruptible(
          Effect.tryPromise({
            try: () => readAll(thread, work()),
            catch: (failure) =>
              failure instanceof StoreUnavailable
                ? failure
                : new StoreUnavailable({
                    reason: `the reading thread failed (${(failure as Error).name})`,
                    cause: failure
                  })
          })
        ).pipe(turns.withPermits(1))
    }
  })
