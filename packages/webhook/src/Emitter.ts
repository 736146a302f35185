/**
 * Sends what the outbox holds: takes due deliveries, signs and posts them, records how it went. Fibers over the ports, so
 * that a simulation can run it: time comes from `Clock`, jitter from `Random`, and there is no promise in it. Several
 * emitters may run on one store. [DELIV-2, DELIV-7]
 */
import {
  type AttemptResult,
  type BodyMaterial,
  deliveryBodyView,
  Entropy,
  type Lease,
  Leasing,
  Outbox,
  Retries,
  type Settlements,
  type StoreUnavailable,
  WebhookSecrets
} from "@lead-signals/domain"
import {
  Array as Arr,
  Cause,
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Encoding,
  Fiber,
  FiberId,
  FiberRef,
  Layer,
  LogLevel,
  Queue,
  Random,
  RuntimeFlags,
  RuntimeFlagsPatch,
  Schedule
} from "effect"
import * as Excerpt from "./Excerpt.ts"
import * as RetryAfter from "./RetryAfter.ts"
import { type PostAnswer, Sender, type SendFailed } from "./Sender.ts"
import { Hmac, sign } from "./Signing.ts"

export interface EmitterOptions {
  /** How long after each failed attempt the next is made. */
  readonly scheduleMillis: ReadonlyArray<number>
  readonly limits: Leasing.Limits
  /** How long an attempt may take and be recorded before another process takes over. */
  readonly leaseMillis: number
  /** How often the outbox is looked at when nothing wakes: for what other processes queue. */
  readonly pollMillis: number
  /** How long attempts under way may take when the emitter stops. */
  readonly drain: Duration.DurationInput
}

const defaultOptions: EmitterOptions = {
  scheduleMillis: Retries.defaultScheduleMillis,
  limits: Leasing.defaultLimits,
  leaseMillis: Retries.attemptTimeoutMillis + 15_000,
  pollMillis: 1000,
  drain: "10 seconds"
}

/** Runs while its layer's scope is open. */
export class Emitter extends Context.Tag("@lead-signals/webhook/Emitter")<
  Emitter,
  {
    /** Starts no more attempts, and waits until those under way are recorded, or the drain time is over. */
    readonly stop: Effect.Effect<void>
  }
>() {}

const userAgent = "Lead-Signals/1.0 (webhooks)"

/** An attempt ends so long before its lease, when another may begin the next. */
const handoverMillis = 1000

/** So many attempts are recorded in one transaction. */
const recordedAtOnce = 500

/** So long, counted in turns of the host's event loop, the next results are waited for while results keep coming. */
const gatheringTurns = 10

/** A store that can't answer is asked again after this long, for as long as it takes. */
const untilStoreAnswers = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("2 seconds"))
)

const storeFailed = ({ reason }: StoreUnavailable) =>
  Effect.logWarning("store unavailable to the emitter").pipe(Effect.annotateLogs({ reason }))

/** Only the kind of a defect: its message may hold what it choked on. [PII-2] */
const defectFound = (cause: Cause.Cause<unknown>) =>
  Effect.logError("internal error of the emitter").pipe(
    Effect.annotateLogs({ defect: (Cause.squash(cause) as { name?: string } | null)?.name ?? "unknown" })
  )

const bodyMissing = ({ deliveryId, webhook }: Lease) =>
  Effect.logError("a body could not be made").pipe(Effect.annotateLogs({ deliveryId, webhookId: webhook.id }))

interface Ended {
  readonly lease: Lease
  /** Null when no attempt was made: the lease had run out before it began. */
  readonly attempt: Settlements.FinishedAttempt | null
}

/** Whether its record changes nothing for others: its webhook was well, and is. */
const isRoutine = ({ attempt, lease }: Ended): boolean =>
  attempt !== null && Retries.isSuccess(attempt.result) && lease.webhook.failingSince === null

/** How many attempts are under way, kept as they begin and end. */
class Places implements Leasing.UnderWay {
  total = 0
  failingTotal = 0
  readonly byWebhook = new Map<string, number>()

  change({ webhook }: Lease, by: 1 | -1): void {
    this.total += by
    if (webhook.failingSince !== null) this.failingTotal += by
    const count = (this.byWebhook.get(webhook.id) ?? 0) + by
    if (count === 0) this.byWebhook.delete(webhook.id)
    else this.byWebhook.set(webhook.id, count)
  }
}

const answered = (answer: PostAnswer, body: string, now: number): AttemptResult => ({
  status: answer.status,
  error: null,
  response: Excerpt.make(answer.excerpt, answer.truncated, body),
  retryAfterSeconds:
    answer.status === 429 || answer.status === 503 ? RetryAfter.seconds(answer.retryAfter, now) : null
})

const unanswered = (error: NonNullable<AttemptResult["error"]>): AttemptResult => ({
  status: null,
  error,
  response: null,
  retryAfterSeconds: null
})

/** One body that can't be made must not hold up the others that are leased with it. */
const bodyOf = (material: BodyMaterial): string | null => {
  try {
    return JSON.stringify(deliveryBodyView(material))
  } catch {
    return null
  }
}

