/** What is leased ahead of its post, of a webhook that answers fast: ten at once, of which eight have ended when the next are leased. */
import { Deliveries, type Webhook, Webhooks } from "@lead-signals/domain"
import { Clock, Effect, Option, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { settableWallClock } from "../harness/SettableWallClock.ts"
import { hour, stores } from "./EmitterStores.ts"
import {
  answer,
  type Behaviour,
  hanging,
  pass,
  type Services,
  settle,
  startEmitter,
  virtually,
  type World
} from "./VirtualWorld.ts"

const limits = { total: 40, reserved: 0, perWebhook: 10, failingTotal: 10, perFailingWebhook: 2 }

const after =
  (millis: number, status = 200): Behaviour =>
  (n, posted) =>
    Effect.delay(answer(status)(n, posted), millis)

/**
 * Twenty deliveries to one webhook. The first eight posts are answered after 10 ms; then ten are under way, and two wait. `behaviour` is of the ten, from 1.
 * `work` gets the ids that wait.
 */
const withWaiting = (
  store: (typeof stores)[number][1],
  behaviour: Behaviour,
  work: (
    world: World,
    webhook: Webhook,
    waiting: ReadonlyArray<string>,
    setClock: (millis: number) => void
  ) => Effect.Effect<void, unknown, Services | Scope.Scope>
) =>
  virtually(store(), (world) =>
    Effect.gen(function* () {
      const { clock, set } = settableWallClock(yield* Effect.clock)
      yield* Effect.withClock(startEmitter({ limits }), clock)
      const webhook = yield* world.webhook(
        (n, posted) => (n <= 8 ? after(10) : n <= 18 ? behaviour : answer(200))(n - 8, posted),
        { enabled: false }
      )
      for (let n = 0; n < 20; n++) yield* world.observe(`p${n}`, `e${n}`)
      yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
      yield* settle
      expect(world.to(webhook)).toHaveLength(10)
      yield* pass(10)
      expect(world.to(webhook)).toHaveLength(18)
      const begun = new Set(world.to(webhook).map(({ id }) => id))
      const all = yield* world.list(webhook)
      return yield* work(
        world,
        webhook,
        all.flatMap(({ id }) => (begun.has(id) ? [] : [id])),
        set
      )
    })
  )

describe.each(stores)("what is leased ahead on %s", (_, store) => {
  it("is posted as soon as a post of its webhook ends, and never more at once than the limit [DELIV-7]", () =>
    withWaiting(
      store,
      (n, posted) => after(n === 3 ? 1000 : 3000)(n, posted),
      (world, webhook, waiting) =>
        Effect.gen(function* () {
          const underWay = () => Array.from(world.underWay.values()).reduce((sum, n) => sum + n, 0)
          expect([waiting.length, underWay()]).toEqual([2, 10])
          yield* pass(999)
          expect([world.to(webhook).length, underWay()]).toEqual([18, 10])
          world.receivers.set(webhook.url, after(3000))
          yield* pass(1)
          expect([world.to(webhook).length, underWay()]).toEqual([19, 10])
          yield* pass(6000)
          expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
          expect(world.to(webhook)).toHaveLength(20)
        })
    ))

  it("is not posted once it has waited for five seconds, but when its lease has run out [DELIV-2, DELIV-7]", () =>
    withWaiting(store, hanging, (world, webhook, waiting) =>
      Effect.gen(function* () {
        const postsOfWaiting = () => world.to(webhook).filter(({ id }) => waiting.includes(id)).length
        yield* pass(29_990)
        expect(postsOfWaiting()).toBe(0)
        yield* pass(1000)
        expect(postsOfWaiting()).toBe(2)
        yield* pass(hour)
        expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
      })
    ))

  /** Sets the machine's clock by `millis` while two posts wait, for which places get free after 4 s and 14 s. Answers how many of the two begin within 15 s. */
  const postsOfWaiting = (millis: number) => {
    let posted = -1
    const free: Behaviour = (n, post) => (n === 3 ? after(14_000) : n === 4 ? after(4000) : hanging)(n, post)
    return withWaiting(store, free, (world, webhook, waiting, setClock) =>
      Effect.gen(function* () {
        world.receivers.set(webhook.url, hanging)
        setClock(millis)
        yield* pass(15_000)
        posted = world.to(webhook).filter(({ id }) => waiting.includes(id)).length
      })
    ).then(() => posted)
  }

  it("waits for five seconds by the monotonic clock, also where the machine's is set back [DELIV-3, DELIV-7]", async () => {
    expect(await postsOfWaiting(-hour)).toBe(1)
  })

  it.each([
    [10_000, 1],
    [10_100, 0],
    [20_000, 0],
    [hour, 0]
  ])(
    "where the machine's clock is set forward by %d ms is posted if an attempt has its whole time before the lease ends [DELIV-2, DELIV-3]",
    async (millis, posts) => {
      expect(await postsOfWaiting(millis)).toBe(posts)
    }
  )

  it("has its 15 seconds from its own beginning [DELIV-3]", () =>
    withWaiting(
      store,
      (n, posted) => (n === 3 ? after(4000) : hanging)(n, posted),
      (world, webhook) =>
        Effect.gen(function* () {
          world.receivers.set(webhook.url, hanging)
          yield* pass(4000)
          const { id } = world.to(webhook)[18]!
          yield* pass(14_999)
          expect(world.underWay.get(id)).toBe(1)
          yield* pass(1)
          expect(world.underWay.get(id)).toBe(0)
          const { attempts } = Option.getOrThrow(yield* (yield* Deliveries).get(webhook.id, id as never))
          expect(attempts[0]).toMatchObject({ error: "timeout", durationMillis: 15_000 })
        })
    ))

  it("is not posted to a webhook that an answer has disabled, until it is enabled again [DELIV-3, DELIV-7]", () =>
    withWaiting(
      store,
      (n, posted) => (n === 3 ? after(100, 410) : after(2000))(n, posted),
      (world, webhook) =>
        Effect.gen(function* () {
          yield* pass(hour)
          expect(world.to(webhook)).toHaveLength(18)
          yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
          yield* pass(hour)
          expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
        })
    ))

  it.each([
    [30_000, 12],
    [20_000, 10]
  ])(
    "is nothing where a lease of %d ms has no time for the wait and an attempt [DELIV-3]",
    (leaseMillis, leased) =>
      virtually(store(), (world) =>
        Effect.gen(function* () {
          yield* startEmitter({ limits, leaseMillis })
          const webhook = yield* world.webhook((n, posted) => (n <= 8 ? after(10) : hanging)(n, posted), {
            enabled: false
          })
          for (let n = 0; n < 20; n++) yield* world.observe(`p${n}`, `e${n}`)
          yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
          yield* settle
          yield* pass(10)
          const now = yield* Clock.currentTimeMillis
          const pending = yield* world.list(webhook, "pending")
          expect(pending.filter(({ dueAt }) => dueAt! > now)).toHaveLength(leased)
        })
      )
  )

  it.each([
    [100, 12],
    [102, 10]
  ])(
    "is of a webhook whose answers take at most 100 ms: where they take %d, %d are leased [DELIV-7]",
    (millis, leased) =>
      virtually(store(), (world) =>
        Effect.gen(function* () {
          yield* startEmitter({ limits })
          const webhook = yield* world.webhook((n, posted) => (n <= 8 ? after(millis) : hanging)(n, posted), {
            enabled: false
          })
          for (let n = 0; n < 20; n++) yield* world.observe(`p${n}`, `e${n}`)
          yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
          yield* settle
          yield* pass(millis)
          const now = yield* Clock.currentTimeMillis
          const pending = yield* world.list(webhook, "pending")
          expect(pending.filter(({ dueAt }) => dueAt! > now)).toHaveLength(leased)
        })
      )
  )

  it("is posted and recorded before the emitter has stopped [DELIV-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const emitter = yield* startEmitter({ limits, drain: "10 seconds" })
        const webhook = yield* world.webhook((n, posted) => after(n <= 8 ? 10 : 100)(n, posted), {
          enabled: false
        })
        for (let n = 0; n < 20; n++) yield* world.observe(`p${n}`, `e${n}`)
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        yield* settle
        yield* pass(10)
        const stopping = yield* Effect.fork(emitter.stop)
        yield* pass(1000)
        yield* stopping.await
        expect(yield* world.list(webhook, "delivered")).toHaveLength(20)
      })
    ))
})
