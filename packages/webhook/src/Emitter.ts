/**
 * The emitter leases due deliveries from the outbox, attempts them and records the results. It consists of fibers over the
 * ports, so that a simulation can run it: time comes from `Clock`, jitter from `Random`, and it awaits no promise. Several
 * emitters may run on one store. [DELIV-2, DELIV-7]
 */
import { DeliverySlots, elapsedMillisOf, Entropy, Outbox, Retries } from "@lead-signals/domain"
import {
  Cause,
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Encoding,
  Fiber,
  Layer,
  Queue,
  Runtime,
  RuntimeFlags,
  RuntimeFlagsPatch
} from "effect"
import { AttemptRecorder } from "./AttemptRecorder.ts"
import { ConcurrencySlots } from "./ConcurrencySlots.ts"
import {
  isFast,
  isSuccessful,
  leaseReserveMillis,
  postsOf,
  renderBody,
  startAttempt
} from "./DeliveryAttempt.ts"
import { logDefect } from "./DeliveryLog.ts"
import { type LeaseBatch, startLeaseBatch } from "./LeaseBatch.ts"
import { maxQueuedMillis, PostQueue } from "./PostQueue.ts"
import { Sender, startInFibers } from "./Sender.ts"
import { retryWhileUnavailable } from "./StoreRetry.ts"
import { Hmac } from "./WebhookSignature.ts"

/** The options of `layer`; each has a default. */
export interface EmitterOptions {
  /** Milliseconds from each failed attempt to the next; after the last of them the delivery is dead. */
  readonly scheduleMillis: ReadonlyArray<number>
  /** The maximum numbers of attempts that are under way at once, in total and for one webhook. */
  readonly limits: DeliverySlots.Limits
  /** Milliseconds that an attempt and its record may take before another process may lease the delivery. */
  readonly leaseMillis: number
  /**
   * Milliseconds after which the emitter reads the outbox again when nothing wakes it. Deliveries that other processes
   * queue do not wake it.
   */
  readonly pollMillis: number
  /** How long the emitter waits for attempts under way when it stops. */
  readonly drain: Duration.DurationInput
  /**
   * The absolute URL of the API as its clients know it, below which CloudEvents name the schema of their data; null when it is not known.
   * [FMT-2]
   */
  readonly apiUrl: string | null
}

const defaultOptions: EmitterOptions = {
  scheduleMillis: Retries.defaultScheduleMillis,
  limits: DeliverySlots.defaultLimits,
  leaseMillis: Retries.attemptTimeoutMillis + 15_000,
  pollMillis: 1000,
  drain: "10 seconds",
  apiUrl: null
}

/** Milliseconds after the drain time for which the emitter waits for calls of the store, which can't be interrupted. */
const interruptMillis = 1000

/** How long the emitter waits at most before it leases again where, by its clock, something is due: the store's clock can be behind by hours. */
const longestEmptyWaitMillis = 1000

/** A running emitter. It runs while its layer's scope is open. */
export class Emitter extends Context.Tag("@lead-signals/webhook/Emitter")<
  Emitter,
  {
    /** Leases no more deliveries, and waits until its attempts are recorded, for the drain time and one second more at most. Never fails. */
    readonly stop: Effect.Effect<void>
  }
>() {}

/** Turns Effect's fiber metrics off, which cost much where each attempt has several fibers. */
const withoutFiberMetrics = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

