/** Many webhooks, many attempts and several emitters over one store. */
import { DeliverySlots, Outbox, StoreUnavailable, Webhooks, WebhookStore } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { Clock, Deferred, Effect, FiberId, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import { day, hour, stores } from "./EmitterStores.ts"
import {
  answer,
  hanging,
  inSequence,
  pass,
  settle,
  startEmitter,
  startOfTime,
  virtually
} from "./VirtualWorld.ts"
import { isThorough } from "../harness/Thoroughness.ts"

describe.each(stores)("attempts side by side on %s", (_, store) => {
  it("delays nobody for a webhook that hangs, nor for many that do [DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const limits = { total: 12, reserved: 2, perWebhook: 3, failingTotal: 6, perFailingWebhook: 1 }
        yield* startEmitter({ limits })
        const dead = yield* Effect.replicateEffect(world.webhook(hanging), 20)
        const healthy = yield* Effect.replicateEffect(world.webhook(answer(200)), 5)
        // Once they are known to hang, they take no more than half of the places.
        yield* Effect.forEach(dead, ({ id }) =>
          Effect.flatMap(WebhookStore, (webhookStore) =>
            webhookStore.update(world.brand.id, id, (webhook) => ({
              ...webhook,
              failingSince: startOfTime
            }))
          )
        )
        for (let i = 0; i < 10; i++) {
          yield* world.observe("p", `e${i}`)
          yield* settle
        }
        for (const webhook of healthy) {
          expect(world.to(webhook).map(({ at }) => at)).toEqual(Array.from({ length: 10 }, () => startOfTime))
        }
        const hangingNow = [...world.underWay.values()].reduce((sum, n) => sum + n, 0)
        expect(hangingNow).toBe(6)
      })
    ))

  it("has no more attempts of a webhook under way than its share [DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({
          limits: { total: 12, reserved: 0, perWebhook: 3, failingTotal: 6, perFailingWebhook: 1 }
        })
        const slow = yield* world.webhook(() => Effect.delay(answer(200)(1, undefined as never), 1000))
        for (let i = 0; i < 10; i++) yield* world.observe("p", `e${i}`)
        yield* settle
        expect(world.to(slow)).toHaveLength(3)
        yield* pass(1000)
        expect(world.to(slow)).toHaveLength(6)
        yield* pass(3000)
        expect(yield* world.list(slow, "delivered")).toHaveLength(10)
      })
    ))

  it.runIf(isThorough)("shares a store with others: nothing twice at once, nothing left [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        yield* startEmitter()
        yield* startEmitter()
        const webhooks = yield* Effect.replicateEffect(
          world.webhook((n) => Effect.delay(answer(n % 3 === 0 ? 500 : 200)(1, undefined as never), 10)),
          3
        )
        for (let i = 0; i < 20; i++) yield* world.observe("p", `e${i}`)
        yield* pass(day)
        expect(world.maxUnderWay).toBe(1)
        for (const webhook of webhooks) expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
        const bodies = new Map<string, string>()
        for (const { body, id } of world.posted) {
          expect(bodies.get(id) ?? body).toBe(body)
          bodies.set(id, body)
        }
        expect(bodies.size).toBe(60)
      })
    )
  )

  it("takes over what another let lie, when its lease runs out, with the same body [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const first = yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* settle
        expect(world.to(webhook)).toHaveLength(1)
        const stopping = yield* Effect.fork(first.stop)
        yield* settle
        yield* stopping.await
        yield* startEmitter()
        yield* pass(29_000)
        expect(world.to(webhook)).toHaveLength(1)
        yield* pass(2000)
        const posts = world.to(webhook)
        expect(posts.map(({ body, id }) => `${id} ${body}`)).toEqual([
          `${posts[0]!.id} ${posts[0]!.body}`,
          `${posts[0]!.id} ${posts[0]!.body}`
        ])
        expect((yield* world.list(webhook, "delivered"))[0]!.attempts).toBe(1)
      })
    ))

  it("finishes what is under way when it stops, records it, and begins nothing more [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const emitter = yield* startEmitter({
          drain: "10 seconds",
          limits: { total: 1, reserved: 0, perWebhook: 1, failingTotal: 1, perFailingWebhook: 1 }
        })
        const webhook = yield* world.webhook(() => Effect.delay(answer(200)(1, undefined as never), 3000))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* settle
        const stopping = yield* Effect.fork(emitter.stop)
        yield* pass(2999)
        expect(Option.isNone(yield* stopping.poll)).toBe(true)
        yield* pass(1)
        yield* stopping.await
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["pending", "delivered"])
        yield* pass(hour)
        expect(world.to(webhook)).toHaveLength(1)
      })
    ))

  describe("while it records what has ended", () => {
    const slowly = () =>
      Layer.effect(
        Outbox,
        Effect.map(Outbox, (outbox) =>
          Outbox.of({ ...outbox, record: (attempts) => Effect.delay(outbox.record(attempts), 5000) })
        )
      ).pipe(Layer.provideMerge(store())) as ReturnType<typeof store>
    const limits = { total: 4, reserved: 0, perWebhook: 1, failingTotal: 4, perFailingWebhook: 1 }

    it("posts the next where all went well, and waits where it did not [DELIV-4, DELIV-7]", () =>
      virtually(slowly(), (world) =>
        Effect.gen(function* () {
          yield* startEmitter({ limits })
          const well = yield* world.webhook(answer(200), { enabled: false })
          const ill = yield* world.webhook(answer(500), { enabled: false })
          for (let i = 0; i < 4; i++) yield* world.observe("p", `e${i}`)
          for (const { id } of [well, ill]) {
            yield* Webhooks.change(world.brand.id, id, { enabled: true })
          }
          yield* settle
          expect([world.to(well).length, world.to(ill).length]).toEqual([2, 1])
          yield* pass(4999)
          expect([world.to(well).length, world.to(ill).length]).toEqual([2, 1])
          yield* pass(1)
          expect(yield* world.list(well, "delivered")).toHaveLength(1)
          expect([world.to(well).length, world.to(ill).length]).toEqual([3, 2])
        })
      ))

    it("does not stop before that is done [DELIV-2]", () =>
      virtually(slowly(), (world) =>
        Effect.gen(function* () {
          const emitter = yield* startEmitter({ limits, drain: "10 seconds" })
          const webhook = yield* world.webhook(answer(200))
          yield* world.observe("p", "e1")
          yield* settle
          const stopping = yield* Effect.fork(emitter.stop)
          yield* pass(4999)
          expect(Option.isNone(yield* stopping.poll)).toBe(true)
          yield* pass(1)
          yield* stopping.await
          expect(yield* world.list(webhook, "delivered")).toHaveLength(1)
        })
      ))
  })

  it.each(["lease", "record"] as const)(
    "ends a stop a second after the drain time when the store never answers a %s [HEALTH-5]",
    (method) => {
      let isSilent = false
      const silence = Deferred.unsafeMake<void>(FiberId.none)
      const silentStore = Layer.effect(
        Outbox,
        Effect.map(Outbox, (outbox) => {
          const guard = <A, E>(of: "lease" | "record", work: Effect.Effect<A, E>) =>
            Effect.suspend(() =>
              isSilent && of === method
                ? Effect.uninterruptible(Effect.zipRight(Deferred.await(silence), work))
                : work
            )
          return Outbox.of({
            ...outbox,
            lease: (request) => guard("lease", outbox.lease(request)),
            record: (attempts) => guard("record", outbox.record(attempts))
          })
        })
      ).pipe(Layer.provideMerge(store()))
      return virtually(silentStore as ReturnType<typeof store>, (world) =>
        Effect.gen(function* () {
          const emitter = yield* startEmitter({ drain: "10 seconds" })
          yield* world.webhook(answer(200))
          yield* settle
          isSilent = true
          yield* world.observe("p", "e1")
          yield* settle
          const stopping = yield* Effect.fork(emitter.stop)
          yield* pass(9999)
          expect(Option.isNone(yield* stopping.poll)).toBe(true)
          yield* pass(1001)
          expect(Option.isSome(yield* stopping.poll)).toBe(true)
          yield* Deferred.succeed(silence, undefined)
          yield* settle
        })
      )
    }
  )

  it("goes on when the store could not answer for a while [DELIV-2]", () => {
    let down = false
    const failingStore = Layer.effect(
      Outbox,
      Effect.map(Outbox, (outbox) => {
        const guard = <A>(work: Effect.Effect<A, StoreUnavailable>) =>
          Effect.suspend(() => (down ? Effect.fail(new StoreUnavailable({ reason: "planted" })) : work))
        return Outbox.of({
          ...outbox,
          lease: (request) => guard(outbox.lease(request)),
          record: (attempts) => guard(outbox.record(attempts))
        })
      })
    ).pipe(Layer.provideMerge(store()))
    return virtually(failingStore as ReturnType<typeof store>, (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(200))
        down = true
        yield* world.observe("p", "e1")
        yield* pass(20_000)
        expect(world.posted).toEqual([])
        down = false
        yield* pass(5000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(1)

        // And while what was sent could not be recorded.
        world.receivers.set(webhook.url, () =>
          Effect.sync(() => {
            down = true
          }).pipe(Effect.zipRight(answer(200)(1, undefined as never)))
        )
        yield* world.observe("p", "e2")
        yield* pass(20_000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(1)
        down = false
        yield* pass(5000)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(2)
        expect(world.to(webhook)).toHaveLength(2)
      })
    )
  })
})

