/** Attempts of deliveries that were leased together, under one timer: a timer for each would cost more than a small post. */
import { elapsedMillisOf, type Lease, Retries } from "@lead-signals/domain"
import { type Clock, Duration, Effect, FiberId } from "effect"
import { maxQueuedMillis, type PostQueue } from "./PostQueue.ts"

/** The leases that go in one post, in their order, at least one. */
export type LeasedPost = readonly [Lease, ...Array<Lease>]

/** An attempt under way. */
interface Running {
  interrupt: Effect.Effect<void>
  /** Milliseconds from the start of the batch to the start of the attempt, whose timeout is later by as much. */
  readonly waitedMillis: number
}

/** How long leases last. */
export interface LeaseTerm {
  /** When they end, by this machine's clock as it was at the request, in milliseconds since 1970. */
  readonly endsAt: number
  /** Milliseconds until then, by the monotonic clock. */
  readonly leftMillis: number
}

/** The posts of one call of `Outbox.lease`. */
export class LeaseBatch {
  readonly running = new Set<Running>()
  /** When the leases end, by this machine's clock as it was at the request, in milliseconds since 1970: no attempt begins after that. */
  readonly endsAt: number
  /** Whether the timer has interrupted attempts, which are timeouts; an attempt that the emitter's stop interrupts is none. */
  isOverdue = false
  /** Whether attempts were interrupted at all: a sender whose post ends as interrupted without this has a defect. */
  isInterrupted = false

  constructor(endsAt: number) {
    this.endsAt = endsAt
  }

  /** Interrupts the attempts that run, and waits until they have ended. */
  readonly interrupt: Effect.Effect<void> = Effect.suspend(() =>
    this.interruptBegunWithin(Number.POSITIVE_INFINITY)
  )

  /** Interrupts the attempts that began within `millis` after the start of the batch. */
  interruptBegunWithin(millis: number): Effect.Effect<void> {
    this.isInterrupted = true
    return Effect.forEach(
      [...this.running].filter((each) => each.waitedMillis <= millis),
      ({ interrupt }) => interrupt,
      { concurrency: "unbounded", discard: true }
    )
  }
}

/** Interrupts the attempts that began within `waitedMillis` after the start of the batch, and each later one as much later as it began. */
const interruptOverdue = (batch: LeaseBatch, waitedMillis: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    batch.isOverdue = true
    return Effect.zipRight(
      batch.interruptBegunWithin(waitedMillis),
      Effect.suspend(() => {
        const next = Math.min(...Array.from(batch.running, (each) => each.waitedMillis))
        return Number.isFinite(next)
          ? Effect.delay(interruptOverdue(batch, next), Duration.millis(next - waitedMillis))
          : Effect.void
      })
    )
  })

/** Starts the timer. It is a separate function so that the fiber's closure holds the batch alone: V8 keeps ended fibers until a full collection. */
const interruptAfter = (batch: LeaseBatch, millis: number) =>
  interruptOverdue(batch, millis < Retries.attemptTimeoutMillis ? Number.POSITIVE_INFINITY : 0).pipe(
    Effect.delay(Duration.millis(Math.max(0, millis))),
    Effect.interruptible,
    Effect.forkDaemon
  )

/**
 * Starts an attempt for each post when the queue begins it, and interrupts those that still run at the attempt timeout or when the leases end,
 * whichever comes first, by the monotonic clock. A post that has waited begins only where the machine's clock, too, leaves an attempt its whole time:
 * the store ends leases by a clock that can be set. The batch is in `batches` until its last attempt has ended, which `attempt` says by its `onEnd`.
 */
export const startLeaseBatch = (
  posts: ReadonlyArray<LeasedPost>,
  { endsAt, leftMillis }: LeaseTerm,
  clock: Clock.Clock,
  batches: Set<LeaseBatch>,
  queue: PostQueue,
  attempt: (leases: LeasedPost, batch: LeaseBatch, mayPost: boolean, onEnd: () => void) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const batch = new LeaseBatch(endsAt)
    batches.add(batch)
    const startedAt = elapsedMillisOf(clock)
    // A post waits only so long that its attempt still has its whole time before the leases end.
    const until = startedAt + Math.min(maxQueuedMillis, leftMillis - Retries.attemptTimeoutMillis)
    return Effect.map(interruptAfter(batch, Math.min(Retries.attemptTimeoutMillis, leftMillis)), (timer) => {
      // Not the size of `running`: the first attempt may end before the last one begins.
      let left = posts.length
      for (const leases of posts) {
        queue.add(leases[0].webhook.id, until, (isInTime) => {
          const waitedMillis = elapsedMillisOf(clock) - startedAt
          const running: Running = { interrupt: Effect.void, waitedMillis }
          const hasWholeTime = clock.unsafeCurrentTimeMillis() <= endsAt - Retries.attemptTimeoutMillis
          const mayPost = isInTime && (waitedMillis === 0 || hasWholeTime)
          batch.running.add(running)
          running.interrupt = attempt(leases, batch, mayPost, () => {
            batch.running.delete(running)
            if (--left > 0) return
            batches.delete(batch)
            timer.unsafeInterruptAsFork(FiberId.none)
          })
        })
      }
    })
  })
