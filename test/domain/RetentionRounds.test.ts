/** The background work of retention, over a port that only counts: how much of the time it takes, and what ends and begins a round. */
import {
  Entropy,
  type PruneRequest,
  type Pruned,
  Pruning,
  RetentionRounds,
  Retention,
  StoreUnavailable
} from "@lead-signals/domain"
import { Clock, Effect, Fiber, HashMap, Layer, Logger, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"

const entropyOf = (byte: number) =>
  Entropy.of({ bytes: (length) => Effect.succeed(new Uint8Array(length).fill(byte)) })

const nothing: Pruned = { removed: 0, oldest: null, next: null, isLeasedElsewhere: false }

interface Call {
  readonly at: number
  readonly request: PruneRequest
}

/** A port whose pieces take so long; `answer` says what the n-th call does, from 1. */
const counted = (tookMillis: number, answer: (n: number) => Effect.Effect<Pruned, StoreUnavailable>) => {
  const calls: Array<Call> = []
  const pruning = Pruning.of({
    prune: (request) =>
      Effect.gen(function* () {
        calls.push({ at: yield* Clock.currentTimeMillis, request })
        const n = calls.length
        yield* Effect.sleep(tookMillis)
        return yield* answer(n)
      }),
    countDue: () => Effect.die("nobody counts here"),
    newestPrunedEvent: Effect.succeed(0)
  })
  return { calls, pruning }
}

const run = (
  pruning: typeof Pruning.Service,
  options: RetentionRounds.RetentionRoundOptions,
  millis: number,
  logging: Layer.Layer<never> = Logger.remove(Logger.defaultLogger)
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(RetentionRounds.retain(options))
    for (let passed = 0; passed < millis; passed += 50) yield* TestClock.adjust(50)
    yield* Fiber.interrupt(fiber)
  }).pipe(
    Effect.provideService(Pruning, pruning),
    Effect.provideService(Entropy, entropyOf(7)),
    Effect.provide(Layer.merge(TestContext.TestContext, logging)),
    Effect.runPromise
  )

const onlyEvents: Retention.Retention = { ...Retention.keepAll, events: 60_000 }
const allKinds: Retention.Retention = {
  deliveries: 60_000,
  deadLetters: 60_000,
  events: 60_000,
  engagements: 60_000,
  leads: 60_000,
  suppressions: 60_000
}
const timing = { retention: onlyEvents, startMillis: 100, intervalMillis: 1000 }

