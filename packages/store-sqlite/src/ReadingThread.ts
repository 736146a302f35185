/** A thread that reads the file for lists that take long: this one answers others meanwhile. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import type { Asking } from "./Asking.ts"
import { fileThread } from "./FileThread.ts"

export interface ReadingThread {
  /** Runs the work over one state of the file, one after the other. */
  readonly read: <A>(work: () => Asking<A>) => Effect.Effect<A, StoreUnavailable>
}

export const readingThread = (filename: string): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.map(fileThread(filename, { readonly: true, busyMillis: 5000, pragmas: [] }), (thread) => ({
    read: (work) =>
      // What is begun is ended: others wait for it.
      Effect.uninterruptible(
        Effect.tryPromise({
          try: () => thread.transaction("BEGIN", work),
          catch: (failure) =>
            failure instanceof StoreUnavailable
              ? failure
              : new StoreUnavailable({
                  reason: `the reading thread failed (${(failure as Error).name})`,
                  cause: failure
                })
        })
      )
  }))
