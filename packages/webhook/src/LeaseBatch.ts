/** Attempts at deliveries that were leased together, under one timer: a timer of its own costs more than a small post. */
import { type Lease, Retries } from "@lead-signals/domain"
import { Clock, Duration, Effect, Fiber, FiberId } from "effect"

/** The leases that go in one post, in their order, at least one. */
export type LeasedPost = readonly [Lease, ...Array<Lease>]

/** The posts of one lease, which end it together. */
export class LeaseBatch {
  readonly running = new Set<Fiber.RuntimeFiber<unknown>>()
  /** By this process's clock, in milliseconds since 1970: from then on no attempt begins or goes on. */
  readonly endsAt: number
  /** Distinguishes an interruption by the timer, a timeout, from one by the emitter's end, which is no attempt. */
  isOverdue = false

  constructor(endsAt: number) {
    this.endsAt = endsAt
  }
}

/**
 * Forks an attempt for each post, and interrupts those that still run at the attempt timeout or at `endsAt`, whichever
 * comes first. `endsAt` is in milliseconds since 1970. The batch is in `batches` until its last attempt has ended.
 */
export const startLeaseBatch = (
  posts: ReadonlyArray<LeasedPost>,
  endsAt: number,
  batches: Set<LeaseBatch>,
  attempt: (leases: LeasedPost, batch: LeaseBatch) => Effect.Effect<unknown>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const batch = new LeaseBatch(endsAt)
    batches.add(batch)
    const millis = Math.min(Retries.attemptTimeoutMillis, endsAt - (yield* Clock.currentTimeMillis))
    const interruptRunning = Effect.suspend(() => {
      batch.isOverdue = true
      return Fiber.interruptAll([...batch.running])
    })
    const timer = yield* Effect.forkDaemon(
      Effect.interruptible(Effect.delay(interruptRunning, Duration.millis(Math.max(0, millis))))
    )
    // Counted down instead of read from `running`: the first attempt may end before the last one begins.
    let left = posts.length
    for (const leases of posts) {
      const fiber = yield* Effect.forkDaemon(attempt(leases, batch))
      batch.running.add(fiber)
      fiber.addObserver(() => {
        batch.running.delete(fiber)
        if (--left > 0) return
        batches.delete(batch)
        timer.unsafeInterruptAsFork(FiberId.none)
      })
    }
  })