describe("retain", () => {
  it("takes a tenth of the time, however much is due [RET-4]", async () => {
    const { calls, pruning } = counted(50, () =>
      Effect.succeed({ ...nothing, removed: 1, oldest: 0, next: [] })
    )
    await run(pruning, timing, 4100)
    // A piece of 50 ms, then a pause of 450 ms.
    expect(calls.length).toBeGreaterThanOrEqual(7)
    expect(calls.length).toBeLessThanOrEqual(9)
    const gaps = calls.slice(1).map(({ at }, i) => at - calls[i]!.at)
    expect(new Set(gaps)).toEqual(new Set([500]))
  })

  it("asks for what is older than the retention at the time of each piece, and goes on where the piece before ended [RET-4]", async () => {
    const { calls, pruning } = counted(0, (n) => Effect.succeed({ ...nothing, next: n < 3 ? [n] : null }))
    const rounds: Array<number> = []
    await run(pruning, { ...timing, onRound: (endedAt) => rounds.push(endedAt) }, 800)
    expect(calls.map(({ request }) => request.after)).toEqual([null, [1], [2]])
    for (const { at, request } of calls) expect(request.before).toBe(at - 60_000)
    expect(new Set(calls.map(({ request }) => request.kind))).toEqual(new Set(["events"]))
    expect(calls[0]!.request.lease).toEqual({ holder: "07".repeat(16), leaseMillis: 900_000 })
    expect(rounds).toHaveLength(1)
  })

  it("begins a round anew after a failure, and leaves it to the process that has the lease [RET-4]", async () => {
    const answers = [
      Effect.succeed({ ...nothing, removed: 2, oldest: 0, next: [1] }),
      new StoreUnavailable({ reason: "full" }),
      Effect.succeed({ ...nothing, isLeasedElsewhere: true }),
      Effect.succeed(nothing)
    ]
    const { calls, pruning } = counted(0, (n) => answers[n - 1] ?? Effect.succeed(nothing))
    const rounds: Array<number> = []
    const pieces: Array<RetentionRounds.PieceReport> = []
    await run(
      pruning,
      { ...timing, onPiece: (piece) => pieces.push(piece), onRound: (at) => rounds.push(at) },
      2500
    )
    expect(calls.map(({ request }) => request.after)).toEqual([null, [1], null, null])
    expect(calls.map(({ at }) => Math.floor(at / 1000))).toEqual([0, 0, 1, 2])
    // The failed round and the one of another do not count.
    expect(rounds.map((at) => Math.floor(at / 1000))).toEqual([2])
    expect(pieces.map(({ removed }) => removed)).toEqual([2, 0])
  })

  it("goes on after a defect of the store or of the host, and logs its name alone [RET-4, PII-2]", async () => {
    const { calls, pruning } = counted(0, (n) =>
      n === 1 ? Effect.die(new TypeError("Ada Example")) : Effect.succeed(nothing)
    )
    const logged: Array<string> = []
    let rounds = 0
    const onRound = (): void => {
      if (++rounds === 1) throw new RangeError("Ada Example")
    }
    const logger = Logger.make(({ annotations, message }) => {
      logged.push(`${String(message)}: ${String(HashMap.unsafeGet(annotations, "reason"))}`)
    })
    await run(pruning, { ...timing, onRound }, 3500, Logger.replace(Logger.defaultLogger, logger))
    expect(calls.map(({ at }) => Math.floor(at / 1000))).toEqual([0, 1, 2, 3])
    expect(rounds).toBe(3)
    expect(logged).toEqual(
      ["TypeError", "RangeError"].map(
        (name) => `pruning stopped, and goes on later: internal error (${name})`
      )
    )
  })

  it("gives each kind its turn, whatever the kinds before it meet, and tries them again in the next round [RET-4, PII-2]", async () => {
    const meets = new Map<string, Effect.Effect<Pruned, StoreUnavailable>>([
      ["deliveries", new StoreUnavailable({ reason: "damaged" })],
      ["events", Effect.die(new TypeError("Ada Example"))]
    ])
    const { calls, pruning } = counted(
      50,
      (n) => meets.get(calls[n - 1]!.request.kind) ?? Effect.succeed(nothing)
    )
    const logged: Array<unknown> = []
    const logger = Logger.make(({ annotations }) => {
      logged.push(Object.fromEntries(annotations))
    })
    const rounds: Array<number> = []
    const options = {
      ...timing,
      share: 0.5,
      retention: allKinds,
      onRound: (endedAt: number) => rounds.push(endedAt)
    }
    await run(pruning, options, 900, Logger.replace(Logger.defaultLogger, logger))
    expect(calls.map(({ request }) => request.kind)).toEqual(Retention.retentionKinds)
    expect(logged).toEqual([
      { kind: "deliveries", reason: "damaged" },
      { kind: "events", reason: "internal error (TypeError)" }
    ])
    // A piece that fails takes its share of the time, too.
    const gaps = calls.slice(1).map(({ at }, i) => at - calls[i]!.at)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
    expect(rounds).toEqual([])
    meets.clear()
    calls.length = 0
    await run(pruning, options, 900)
    expect(calls.map(({ request }) => request.kind)).toEqual(Retention.retentionKinds)
    expect(rounds).toHaveLength(1)
  })

  it("keeps what has no limit, and prunes each kind after what refers to it [RET-1, RET-4]", async () => {
    const { calls, pruning } = counted(0, () => Effect.succeed(nothing))
    await run(pruning, { ...timing, retention: { ...allKinds, leads: null } }, 800)
    expect(calls.map(({ request }) => request.kind)).toEqual([
      "deliveries",
      "deadLetters",
      "events",
      "engagements",
      "suppressions"
    ])
  })
})

describe("pruneNow", () => {
  it("prunes each kind although one fails, and then fails with what that one met [RET-4, RET-9]", async () => {
    const { calls, pruning } = counted(0, (n) =>
      n === 2 || n === 4
        ? new StoreUnavailable({ reason: `damaged ${n}` })
        : Effect.succeed({ ...nothing, removed: 1, oldest: 0 })
    )
    const pieces: Array<string> = []
    const pruned = await RetentionRounds.pruneNow(allKinds, ({ kind }) => pieces.push(kind)).pipe(
      Effect.provideService(Pruning, pruning),
      Effect.flip,
      Effect.runPromise
    )
    expect(pruned.reason).toBe("damaged 2")
    expect(calls.map(({ request }) => request.kind)).toEqual(Retention.retentionKinds)
    expect(pieces).toEqual(["deliveries", "events", "leads", "suppressions"])
  })
})
