/** Records finished attempts in the store, many in one transaction, and frees their slots. */
import { type Outbox, Retries } from "@lead-signals/domain"
import { Array as Arr, Cause, Effect, Queue } from "effect"
import type { ConcurrencySlots } from "./ConcurrencySlots.ts"
import type { EndedPost } from "./DeliveryAttempt.ts"
import { logDefect, logRecorded } from "./DeliveryLog.ts"
import { retryWhileUnavailable } from "./StoreRetry.ts"

/** Attempts in one transaction, and posts that are gathered for it. */
const maxRecordedTogether = 500

/** Iterations of the host's event loop for which the recorder waits while further attempts end. */
const maxGatheringTicks = 10

/** A success of a webhook that was not failing: recording it changes nothing for the webhook's other deliveries. */
const isRoutine = ({ attempts, leases }: EndedPost): boolean =>
  attempts.length > 0 &&
  attempts.every(({ result }) => Retries.isSuccess(result)) &&
  leases[0].webhook.failingSince === null

interface RecorderOptions {
  readonly ended: Queue.Queue<EndedPost>
  readonly outbox: typeof Outbox.Service
  readonly slots: ConcurrencySlots
  /** Runs when slots have become free. */
  readonly onFreed: Effect.Effect<unknown>
  /** Runs after each batch. */
  readonly onRecorded: Effect.Effect<unknown>
}

export class AttemptRecorder {
  private isBusy = false

  constructor(private readonly options: RecorderOptions) {}

  /** Whether a batch is being written. */
  get isRecording(): boolean {
    return this.isBusy
  }

  /**
   * Records until it is interrupted. Slots of routine attempts are freed before the commit, so that the next deliveries of a
   * healthy webhook share it; slots of others after it, because the record decides whether the webhook gets another attempt.
   */
  readonly run: Effect.Effect<never> = Effect.suspend(() =>
    Effect.forever(
      Effect.gen(this, function* () {
        const batch = yield* this.gather
        const [others, routine] = Arr.partition(batch, isRoutine)
        this.isBusy = true
        yield* this.release(routine)
        yield* this.record(batch)
        yield* this.release(others)
        // The next one of a lead became due with the record, which the early release can't know.
        if (routine.some(({ leases }) => leases[0].webhook.ordering === "lead")) yield* this.options.onFreed
        this.isBusy = false
        yield* this.options.onRecorded
      })
    )
  )

  /**
   * Takes the attempts that have ended and those that end within the next ticks of the event loop: a transaction costs the
   * same for one as for many. On a clock that stands still the ticks take no time.
   */
  private readonly gather = Effect.gen(this, function* () {
    const { ended, slots } = this.options
    const batch = [...(yield* Queue.takeBetween(ended, 1, maxRecordedTogether))]
    for (let tick = 0; tick < maxGatheringTicks && batch.length < slots.total; tick++) {
      yield* Effect.sleep(0)
      const more = yield* Queue.takeUpTo(ended, maxRecordedTogether)
      if (more.length === 0) break
      for (const each of more) batch.push(each)
    }
    return batch
  })

  private record(batch: ReadonlyArray<EndedPost>): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const attempted = batch.flatMap(({ attempts, leases }) =>
        attempts.map((attempt, i) => ({ attempt, lease: leases[i]! }))
      )
      for (let from = 0; from < attempted.length; from += maxRecordedTogether) {
        const part = attempted.slice(from, from + maxRecordedTogether)
        const recorded = yield* retryWhileUnavailable(
          this.options.outbox.record(part.map(({ attempt }) => attempt))
        )
        yield* Effect.forEach(recorded, (each, i) => logRecorded(part[i]!.lease, part[i]!.attempt, each), {
          discard: true
        })
      }
    }).pipe(
      // An attempt that could not be recorded is repeated when its lease runs out.
      Effect.catchAllDefect((defect) => logDefect(Cause.die(defect)))
    )
  }

  private release(batch: ReadonlyArray<EndedPost>): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      for (const { leases } of batch) this.options.slots.release(leases[0])
      return batch.length === 0 ? Effect.void : this.options.onFreed
    })
  }
}