/** Posts a body, for as long as it is let. */
const post = (
  { hmac, sender }: { readonly sender: typeof Sender.Service; readonly hmac: typeof Hmac.Service },
  { deliveryId, webhook }: Lease,
  body: string,
  at: number
) =>
  sender
    .post({
      url: webhook.url,
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        ...sign(WebhookSecrets.signing(webhook.secrets, at), { id: deliveryId, now: at, body }, hmac)
      }
    })
    .pipe(
      Effect.flatMap((answer) => Effect.map(Clock.currentTimeMillis, (now) => answered(answer, body, now))),
      Effect.catchTag("SendFailed", ({ error }: SendFailed) => Effect.succeed(unanswered(error))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.as(defectFound(cause), unanswered("internal"))
      )
    )

/** Attempts that were leased together, and must have ended together. */
class Round {
  readonly running = new Set<Fiber.RuntimeFiber<unknown>>()
  /** Whether their time is over: what is cut off then has timed out, and what is cut off before was no attempt. */
  isOverdue = false
}

const levels: { readonly [O in Settlements.Recorded["outcome"]]: LogLevel.LogLevel } = {
  delivered: LogLevel.Debug,
  ignored: LogLevel.Debug,
  retried: LogLevel.Info,
  dead: LogLevel.Warning
}

/** Most attempts are not worth a line to most hosts: what theirs would say is not gathered then. */
const ifLogged = (level: LogLevel.LogLevel, line: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (least) =>
    LogLevel.lessThanEqual(least, level) ? line : Effect.void
  )

const logSettled = ({ attempt, lease }: Ended, { disabled, outcome }: Settlements.Recorded) => {
  const level = levels[outcome]
  const told = ifLogged(
    level,
    Effect.suspend(() =>
      Effect.annotateLogs(Effect.logWithLevel(level, "delivery attempted"), {
        deliveryId: lease.deliveryId,
        webhookId: lease.webhook.id,
        result: attempt?.result.status ?? attempt?.result.error ?? "none",
        durationMillis: attempt?.durationMillis ?? 0,
        outcome
      })
    )
  )
  return disabled === null
    ? told
    : Effect.zipRight(
        told,
        Effect.logWarning("webhook disabled").pipe(Effect.annotateLogs({ webhookId: disabled }))
      )
}

/** Effect's own counts of fibers: of several for each attempt they cost more than they tell. */
const uncounted = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

