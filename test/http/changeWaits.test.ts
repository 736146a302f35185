/** How requests for changes wait, by a clock of the test: who looks, from where, and what each is told. */
import { ChangeWaitLimits } from "@lead-signals/http"
import { ChangeWaits } from "@lead-signals/http/internal"
import { Deferred, Effect, Exit, Fiber, Scheduler, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { settableWallClock } from "../harness/SettableWallClock.ts"

const limits = ChangeWaitLimits.defaultValue()

/** A brand with a change at each of these positions. What is seen is the last position, and how many changes there were. */
interface Seen {
  readonly position: number
  readonly changes: number
}

const worldOf = (waitLimits = limits) => {
  const world = {
    changes: [] as Array<number>,
    /** Where looks of all and of one began. */
    peeks: [] as Array<number>,
    looks: [] as Array<number>,
    isDraining: false,
    hasKey: true,
    failing: null as string | null,
    /** The next look of all answers what there is when it begins, and not before this is done. */
    held: null as Deferred.Deferred<void> | null
  }
  const waits = new ChangeWaits(waitLimits, { isDraining: Effect.sync(() => world.isDraining) })
  const read = (from: number): Effect.Effect<Seen, string> =>
    Effect.suspend(() => {
      if (world.failing !== null) return Effect.fail(world.failing)
      const found = world.changes.filter((position) => position > from)
      return Effect.succeed({ position: Math.max(from, ...found), changes: found.length })
    })
  const wait = (position: number, seconds = 30, brandId = "1") =>
    waits.until({ position, changes: 0 } as Seen, {
      keyId: `key of ${position}`,
      brandId,
      seconds,
      isWorth: ({ changes }) => changes > 0,
      positionOf: (seen) => seen.position,
      look: (seen) => {
        world.looks.push(seen.position)
        return read(seen.position)
      },
      peek: (seen) =>
        Effect.gen(function* () {
          world.peeks.push(seen.position)
          const found = yield* read(seen.position)
          if (world.held !== null) yield* Deferred.await(world.held)
          return found
        }),
      checkKey: Effect.suspend(() => (world.hasKey ? Effect.void : Effect.fail("no key")))
    })
  return { world, wait }
}

/** Lets a fiber be interrupted between this step and the next, from 1. */
const yieldingOnceAt = (step: number): Scheduler.Scheduler => {
  let steps = 0
  return {
    shouldYield: () => (++steps === step ? 0 : false),
    scheduleTask: (task, priority) => Scheduler.defaultScheduler.scheduleTask(task, priority)
  }
}

/** What is awaited comes at once, or never. */
const run = <A, E>(work: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.timeout(Effect.provide(work, TestContext.TestContext), "30 seconds"))

it("looks from the lowest position of those that wait for a brand, and tells each what it has not seen [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const { wait, world } = worldOf()
      const high = yield* Effect.fork(wait(7))
      yield* TestClock.adjust("100 millis")
      // It looked before the change at 6 was committed, which the other has seen.
      const low = yield* Effect.fork(wait(5))
      world.changes = [6]
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(low)).toEqual({ position: 6, changes: 1 })
      expect(world.peeks).toEqual([5])
      expect(high.unsafePoll()).toBeNull()
      world.changes = [6, 8]
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(high)).toEqual({ position: 8, changes: 1 })
      expect(world.peeks.at(-1)).toBe(7)
    })
  ))

it("does not pass over what a request waits for that came during a look [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const { wait, world } = worldOf()
      const high = yield* Effect.fork(wait(7))
      yield* TestClock.adjust("400 millis")
      world.held = yield* Deferred.make<void>()
      yield* TestClock.adjust("100 millis")
      // The look from 7 is under way.
      const low = yield* Effect.fork(wait(5))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(world.held, undefined)
      world.held = null
      world.changes = [6]
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(low)).toEqual({ position: 6, changes: 1 })
      expect(world.peeks).toEqual([7, 5])
      yield* Fiber.interrupt(high)
    })
  ))

it("gives the place of a request back wherever it is interrupted [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const { wait } = worldOf({ ...limits, maxPerKey: 1 })
      for (let step = 1; step < 30; step++) {
        const interrupted = yield* Effect.fork(Effect.withScheduler(wait(1), yieldingOnceAt(step)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(interrupted)
      }
      const waiting = yield* Effect.fork(wait(1))
      yield* TestClock.adjust("400 millis")
      expect(waiting.unsafePoll()).toBeNull()
      yield* Fiber.interrupt(waiting)
    })
  ))

it("goes on from what it has seen, and looks for nobody when all have gone [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const { wait, world } = worldOf()
      const first = yield* Effect.fork(wait(1))
      yield* TestClock.adjust("500 millis")
      const second = yield* Effect.fork(wait(1))
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("500 millis")
      expect(world.peeks).toEqual([1, 1])
      yield* Fiber.interrupt(second)
      yield* TestClock.adjust("10 seconds")
      expect(world.peeks).toEqual([1, 1])
      const third = yield* Effect.fork(wait(1))
      world.changes = [2]
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(third)).toEqual({ position: 2, changes: 1 })
    })
  ))

it("answers what there is when the time is over, and looks at each brand by itself [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const { wait, world } = worldOf()
      const [one, two] = [yield* Effect.fork(wait(1, 2)), yield* Effect.fork(wait(3, 30, "2"))]
      yield* TestClock.adjust("1999 millis")
      expect(one.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(one)).toEqual({ position: 1, changes: 0 })
      expect(world.looks).toEqual([1])
      expect(world.peeks.filter((position) => position === 3)).toHaveLength(4)
      yield* TestClock.adjust("28 seconds")
      expect(yield* Fiber.join(two)).toEqual({ position: 3, changes: 0 })
    })
  ))

it("ends when its time is over, also where the machine's clock is set back meanwhile [CHG-6]", async () => {
  const clock = settableWallClock()
  const { wait } = worldOf()
  const waiting = Effect.gen(function* () {
    const request = yield* Effect.fork(wait(1, 0.1))
    yield* Effect.yieldNow()
    clock.set(-3_600_000)
    return yield* Fiber.join(request)
  })
  expect(await Effect.runPromise(Effect.withClock(waiting, clock.clock))).toEqual({ position: 1, changes: 0 })
})

it("ends with the server, with the key within two seconds, and with the store [CHG-6]", () =>
  run(
    Effect.gen(function* () {
      const drained = worldOf()
      const draining = yield* Effect.fork(drained.wait(1))
      yield* TestClock.adjust("1 second")
      drained.world.isDraining = true
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(draining)).toEqual({ position: 1, changes: 0 })
      const revoked = worldOf()
      const keyless = yield* Effect.fork(revoked.wait(1))
      yield* TestClock.adjust("1501 millis")
      revoked.world.hasKey = false
      yield* TestClock.adjust("1500 millis")
      expect(yield* Fiber.await(keyless)).toEqual(Exit.fail("no key"))
      const failed = worldOf()
      const failing = yield* Effect.fork(failed.wait(1))
      failed.world.failing = "no store"
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.await(failing)).toEqual(Exit.fail("no store"))
    })
  ))
