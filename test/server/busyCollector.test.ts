/** Exporters of telemetry before a collector that refuses or is silent, in virtual time. */
import { loadExporters, readOtel } from "@lead-signals/server/internal"
import { Effect, Either, Layer, TestClock, TestContext } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"

afterEach(() => void vi.unstubAllGlobals())

const batch = 10

const { layer } = await loadExporters()
const settings = Either.getOrThrow(
  readOtel(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector.example/v1/traces",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: String(batch)
    },
    { serviceName: "test" }
  )
)

/** Lets fibers and promises go on until they wait for the clock, or for an answer. */
const settled = Effect.promise(async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
})

/** Ends so many spans that a batch is sent, and lets a second pass. */
const oneBatch = Effect.void.pipe(
  Effect.withSpan("work"),
  Effect.repeatN(batch - 1),
  Effect.zipRight(settled),
  Effect.zipRight(TestClock.adjust("1 second")),
  Effect.zipRight(settled)
)

/** Runs beside the exporters, which stop with it. */
const exporting = (answer: () => Promise<Response>, work: Effect.Effect<void>): Promise<void> => {
  vi.stubGlobal("fetch", answer)
  return Effect.runPromise(
    Effect.scoped(Effect.flatMap(Layer.build(layer(settings)), (built) => Effect.provide(work, built))).pipe(
      Effect.provide(TestContext.TestContext)
    )
  )
}

describe("a collector", () => {
  it("that answers 429 for ten minutes gets nothing for a minute, and then what is new: nothing is held for it [OPER-8]", async () => {
    let requests = 0
    let status = 429
    const answer = () => {
      requests++
      return Promise.resolve(new Response("{}", { status, headers: { "retry-after": "600" } }))
    }
    await exporting(
      answer,
      Effect.gen(function* () {
        for (let i = 0; i < 30; i++) yield* oneBatch
        expect(requests).toBe(1)
        yield* TestClock.adjust("1 minute")
        status = 200
        for (let i = 0; i < 3; i++) yield* oneBatch
        expect(requests).toBeGreaterThan(1)
        requests = 0
        yield* TestClock.adjust("11 minutes")
        yield* settled
        expect(requests).toBe(0)
      })
    )
  })

  it("that is silent has at most 64 requests to answer [OPER-8]", async () => {
    let waiting = 0
    const answer = () => {
      waiting++
      return new Promise<Response>(() => {})
    }
    await exporting(
      answer,
      Effect.gen(function* () {
        for (let i = 0; i < 100; i++)
          yield* Effect.void.pipe(Effect.withSpan("work"), Effect.repeatN(batch - 1))
        yield* settled
        expect(waiting).toBe(64)
      })
    )
  })
})
