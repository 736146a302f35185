/** When a webhook is disabled, what happens to what it is owed, and how it starts afresh. */
import { Webhooks } from "@lead-signals/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { day, stores } from "./EmitterStores.ts"
import {
  answer,
  failing,
  inSequence,
  pass,
  settle,
  startEmitter,
  startOfTime,
  virtually
} from "./VirtualWorld.ts"

describe.each(stores)("disabling a webhook on %s", (_, store) => {
  it("disables a webhook on 410, holds what it is owed, and starts fresh when it is enabled [DELIV-3, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(410), answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(10_000)
        expect(yield* world.refresh(webhook)).toMatchObject({
          enabled: false,
          disabledReason: "The receiver answered 410 Gone.",
          failingSince: startOfTime
        })
        yield* world.observe("p", "e2")
        yield* pass(9 * day)
        expect(world.to(webhook)).toHaveLength(2)
        expect((yield* world.list(webhook, "held")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
        expect(yield* world.list(webhook, "pending")).toEqual([])
        const enabled = yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        expect(enabled).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
        yield* settle
        expect((yield* world.list(webhook, "delivered")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
      })
    ))

  it("disables a webhook that has failed everything for five days, says why, and forgets it when enabled [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(failing("tls"))
        for (let i = 0; i < 5; i++) {
          yield* world.observe("p", `e${i}`)
          yield* pass(day)
        }
        expect((yield* world.refresh(webhook)).enabled).toBe(true)
        yield* pass(day)
        const disabled = yield* world.refresh(webhook)
        expect(disabled.enabled).toBe(false)
        expect(disabled.disabledReason).toBe(
          "Every attempt since 2026-01-05T10:00:00.000Z failed; the last one gave tls."
        )
        const made = world.to(webhook).length
        yield* pass(3 * day)
        expect(world.to(webhook)).toHaveLength(made)

        const held = (yield* world.list(webhook, "held")).length
        expect(held).toBeGreaterThan(0)
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        yield* settle
        expect(world.to(webhook)).toHaveLength(made + held)
        // A schedule from its beginning: the next attempts come after five seconds, not after a day.
        yield* pass(6000)
        expect(world.to(webhook)).toHaveLength(made + 2 * held)
        expect((yield* world.refresh(webhook)).enabled).toBe(true)
      })
    ))

  it("begins no second attempt of what is under way when its webhook is enabled again [DELIV-2, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const { id: brandId } = world.brand
        const webhook = yield* world.webhook(
          inSequence(answer(500), () => Effect.delay(answer(500)(1, undefined as never), 10_000), answer(200))
        )
        yield* world.observe("p", "e1")
        yield* pass(7000)
        expect(world.to(webhook)).toHaveLength(2)
        yield* Webhooks.change(brandId, webhook.id, { enabled: false })
        yield* Webhooks.change(brandId, webhook.id, { enabled: true })
        yield* pass(5000)
        expect(world.to(webhook)).toHaveLength(2)
        // And the schedule begins anew: five seconds after it ended, not five minutes.
        yield* pass(12_000)
        expect(world.to(webhook)).toHaveLength(3)
        expect(world.maxUnderWay).toBe(1)
      })
    ))

  it("stays enabled when an attempt of before it was enabled is answered 410 late [DELIV-3, DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const { id: brandId } = world.brand
        const late = () => Effect.delay(answer(410)(1, undefined as never), 10_000)
        const webhook = yield* world.webhook(inSequence(late, answer(410), answer(200)))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* settle
        expect((yield* world.refresh(webhook)).enabled).toBe(false)
        yield* Webhooks.change(brandId, webhook.id, { enabled: true })
        yield* pass(12_000)
        expect(yield* world.refresh(webhook)).toMatchObject({
          enabled: true,
          disabledReason: null,
          failingSince: null
        })
        expect((yield* world.list(webhook, "delivered")).map(({ engagementId }) => engagementId)).toEqual([
          "e2",
          "e1"
        ])
      })
    ))

  it("forgets what failed when the URL changes [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(failing("tls"))
        yield* world.observe("p", "e1")
        yield* settle
        const change = (url: string) => Webhooks.change(world.brand.id, webhook.id, { url })
        expect((yield* change(webhook.url)).failingSince).toBe(startOfTime)
        expect((yield* change("https://elsewhere.example/")).failingSince).toBeNull()
      })
    ))

  it("clears what a webhook is failing since with its first success [DELIV-4]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(answer(500), answer(200)))
        yield* world.observe("p", "e1")
        yield* settle
        expect((yield* world.refresh(webhook)).failingSince).toBe(startOfTime)
        yield* pass(10_000)
        expect((yield* world.refresh(webhook)).failingSince).toBeNull()
      })
    ))
})
