/** The audit log's own retention: what goes, when, and after a failure. */
import { AuditLog, AuditRetention, StoreUnavailable } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { Clock, Effect, Fiber, Layer, Logger, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"

const day = 86_400_000

const append = (at: number) =>
  Effect.flatMap(AuditLog, (log) =>
    log.append({
      at,
      actor: { type: "environment", id: null },
      viaSession: false,
      operation: "createBrand",
      brandId: null,
      subjectId: null,
      status: 201
    })
  )

const times = Effect.flatMap(AuditLog, (log) =>
  Effect.map(log.list({ brandIds: null, since: null, after: null, limit: 10_000 }), (found) =>
    found.map(({ at }) => at).sort((a, b) => a - b)
  )
)

const run = <A, E>(work: Effect.Effect<A, E, AuditLog>) =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(MemoryStore.layer),
      Effect.provide(TestContext.TestContext),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )

describe("the audit log", () => {
  it("loses entries when their retention is over, in pieces, and every hour again [AUD-5]", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(10 * day)
        for (let i = 0; i < AuditRetention.pieceSize + 1; i++) yield* append(1)
        yield* append(9 * day)
        yield* append(10 * day)
        const fiber = yield* Effect.fork(AuditRetention.retain(2 * day))
        yield* TestClock.adjust(1)
        expect(yield* times).toEqual([9 * day, 10 * day])
        yield* TestClock.adjust(day + 3_599_998)
        expect(yield* times).toEqual([9 * day, 10 * day])
        yield* TestClock.adjust(1)
        expect(yield* times).toEqual([10 * day])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("is kept for ever when its retention says so, and pruned again after a failure and a defect [AUD-5]", () =>
    run(
      Effect.gen(function* () {
        const log = yield* AuditLog
        let meets: "a failure" | "a defect" | "nothing" = "a failure"
        const failing = Layer.succeed(AuditLog, {
          ...log,
          prune: (due) =>
            Effect.suspend(() => {
              if (meets === "a defect") throw new TypeError("test")
              return meets === "a failure" ? new StoreUnavailable({ reason: "test" }) : log.prune(due)
            })
        })
        yield* append(1)
        yield* TestClock.setTime(1000 * day)
        const keeping = yield* Effect.fork(AuditRetention.retain(null))
        const pruning = yield* Effect.fork(Effect.provide(AuditRetention.retain(day), failing))
        yield* TestClock.adjust(1)
        expect(yield* times).toEqual([1])
        meets = "a defect"
        yield* TestClock.adjust(3_600_000)
        expect(yield* times).toEqual([1])
        meets = "nothing"
        yield* TestClock.adjust(3_600_000)
        expect(yield* times).toEqual([])
        expect(yield* Clock.currentTimeMillis).toBe(1000 * day + 7_200_001)
        yield* Fiber.interruptAll([keeping, pruning])
      })
    ))
})
