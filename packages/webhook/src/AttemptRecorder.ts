/** Records finished attempts in the store, many in one transaction, and frees their slots. */
import type { AttemptTransitions, Lease, Outbox, WebhookId } from "@lead-signals/domain"
import { Array as Arr, Cause, Deferred, Effect, FiberId, Random } from "effect"
import type { ConcurrencySlots } from "./ConcurrencySlots.ts"
import { type EndedPost, finishedAttempts, isSuccessful } from "./DeliveryAttempt.ts"
import { logBodyMissing, logDefect, logRecorded } from "./DeliveryLog.ts"
import { retryWhileUnavailable } from "./StoreRetry.ts"

/** Attempts in one transaction, and posts that are gathered for it. */
const maxRecordedTogether = 500

/** Times that the recorder waits for further attempts to end; each as short as the clock's shortest sleep. */
const maxGatheringTicks = 10

/** Up to this many attempts under way are recorded together; of more, those that have ended are recorded once they are half. */
const fewUnderWay = 8

/** A success of a webhook that was not failing: recording it changes nothing for the webhook's other deliveries. */
const isRoutine = (post: EndedPost): boolean =>
  isSuccessful(post) && post.leases[0].webhook.failingSince === null

/** Logs what went wrong on this side: a defect of the sender, and bodies that could not be made. */
const logFaults = ({ defect, leases, result }: EndedPost): Effect.Effect<void> =>
  Effect.zipRight(
    defect === null ? Effect.void : logDefect(defect),
    Effect.forEach(result === null ? [] : leases.filter(({ body }) => body === null), logBodyMissing, {
      discard: true
    })
  )

interface RecorderOptions {
  readonly outbox: typeof Outbox.Service
  readonly slots: ConcurrencySlots
  /** Milliseconds from each failed attempt to the next. [DELIV-3] */
  readonly scheduleMillis: ReadonlyArray<number>
  /** Runs when an attempt has disabled the webhook. */
  readonly onDisabled: (webhookId: WebhookId) => void
  /** Runs when slots have become free. */
  readonly onFreed: Effect.Effect<unknown>
  /** Runs after each batch. */
  readonly onRecorded: Effect.Effect<unknown>
}

/** Records attempts that end at about the same time together, and goes on while the store is unavailable. */
export class AttemptRecorder {
  private isBusy = false
  /** Ended and not yet taken to be recorded. */
  private ended: Array<EndedPost> = []
  /** What the recorder waits for, and how many must have ended for it; null while it does not wait. */
  private waiting: { readonly for: () => number; readonly latch: Deferred.Deferred<void> } | null = null

  constructor(private readonly options: RecorderOptions) {}

  /** Takes up a post that has ended. */
  add(post: EndedPost): void {
    this.ended.push(post)
    const { waiting } = this
    if (waiting !== null && this.ended.length >= waiting.for())
      Deferred.unsafeDone(waiting.latch, Effect.void)
  }

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

  /** How many are to be recorded together: then the other half is under way meanwhile, and neither side waits for the other. */
  private readonly wanted = (): number => {
    const { total } = this.options.slots
    return total <= fewUnderWay
      ? total
      : Math.min(maxRecordedTogether, Math.max(fewUnderWay, Math.ceil(total / 2)))
  }

  /** Waits until `count()` posts have ended. */
  private until(count: () => number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.ended.length >= count()) return Effect.void
      const latch = Deferred.unsafeMake<void>(FiberId.none)
      this.waiting = { for: count, latch }
      return Effect.ensuring(
        Deferred.await(latch),
        Effect.sync(() => (this.waiting = null))
      )
    })
  }

  /**
   * Takes the attempts that have ended once they are as many as are wanted, or no further one ends for a moment: a transaction costs
   * the same for one as for many. On a clock that stands still the moments take no time.
   */
  private readonly gather = Effect.gen(this, function* () {
    yield* this.until(() => 1)
    for (let tick = 0; tick < maxGatheringTicks && this.ended.length < this.wanted(); tick++) {
      const before = this.ended.length
      yield* Effect.raceFirst(Effect.sleep(0), this.until(this.wanted))
      if (this.ended.length === before) break
    }
    return this.ended.splice(0, maxRecordedTogether)
  })

  private record(batch: ReadonlyArray<EndedPost>): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const attempted: Array<{
        readonly attempt: AttemptTransitions.FinishedAttempt
        readonly lease: Lease
      }> = []
      for (const post of batch) {
        // The wait after a failure alone depends on the draw.
        const isDone = isSuccessful(post)
        if (!isDone) yield* logFaults(post)
        const attempts = finishedAttempts(post, isDone ? 0 : yield* Random.next, this.options.scheduleMillis)
        attempts.forEach((attempt, i) => attempted.push({ attempt, lease: post.leases[i]! }))
      }
      for (let from = 0; from < attempted.length; from += maxRecordedTogether) {
        const part = attempted.slice(from, from + maxRecordedTogether)
        const recorded = yield* retryWhileUnavailable(
          this.options.outbox.record(part.map(({ attempt }) => attempt))
        )
        for (const { disabled } of recorded) if (disabled !== null) this.options.onDisabled(disabled)
        yield* logRecorded(part, recorded)
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