const make = (options: EmitterOptions) =>
  Effect.gen(function* () {
    const [outbox, entropy] = yield* Effect.all([Outbox, Entropy])
    const sender = yield* Sender
    const clock = yield* Effect.clock
    const runtime = Runtime.disableRuntimeFlag(yield* Effect.runtime<never>(), RuntimeFlags.RuntimeMetrics)
    const start = sender.start ?? startInFibers(sender.post, runtime)
    const posting = { start, clock, hmac: yield* Hmac }
    const instance = Encoding.encodeHex(yield* entropy.bytes(8))
    const slots = new ConcurrencySlots()
    const queue = new PostQueue(options.limits, () => elapsedMillisOf(clock))
    const wakeUps = yield* Queue.sliding<void>(1)
    const idle = yield* Deferred.make<void>()
    const batches = new Set<LeaseBatch>()
    /** Whether a post that has waited in the queue has the time of an attempt left before its lease ends. */
    const mayLeaseAhead =
      options.leaseMillis >= leaseReserveMillis + Retries.attemptTimeoutMillis + maxQueuedMillis
    const body = renderBody(options.apiUrl)
    let leaseCount = 0
    let isStopping = false
    /** How often in a row a lease was empty although, by this process's clock, something was due: the store's clock is behind. */
    let emptyLeases = 0

    const recorder = new AttemptRecorder({
      outbox,
      slots,
      scheduleMillis: options.scheduleMillis,
      onFreed: Queue.offer(wakeUps, undefined),
      onDisabled: (webhookId) => queue.giveUp(webhookId),
      onRecorded: Effect.suspend(() =>
        isStopping && slots.total === 0 ? Deferred.succeed(idle, undefined) : Effect.void
      )
    })

    /**
     * Leases as many deliveries as there are free slots, and starts their attempts. Returns when the next delivery becomes due; null when that is
     * unknown. It is uninterruptible, because a delivery that is leased and not attempted would wait until its lease runs out.
     */
    const leaseDue = Effect.gen(function* () {
      if (slots.total >= options.limits.total) return null
      const requestedAt = clock.unsafeCurrentTimeMillis()
      const startedAt = elapsedMillisOf(clock)
      const { leases, nextDueAt } = yield* outbox.lease({
        token: `${instance}-${++leaseCount}`,
        emitter: instance,
        leaseMillis: options.leaseMillis,
        limits: options.limits,
        underWay: slots,
        body
      })
      emptyLeases = leases.length > 0 ? 0 : emptyLeases + 1
      if (leases.length > 0) {
        const posts = postsOf(leases)
        for (const [lease] of posts) slots.take(lease)
        // The lease's own `until` is of the store's clock, which may differ from this one. The lease began after the request.
        const lasts = options.leaseMillis - leaseReserveMillis
        const term = {
          endsAt: requestedAt + lasts,
          leftMillis: lasts - (elapsedMillisOf(clock) - startedAt)
        }
        yield* startLeaseBatch(posts, term, clock, batches, queue, (post, batch, mayPost, onEnd) =>
          startAttempt(posting, post, batch, mayPost, (ended) => {
            if (ended !== null) {
              slots.note(post[0], mayLeaseAhead && isFast(ended))
              recorder.add(ended)
            }
            onEnd()
            const isDone = ended === null || ended.result === null ? null : isSuccessful(ended)
            queue.end(post[0].webhook.id, isDone)
          })
        )
      }
      return nextDueAt
    }).pipe(Effect.uninterruptible)

    const leaseForever = retryWhileUnavailable(leaseDue).pipe(
      Effect.flatMap((nextDueAt) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const millis = (nextDueAt ?? Number.POSITIVE_INFINITY) - now
          if (millis > 0) emptyLeases = 0
          const again = Math.min(longestEmptyWaitMillis, 4 ** Math.max(0, emptyLeases - 1))
          const wait = Math.min(options.pollMillis, millis > 0 ? millis : again)
          return Effect.timeoutOption(Queue.take(wakeUps), Duration.millis(wait))
        })
      ),
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(logDefect(Cause.die(defect)), Effect.sleep(options.pollMillis))
      ),
      Effect.forever
    )

    const wakeOnQueued = Effect.forever(Effect.zipRight(outbox.queued, Queue.offer(wakeUps, undefined)))

    const fork = <A, E>(work: Effect.Effect<A, E>) =>
      Effect.forkDaemon(Effect.withRuntimeFlagsPatch(work, withoutFiberMetrics))
    const recording = yield* fork(recorder.run)
    const leasing = yield* fork(leaseForever)
    const waking = yield* fork(wakeOnQueued)

    const drained = yield* Deferred.make<void>()
    const drain = Effect.gen(function* () {
      isStopping = true
      const attemptsRecorded = Effect.gen(function* () {
        yield* Fiber.interruptAll([leasing, waking])
        if (slots.total > 0 || recorder.isRecording) yield* Deferred.await(idle)
      })
      yield* Effect.timeoutOption(attemptsRecorded, options.drain)
      queue.clear()
      const interruptPosts = Effect.forEach([...batches], ({ interrupt }) => interrupt, {
        concurrency: "unbounded",
        discard: true
      })
      // A call of a store that does not answer is abandoned; its deliveries are attempted again when their leases run out.
      yield* Effect.timeoutOption(
        Effect.zipRight(interruptPosts, Fiber.interruptAll([leasing, waking, recording])),
        interruptMillis
      )
      yield* Deferred.succeed(drained, undefined)
    })
    // Drains in a fiber of its own: a finalizer is uninterruptible, and a timeout does not end it.
    const stop = Effect.suspend(() => {
      const start = isStopping ? Effect.void : Effect.asVoid(Effect.forkDaemon(Effect.interruptible(drain)))
      return Effect.zipRight(start, Deferred.await(drained))
    })
    yield* Effect.addFinalizer(() => stop)
    return { stop }
  })

/** An emitter that starts with the layer and drains when its scope closes. Options that are left out have their defaults. */
export const layer = (
  options: Partial<EmitterOptions> = {}
): Layer.Layer<Emitter, never, Outbox | Sender | Entropy> =>
  Layer.scoped(Emitter, make({ ...defaultOptions, ...options }))