const make = (options: EmitterOptions) =>
  Effect.gen(function* () {
    const [outbox, entropy] = yield* Effect.all([Outbox, Entropy])
    const by = { sender: yield* Sender, hmac: yield* Hmac }
    const instance = Encoding.encodeHex(yield* entropy.bytes(8))
    const places = new Places()
    const wake = yield* Queue.sliding<void>(1)
    const ended = yield* Queue.unbounded<Ended>()
    const idle = yield* Deferred.make<void>()
    const rounds = new Set<Round>()
    let taken = 0
    let isRecording = false
    let stopping = false

    /** Not to be cut off but while it posts: what was sent is recorded. */
    const attempt = (lease: Lease, round: Round) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        if (at >= lease.until - handoverMillis) return yield* Queue.offer(ended, { lease, attempt: null })
        const result =
          lease.body === null
            ? yield* Effect.as(bodyMissing(lease), unanswered("internal"))
            : yield* Effect.catchAllCause(
                Effect.interruptible(post(by, lease, lease.body, at)),
                (cause): Effect.Effect<AttemptResult> =>
                  round.isOverdue ? Effect.succeed(unanswered("timeout")) : Effect.failCause(cause)
              )
        const durationMillis = Math.max(0, (yield* Clock.currentTimeMillis) - at)
        const draw = yield* Random.next
        const settle: Settlements.FinishedAttempt["settle"] = (known, now) =>
          Retries.settle(known, result, now, draw, options.scheduleMillis)
        const {
          deliveryId,
          token,
          webhook: { url }
        } = lease
        return yield* Queue.offer(ended, {
          lease,
          attempt: { deliveryId, token, url, at, durationMillis, result, settle }
        })
      }).pipe(Effect.uninterruptible)

    /** One timer for all of them, which costs more than a small post. */
    const begin = (leases: ReadonlyArray<Lease>, until: number) =>
      Effect.gen(function* () {
        const round = new Round()
        rounds.add(round)
        const millis = Math.min(
          Retries.attemptTimeoutMillis,
          until - handoverMillis - (yield* Clock.currentTimeMillis)
        )
        const overdue = Effect.suspend(() => {
          round.isOverdue = true
          return Fiber.interruptAll([...round.running])
        })
        const timer = yield* Effect.forkDaemon(
          Effect.interruptible(Effect.delay(overdue, Duration.millis(Math.max(0, millis))))
        )
        // Of many the first may have ended before the last begins.
        let left = leases.length
        for (const lease of leases) {
          places.change(lease, 1)
          const fiber = yield* Effect.forkDaemon(attempt(lease, round))
          round.running.add(fiber)
          fiber.addObserver(() => {
            round.running.delete(fiber)
            if (--left > 0) return
            rounds.delete(round)
            timer.unsafeInterruptAsFork(FiberId.none)
          })
        }
      })

    /**
     * Starts as many attempts as there are places for; answers when the next delivery becomes due. Not to be cut off half
     * way: what was leased and is not attempted would have to wait until its lease runs out.
     */
    const takeDue = Effect.gen(function* () {
      if (places.total >= options.limits.total) return null
      const { leases, nextDueAt } = yield* outbox.lease({
        token: `${instance}-${++taken}`,
        leaseMillis: options.leaseMillis,
        limits: options.limits,
        underWay: places,
        body: bodyOf
      })
      if (leases.length > 0) yield* begin(leases, leases[0]!.until)
      return nextDueAt
    }).pipe(Effect.uninterruptible)

    const pump = takeDue.pipe(
      Effect.tapErrorTag("@lead-signals/domain/StoreUnavailable", storeFailed),
      Effect.retry(untilStoreAnswers),
      Effect.flatMap((nextDueAt) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const millis = Math.min(options.pollMillis, (nextDueAt ?? Number.POSITIVE_INFINITY) - now)
          return Effect.timeoutOption(Queue.take(wake), Duration.millis(Math.max(1, millis)))
        })
      ),
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(defectFound(Cause.die(defect)), Effect.sleep(options.pollMillis))
      ),
      Effect.forever
    )

    const settle = (batch: ReadonlyArray<Ended>) =>
      Effect.gen(function* () {
        const made = batch.filter((each) => each.attempt !== null)
        if (made.length === 0) return
        const recorded = yield* outbox
          .record(made.map((each) => each.attempt!))
          .pipe(
            Effect.tapErrorTag("@lead-signals/domain/StoreUnavailable", storeFailed),
            Effect.retry(untilStoreAnswers)
          )
        yield* Effect.forEach(recorded, (each, i) => logSettled(made[i]!, each), { discard: true })
      }).pipe(
        // What could not be recorded is sent again when its lease runs out.
        Effect.catchAllDefect((defect) => defectFound(Cause.die(defect)))
      )

    /**
     * What has ended, and what ends while the host sees to its sockets for a few turns: a transaction costs the same for
     * one as for many. On a clock that stands still the turns take no time.
     */
    const gathered = Effect.gen(function* () {
      const batch = [...(yield* Queue.takeBetween(ended, 1, recordedAtOnce))]
      for (let turn = 0; turn < gatheringTurns && batch.length < places.total; turn++) {
        yield* Effect.sleep(0)
        const more = yield* Queue.takeUpTo(ended, recordedAtOnce)
        if (more.length === 0) break
        for (const each of more) batch.push(each)
      }
      return batch
    })

    const giveBack = (batch: ReadonlyArray<Ended>) =>
      Effect.suspend(() => {
        for (const { lease } of batch) places.change(lease, -1)
        return batch.length === 0 ? Effect.void : Queue.offer(wake, undefined)
      })

    /**
     * Where a webhook is well, the next is taken while the last is recorded, and shares its commit; where it is not, what is
     * recorded says whether there is to be a next one.
     */
    const recorder = Effect.forever(
      Effect.gen(function* () {
        const batch = yield* gathered
        const [others, routine] = Arr.partition(batch, isRoutine)
        isRecording = true
        yield* giveBack(routine)
        yield* settle(batch)
        yield* giveBack(others)
        isRecording = false
        if (stopping && places.total === 0) yield* Deferred.succeed(idle, undefined)
      })
    )

    const bell = Effect.forever(Effect.zipRight(outbox.queued, Queue.offer(wake, undefined)))

    const begun = <A, E>(work: Effect.Effect<A, E>) =>
      Effect.forkDaemon(Effect.withRuntimeFlagsPatch(work, uncounted))
    const recording = yield* begun(recorder)
    const pumping = yield* begun(pump)
    const ringing = yield* begun(bell)

    // Fibers of their own: what runs while a scope is closed can't be timed out.
    const drained = yield* Deferred.make<void>()
    const drain = Effect.gen(function* () {
      stopping = true
      yield* Fiber.interruptAll([pumping, ringing])
      if (places.total > 0 || isRecording) yield* Effect.timeoutOption(Deferred.await(idle), options.drain)
      yield* Fiber.interruptAll([...rounds].flatMap(({ running }) => [...running]))
      yield* Fiber.interrupt(recording)
      yield* Deferred.succeed(drained, undefined)
    })
    const stop = Effect.suspend(() => {
      const begins = stopping ? Effect.void : Effect.asVoid(Effect.forkDaemon(Effect.interruptible(drain)))
      return Effect.zipRight(begins, Deferred.await(drained))
    })
    yield* Effect.addFinalizer(() => stop)
    return { stop }
  })

/** Begins at once. */
export const layer = (
  options: Partial<EmitterOptions> = {}
): Layer.Layer<Emitter, never, Outbox | Sender | Entropy> =>
  Layer.scoped(Emitter, make({ ...defaultOptions, ...options }))
