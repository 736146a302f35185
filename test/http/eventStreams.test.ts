/** How long the client of a live stream may take for a piece, by a clock of the test. */
import { BrandStore, type LeadEvent, LeadStore } from "@lead-signals/domain"
import { EventStreams } from "@lead-signals/http/internal"
import { Effect, Fiber, Layer, Stream, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"

const event = {
  event: "lead2.created",
  brandId: "1",
  leadId: 1,
  engagementId: "e1",
  isFirstActivity: true,
  occurredAt: 0
} as LeadEvent

const read = {
  position: 1,
  event,
  person: { name: "Ada", headline: null },
  engagement: { type: null, reactionType: null },
  signal: { id: "1", name: "S" }
}

/** Whether a client is disconnected that takes a piece so many milliseconds after it was handed over, when the store took 29 s to find it. */
const isDisconnected = (takesMillis: number) => {
  let isOver = false
  const store = {
    eventsAfter: () => Effect.delay(Effect.succeed({ events: [read], position: 1 }), 29_000)
  }
  return Effect.gen(function* () {
    const streams = yield* EventStreams
    const stream = yield* streams.stream({
      brandId: "1",
      resumption: { position: 0, gap: null },
      isAllowed: Effect.succeed(true),
      disconnect: Effect.sync(() => (isOver = true))
    })
    const client = yield* Effect.fork(
      Stream.runForEach(Stream.take(stream!, 2), (piece) =>
        piece.includes("event: ") ? Effect.sleep(takesMillis) : Effect.void
      )
    )
    yield* TestClock.adjust(29_000)
    yield* TestClock.adjust(takesMillis)
    yield* Fiber.join(client)
    return isOver
  }).pipe(
    Effect.provide(EventStreams.layer),
    Effect.provide(
      Layer.mergeAll(Layer.succeed(LeadStore, store as never), Layer.succeed(BrandStore, {} as never))
    ),
    Effect.provide(TestContext.TestContext),
    Effect.runPromise
  )
}

it("has its 30 s from when it is handed a piece, however long the store took to find it [LIVE-4]", async () => {
  expect(await isDisconnected(29_000)).toBe(false)
  expect(await isDisconnected(31_000)).toBe(true)
})
