/** A store whose clock is another than that of the process: a database on a server of its own. */
import { Outbox } from "@lead-signals/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { settableWallClock } from "../harness/SettableWallClock.ts"
import { hour, minute, stores } from "./EmitterStores.ts"
import { answer, inSequence, pass, settle, startEmitter, virtually } from "./VirtualWorld.ts"

describe.each(stores)("an emitter whose clock is ahead of that of %s", (_, store) => {
  it("attempts a retry within a second of its time, however seldom it looks [DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const storeClock = yield* Effect.clock
        const outbox = yield* Outbox
        const behind = Outbox.of({
          ...outbox,
          lease: (request) => Effect.withClock(outbox.lease(request), storeClock),
          record: (attempts) => Effect.withClock(outbox.record(attempts), storeClock)
        })
        const { clock, set } = settableWallClock(storeClock)
        set(hour)
        yield* Effect.withClock(
          Effect.provideService(startEmitter({ pollMillis: 10 * hour }), Outbox, behind),
          clock
        )
        const webhook = yield* world.webhook(inSequence(answer(500), answer(500), answer(200)))
        yield* world.observe("p", "e")
        yield* settle
        for (const [n, millis] of [10_000, 7 * minute].entries()) {
          expect(world.to(webhook)).toHaveLength(n + 1)
          const [delivery] = yield* world.list(webhook)
          yield* pass(millis)
          // A post reads the emitter's clock.
          const lateMillis = world.to(webhook)[n + 1]!.at - hour - delivery!.dueAt!
          expect(lateMillis).toBeGreaterThanOrEqual(0)
          expect(lateMillis).toBeLessThanOrEqual(1000)
        }
      })
    ))
})
