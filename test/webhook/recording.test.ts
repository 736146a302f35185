/** When the emitter records what has ended: on a clock whose sleeps never end, so that only the number of ended posts counts. */
import { type AttemptTransitions, Entropy, type Lease, Outbox, type Webhook } from "@lead-signals/domain"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Clock, Effect, Layer, Queue } from "effect"
import { describe, expect, it } from "vitest"

const clock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => Date.now(),
  unsafeCurrentTimeNanos: () => BigInt(Date.now()) * 1_000_000n,
  currentTimeMillis: Effect.sync(() => Date.now()),
  currentTimeNanos: Effect.sync(() => BigInt(Date.now()) * 1_000_000n),
  sleep: () => Effect.never
}

const webhook: Webhook = {
  id: "1",
  brandId: "1",
  url: "https://receiver.example/",
  events: ["activity.detected"],
  description: null,
  enabled: true,
  disabledReason: null,
  failingSince: null,
  ordering: "none",
  maxDelay: null,
  format: "envelope",
  maxBatch: 1,
  maxWait: 0,
  secrets: { current: `whsec_${"A".repeat(32)}`, previous: null },
  createdAt: 0
}

const leaseOf = (n: number): Lease => ({
  deliveryId: `wh_${n}`,
  token: "t",
  batch: null,
  until: Number.MAX_SAFE_INTEGER,
  body: "{}",
  resendOf: null,
  place: null,
  webhook
})

/** Runs an emitter that leases so many deliveries once. `end` lets some posts end, and returns how many were recorded with them. */
const withPosts = (
  deliveries: number,
  work: (end: (posts: number) => Effect.Effect<ReadonlyArray<number>>) => Effect.Effect<void>
): Promise<void> => {
  const recorded: Array<ReadonlyArray<AttemptTransitions.FinishedAttempt>> = []
  const ends: Array<() => void> = []
  let isLeased = false
  const outbox = Layer.effect(
    Outbox,
    Effect.map(Queue.unbounded<void>(), (queued) =>
      Outbox.of({
        lease: () =>
          Effect.sync(() => {
            const leases = isLeased ? [] : Array.from({ length: deliveries }, (_, n) => leaseOf(n))
            isLeased = true
            return { leases, nextDueAt: null }
          }),
        record: (attempts) =>
          Effect.sync(() => {
            recorded.push(attempts)
            return attempts.map(({ deliveryId }) => ({ deliveryId, outcome: "delivered", disabled: null }))
          }),
        queued: Queue.take(queued)
      })
    )
  )
  const response = { status: 204, retryAfter: null, excerpt: new Uint8Array(), truncated: false }
  const sender = Layer.succeed(
    Sender.Sender,
    Sender.Sender.of({
      post: () => Effect.async((resume) => void ends.push(() => resume(Effect.succeed(response))))
    })
  )
  const entropy = Layer.succeed(Entropy, Entropy.of({ bytes: (n) => Effect.succeed(new Uint8Array(n)) }))
  // The fibers of the emitter run by turns of the host's event loop.
  const turns = Effect.promise(async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
  const end = (posts: number) =>
    Effect.gen(function* () {
      for (const each of ends.splice(0, posts)) each()
      yield* turns
      return recorded.map(({ length }) => length)
    })
  return Effect.runPromise(
    Effect.gen(function* () {
      yield* Layer.build(Emitter.layer({ drain: 0 }))
      yield* turns
      expect(ends).toHaveLength(deliveries)
      // The emitter waits for the rest when it stops.
      yield* Effect.ensuring(work(end), end(Number.POSITIVE_INFINITY))
    }).pipe(Effect.scoped, Effect.provide([outbox, sender, entropy]), Effect.withClock(clock))
  )
}

describe("what has ended is recorded", () => {
  it("as soon as it is half of what is under way, whatever the rest takes [DELIV-7]", () =>
    withPosts(32, (end) =>
      Effect.gen(function* () {
        expect(yield* end(15)).toEqual([])
        expect(yield* end(1)).toEqual([16])
        // Sixteen are left, of which eight are half.
        expect(yield* end(7)).toEqual([16])
        expect(yield* end(1)).toEqual([16, 8])
      })
    ))

  it("together, where few are under way [DELIV-7]", () =>
    withPosts(8, (end) =>
      Effect.gen(function* () {
        expect(yield* end(7)).toEqual([])
        expect(yield* end(1)).toEqual([8])
      })
    ))

  it("alone, where nothing else is under way [DELIV-7]", () =>
    withPosts(1, (end) =>
      Effect.gen(function* () {
        expect(yield* end(1)).toEqual([1])
      })
    ))
})
