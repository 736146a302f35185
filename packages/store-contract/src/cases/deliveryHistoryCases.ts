/** What every store must show of deliveries after generated histories, also when it is closed and opened again. */
import { Effect } from "effect"
import fc from "fast-check"
import { compareDeliveries } from "../DeliveryComparison.ts"
import { deliveryHistory, subscribed } from "../DeliveryHistories.ts"
import { DeliveryWorld, endDeliveryWorld } from "../DeliveryWorld.ts"
import { playHistories } from "../GeneratedHistories.ts"
import { checkDeliveryCounts } from "../IntervalCounts.ts"
import type { Case } from "../StoreUnderTest.ts"

const startOfDeliveries = Date.UTC(2026, 2, 1)

/** No schedule of retries, or retries after seconds. */
const schedules = fc.constantFrom<ReadonlyArray<number>>([], [1000], [1000, 5000, 5000])

const agreesWithReference: Case = {
  title:
    "shows after every step what the reference shows, over generated histories [DELIV-2, DELIV-3, DELIV-4, DELIV-5, DELIV-8, ORD-1, ORD-2, ORD-3, ORD-4, ORD-5, ORD-6, EVT-5, EVT-7, EVT-8, EVT-9, SERIES-6, PII-3]",
  run: async (open) => {
    const { clock, store } = open
    clock.millis = startOfDeliveries
    const situations = new Set<string>()
    await playHistories(
      store,
      store.deliveryHistories ?? 100,
      fc.record({ steps: deliveryHistory, waitMillis: schedules }),
      ({ steps }) => steps,
      ({ steps, waitMillis }) =>
        open.run(
          Effect.gen(function* () {
            const world = yield* DeliveryWorld.create(clock, waitMillis)
            for (const step of [subscribed, ...steps]) {
              yield* world.play(step)
              yield* compareDeliveries(world)
              yield* checkDeliveryCounts(world.brand.id, world.reference)
            }
            for (const situation of world.situations) situations.add(situation)
            yield* endDeliveryWorld(world)
          })
        )
    )
    store.onCoverage?.(situations)
  }
}

const survivesReopening: Case = {
  title:
    "keeps deliveries, leases and bodies when it is closed and opened again at any step [STORE-2, DELIV-2]",
  reopens: true,
  run: async (open) => {
    const { clock, store } = open
    clock.millis = startOfDeliveries
    await playHistories(
      store,
      Math.ceil((store.deliveryHistories ?? 100) / 10),
      fc.record({ steps: deliveryHistory, waitMillis: schedules, every: fc.integer({ min: 2, max: 8 }) }),
      ({ every, steps }) =>
        steps.flatMap((step, i) => (i % every === 0 ? [{ step: "reopen" }, step] : [step])),
      async ({ every, steps, waitMillis }) => {
        const world = await open.run(DeliveryWorld.create(clock, waitMillis))
        await open.run(world.play(subscribed))
        for (const [i, step] of steps.entries()) {
          if (i % every === 0) await open.reopen()
          await open.run(Effect.zipRight(world.play(step), compareDeliveries(world)))
        }
        await open.run(endDeliveryWorld(world))
      }
    )
  }
}

/** Cases of generated histories of deliveries. */
export const deliveryHistoryCases: ReadonlyArray<Case> = [agreesWithReference, survivesReopening]
