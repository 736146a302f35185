/** When a read by an API key is entered in the audit log again, by a clock of the test. */
import { type ApiKey, AuditLog, StoreUnavailable } from "@lead-signals/domain"
import { KeyReads } from "@lead-signals/http/internal"
import { Deferred, Effect, Fiber, Logger, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"

const key = { id: "1", brandId: "2" } as ApiKey

/** Notes a read at each of the times, in milliseconds, while the log can be written or not, and answers when entries were made. */
const enteredAt = (reads: ReadonlyArray<readonly [at: number, canWrite: boolean]>) => {
  const entered: Array<number> = []
  let isBroken = false
  const unused = () => Effect.die("no part of this test")
  const log = AuditLog.of({
    append: ({ at }) =>
      isBroken
        ? Effect.fail(new StoreUnavailable({ reason: "full disk" }))
        : Effect.sync(() => String(entered.push(at))),
    complete: unused,
    list: unused,
    prune: unused
  })
  const keyReads = new KeyReads()
  return Effect.gen(function* () {
    for (const [at, canWrite] of reads) {
      yield* TestClock.setTime(at)
      isBroken = !canWrite
      if (keyReads.isDue(key, "listLeads", at)) yield* keyReads.note(key, "listLeads")
    }
    return entered
  }).pipe(
    Effect.provideService(AuditLog, log),
    Effect.provide(Logger.remove(Logger.defaultLogger)),
    Effect.provide(TestContext.TestContext),
    Effect.runPromise
  )
}

const day = 86_400_000

it("is entered once in a UTC day [AUD-8]", async () => {
  const reads = [day, day + 1, 2 * day - 1, 2 * day, 2 * day + 60_000].map((at) => [at, true] as const)
  expect(await enteredAt(reads)).toEqual([day, 2 * day])
})

it("is tried again after a minute, and no sooner, where it could not be written [AUD-8]", async () => {
  const refused = [day, false] as const
  expect(
    await enteredAt([refused, [day, true]]),
    "a read at the instant of the one that could not be entered"
  ).toEqual([])
  expect(await enteredAt([refused, [day + 59_999, true]])).toEqual([])
  expect(await enteredAt([refused, [day + 60_000, true], [day + 120_000, true]])).toEqual([day + 60_000])
})

it("stays entered where the entry of the day before fails after it [AUD-8]", async () => {
  const entered: Array<number> = []
  const unused = () => Effect.die("no part of this test")
  const keyReads = new KeyReads()
  await Effect.gen(function* () {
    const ending = yield* Deferred.make<never, StoreUnavailable>()
    const log = AuditLog.of({
      append: ({ at }) =>
        at < 2 * day ? Deferred.await(ending) : Effect.sync(() => String(entered.push(at))),
      complete: unused,
      list: unused,
      prune: unused
    })
    const note = Effect.provideService(keyReads.note(key, "listLeads"), AuditLog, log)
    yield* TestClock.setTime(2 * day - 1)
    const slow = yield* Effect.fork(note)
    yield* Effect.yieldNow()
    yield* TestClock.setTime(2 * day)
    yield* note
    yield* Deferred.fail(ending, new StoreUnavailable({ reason: "full disk" }))
    yield* Fiber.join(slow)
    yield* TestClock.setTime(2 * day + 60_000)
    yield* note
  }).pipe(
    Effect.provide(Logger.remove(Logger.defaultLogger)),
    Effect.provide(TestContext.TestContext),
    Effect.runPromise
  )
  expect(entered).toEqual([2 * day])
})
