/** Records finished attempts in the store, many in one transaction, and frees their slots. */
import type { AttemptTransitions, Lease, Outbox, WebhookId } from "@lead-signals/domain"
import { Array as Arr, Cause, Deferred, Effect, FiberId, Random } from "effect"
import type { ConcurrencySlots } from "./ConcurrencySlots.ts"
import { type EndedPost, finishedAttempts, isSuccessful } from "./DeliveryAttempt.ts"
import { logBodyMissing, logDefect, logRecorded } from "./DeliveryLog.ts"
import { retryWhileUnavailable } from "./StoreRetry.ts"

/** The maximum number of attempts in one transaction, and of posts that are gathered for it. */
const maxRecordedTogether = 500

/** How often the recorder waits for further attempts to end, each time for the clock's shortest sleep. */
const maxGatheringTicks = 10

/** The number of attempts under way up to which all are recorded together; of more, half are. */
const fewUnderWay = 8

/** Whether it is a success of a webhook that was not failing: recording it changes nothing for the webhook's other deliveries. */
const isRoutine = (post: EndedPost): boolean =>
  isSuccessful(post) && post.leases[0].webhook.failingSince === null

/** Logs errors of this service: a defect of the sender, and bodies that could not be made. */
const logFaults = ({ defect, leases, result }: EndedPost): Effect.Effect<void> =>
  Effect.zipRight(
    defect === null ? Effect.void : logDefect(defect),
    Effect.forEach(result === null ? [] : leases.filter(({ body }) => body === null), logBodyMissing, {
      discard: true
    })
  )

/** An attempt, and the lease under which it was made. */
interface Attempted {
  readonly attempt: AttemptTransitions.FinishedAttempt
  readonly lease: Lease
}

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
  /** The posts that have ended and are not being recorded yet. */
  private ended: Array<EndedPost> = []
  /** How many posts must have ended for the recorder to go on, and the latch that it waits for; null while it does not wait. */
  private waiting: { readonly count: () => number; readonly latch: Deferred.Deferred<void> } | null = null

  constructor(private readonly options: RecorderOptions) {}

  /** Takes up a post that has ended. */
  add(post: EndedPost): void {
    this.ended.push(post)
    const { waiting } = this
    if (waiting !== null && this.ended.length >= waiting.count())
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
        // The record made the next delivery of a lead due, after the early release woke the emitter.
        if (routine.some(({ leases }) => leases[0].webhook.ordering === "lead")) yield* this.options.onFreed
        this.isBusy = false
        yield* this.options.onRecorded
      })
    )
  )

  /** How many posts to record together. While one half is recorded, the other is under way, and neither waits for the other. */
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
      this.waiting = { count, latch }
      return Effect.ensuring(
        Deferred.await(latch),
        Effect.sync(() => (this.waiting = null))
      )
    })
  }

  /**
   * Waits until `wanted` posts have ended, or no further one ends for a moment, and takes those that have: one transaction for many costs hardly
   * more than for one. On a virtual clock the moments take no time.
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
      const parts: Array<Array<Attempted>> = [[]]
      for (const post of batch) {
        // Only the delay after a failure depends on the random number.
        const isDone = isSuccessful(post)
        if (!isDone) yield* logFaults(post)
        const attempts = finishedAttempts(post, isDone ? 0 : yield* Random.next, this.options.scheduleMillis)
        // The attempts of a post stay together: the store looks whether it has all of a batch's deliveries.
        if (parts.at(-1)!.length + attempts.length > maxRecordedTogether) parts.push([])
        parts.at(-1)!.push(...attempts.map((attempt, i) => ({ attempt, lease: post.leases[i]! })))
      }
      for (const part of parts) {
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