/** The clock of a host that is so many milliseconds ahead. */
const ahead = (clock: Clock.Clock, millis: number): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis,
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + BigInt(millis) * 1_000_000n,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + BigInt(millis) * 1_000_000n),
  sleep: (duration) => clock.sleep(duration)
})

describe("an emitter on a host whose clock is off the store's", () => {
  it.each([hour, -hour])(
    "by %d ms attempts and retries in time, and asks no more [DELIV-2, DELIV-3]",
    (off) => {
      let looks = 0
      // The store reads the time by its own clock.
      const remote = Layer.effect(
        Outbox,
        Effect.map(Effect.all([Outbox, Effect.clock]), ([outbox, clock]) =>
          Outbox.of({
            ...outbox,
            lease: (request) => {
              looks++
              return Effect.withClock(outbox.lease(request), clock)
            },
            record: (attempts) => Effect.withClock(outbox.record(attempts), clock)
          })
        )
      ).pipe(Layer.provideMerge(MemoryStore.layer))
      return virtually(remote, (world) =>
        Effect.gen(function* () {
          const clock = yield* Effect.clock
          yield* Effect.withClock(startEmitter({ pollMillis: 1000 }), ahead(clock, off))
          const webhook = yield* world.webhook(inSequence(answer(500), answer(200)))
          yield* world.observe("p", "e1")
          yield* settle
          expect(world.to(webhook)).toHaveLength(1)
          // The wait is 5 s, a fifth more or less by chance; the look that finds the delivery due comes up to a second later.
          for (let i = 0; i < 75; i++) yield* pass(100)
          expect(world.to(webhook)).toHaveLength(2)
          expect(yield* world.list(webhook, "delivered")).toHaveLength(1)
          expect(looks).toBeLessThan(25)
        })
      )
    }
  )
})

describe("an emitter of very many attempts", () => {
  it("calls time-outs of many at once, though the first have ended before the last begin [DELIV-3, DELIV-5]", () =>
    virtually(MemoryStore.layer, (world) =>
      Effect.gen(function* () {
        const [quick, slow] = [1200, 100]
        const count = quick + slow
        const limits = { ...DeliverySlots.defaultLimits, total: count, reserved: 0, perWebhook: count }
        yield* startEmitter({ limits })
        const first = Array.from({ length: quick }, () => answer(200))
        const webhook = yield* world.webhook(inSequence(...first, hanging), { enabled: false })
        for (let i = 0; i < count; i++) yield* world.observe(`p${i}`, `e${i}`)
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        const hangs = () => Array.from(world.underWay.values(), Number).reduce((sum, each) => sum + each, 0)
        yield* pass(14_999)
        expect([world.posted.length, hangs()]).toEqual([count, slow])
        yield* pass(1)
        expect(hangs()).toBe(0)
      })
    ))
})
