import {
  firstDivergence,
  HostClock,
  Kernel,
  type Machine,
  Picker,
  Prng,
  isolated,
  virtualised
} from "@lead-signals/simulation-kernel"
import { Deferred, Duration, Effect, Fiber, Queue, Random, Ref, Schedule } from "effect"
import { describe, expect, it } from "vitest"

const startsAt = Date.UTC(2026, 0, 5, 10)
const day = 86_400_000

const run = <A>(seed: number, work: (kernel: Kernel, machine: Machine) => A, picker?: Picker.Picker): A => {
  const kernel = new Kernel({ seed, startsAt, ...(picker === undefined ? {} : { picker }) })
  return isolated(
    kernel.stream("sealed"),
    () => kernel.now,
    () => work(kernel, kernel.machine("m"))
  )
}

/** Five fibers that step on each other's toes: the order in which they do is the history. */
const crowd = (kernel: Kernel, machine: Machine) => {
  for (const name of ["a", "b", "c", "d", "e"]) {
    machine.fork(
      Effect.forEach(
        [1, 2, 3, 4],
        (n) =>
          Effect.sync(() => kernel.record(name, "step", { n })).pipe(
            Effect.zipRight(n % 2 === 0 ? Effect.sleep(10) : Effect.yieldNow())
          ),
        { discard: true }
      )
    )
  }
  kernel.run({ until: startsAt + day })
  return kernel.trace.digest()
}

describe("the kernel", () => {
  it("has one history for a seed, and another for another", () => {
    const digests = Array.from({ length: 200 }, (_, seed) => run(seed, crowd))
    expect(digests).toEqual(Array.from({ length: 200 }, (_, seed) => run(seed, crowd)))
    expect(new Set(digests).size).toBeGreaterThan(150)
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it("calls it stalled when more happens at one instant than there may", () => {
    const endOf = (maxStepsAtInstant: number) => {
      const kernel = new Kernel({ seed: 1, startsAt, maxStepsAtInstant })
      return isolated(
        kernel.stream("sealed"),
        () => kernel.now,
        () => {
          const machine = kernel.machine("m")
          let done = 0
          for (let i = 0; i < 100; i++) machine.fork(Effect.sync(() => done++))
          return kernel.run({ until: startsAt + day, isDone: () => done === 100 })
        }
      )
    }
    expect([endOf(50), endOf(200)]).toEqual(["stalled", "done"])
  })

  it("interrupts a process before any task of its work, and lets nothing of it run after that", () => {
    const tasksRun = (interruptAt: number | null) =>
      run(1, (kernel, machine) => {
        if (interruptAt !== null) machine.interruptAfter(interruptAt, () => machine.kill())
        crowd(kernel, machine)
        return { history: kernel.trace.events.map(({ party }) => party).join(""), steps: kernel.steps }
      })
    const whole = tasksRun(null)
    for (let steps = 0; steps < whole.steps; steps++) {
      const cut = tasksRun(steps)
      expect(cut.steps).toBe(steps)
      expect(whole.history.startsWith(cut.history)).toBe(true)
    }
    expect(tasksRun(whole.steps)).toEqual(whole)
  })

  it("can be given the picks that were noted, and then has the same history", () => {
    for (let seed = 0; seed < 50; seed++) {
      const picks = new Map<number, number>()
      const recorded = run(seed, crowd, Picker.recorded(Picker.random(Prng.of(seed, "picker")), picks))
      expect(picks.size).toBeGreaterThan(0)
      expect(run(seed, crowd, Picker.scripted(picks))).toBe(recorded)
    }
    expect(run(1, crowd, Picker.scripted(new Map()))).toBe(run(1, crowd, Picker.fifo))
  })

  it("says at which event two histories part", () => {
    const traceOf = (n: number) =>
      run(1, (kernel, machine) => {
        machine.fork(
          Effect.forEach([1, 2, n], (each) => Effect.sync(() => kernel.record("m", "said", { each })), {
            discard: true
          })
        )
        kernel.run({ until: startsAt + 1 })
        return kernel.trace.events
      })
    expect(firstDivergence(traceOf(3), traceOf(3))).toBeNull()
    expect(firstDivergence(traceOf(3), traceOf(4))).toBe(2)
    expect(firstDivergence(traceOf(3), traceOf(3).slice(0, 2))).toBe(2)
  })

  it("lets weeks pass in no time, each sleeper at its instant", () =>
    run(3, (kernel, machine) => {
      const woken: Array<number> = []
      for (const days of [40, 1, 7]) {
        machine.fork(
          Effect.sleep(Duration.days(days)).pipe(
            Effect.zipRight(Effect.clockWith((clock) => clock.currentTimeMillis)),
            Effect.tap((millis) => Effect.sync(() => woken.push((millis - startsAt) / day)))
          )
        )
      }
      expect(kernel.run({ until: startsAt + 50 * day })).toBe("stalled")
      expect(woken).toEqual([1, 7, 40])
      expect(kernel.now).toBe(startsAt + 50 * day)
    }))

  it("stops at the horizon, when what is waited for holds, and after so many steps", () =>
    run(4, (kernel, machine) => {
      let ticks = 0
      machine.fork(
        Effect.repeat(
          Effect.sync(() => ticks++),
          Schedule.spaced(1000)
        )
      )
      expect(kernel.run({ until: startsAt + 10_000 })).toBe("horizon")
      expect(ticks).toBe(11)
      expect(kernel.run({ until: startsAt + day, isDone: () => ticks === 20 })).toBe("done")
      expect(kernel.now).toBe(startsAt + 19_000)
      expect(kernel.run({ until: startsAt + day, maxSteps: 5 })).toBe("steps")
    }))

  it("calls it stalled when work at one instant has no end", () =>
    run(4, (kernel, machine) => {
      machine.fork(Effect.forever(Effect.yieldNow()))
      expect(kernel.run({ until: startsAt + day })).toBe("stalled")
      expect(kernel.now).toBe(startsAt)
    }))

  it("runs what Effect has: queues, races, retries, time-outs, random numbers from the seed", () => {
    const work = Effect.gen(function* () {
      const queue = yield* Queue.bounded<number>(2)
      const done = yield* Deferred.make<number>()
      const seen = yield* Ref.make<Array<number>>([])
      const consumer = yield* Effect.fork(
        Effect.forever(
          Effect.flatMap(Queue.take(queue), (n) =>
            n < 0 ? Deferred.succeed(done, n) : Ref.update(seen, (all) => [...all, n])
          )
        )
      )
      for (let n = 0; n < 5; n++) yield* Queue.offer(queue, n)
      yield* Queue.offer(queue, -1)
      yield* Deferred.await(done)
      yield* Fiber.interrupt(consumer)
      const raced = yield* Effect.race(
        Effect.as(Effect.sleep("2 hours"), "slow"),
        Effect.as(Effect.sleep("1 hour"), "fast")
      )
      const late = yield* Effect.timeoutOption(Effect.never, "3 days")
      let tries = 0
      yield* Effect.retry(
        Effect.suspend(() => (++tries < 4 ? Effect.fail("no") : Effect.void)),
        Schedule.jittered(Schedule.exponential("1 minute"))
      )
      return {
        seen: yield* Ref.get(seen),
        raced,
        late: late._tag,
        tries,
        drawn: yield* Random.nextIntBetween(0, 1e9)
      }
    })
    const outcome = (seed: number) =>
      run(seed, (kernel, machine) => {
        let result: unknown
        machine.fork(Effect.map(work, (found) => (result = found)))
        expect(kernel.run({ until: startsAt + 30 * day })).toBe("stalled")
        return result
      })
    expect(outcome(5)).toMatchObject({ seen: [0, 1, 2, 3, 4], raced: "fast", late: "None", tries: 4 })
    expect(outcome(5)).toEqual(outcome(5))
    expect(outcome(5)).not.toEqual(outcome(6))
  })

  it("finds a lost update that the order of a host never shows", () => {
    const lost = (picker?: (prng: Prng) => Picker.Picker): number =>
      Array.from({ length: 100 }, (_, seed) =>
        run(
          seed,
          (kernel, machine) => {
            let balance = 0
            for (const wait of [0, 1]) {
              machine.fork(
                Effect.gen(function* () {
                  for (let i = 0; i < wait * 3; i++) yield* Effect.yieldNow()
                  const read = balance
                  yield* Effect.yieldNow()
                  balance = read + 1
                })
              )
            }
            kernel.run({ until: startsAt + 1 })
            return balance
          },
          picker?.(Prng.of(seed, "picker"))
        )
      ).filter((balance) => balance !== 2).length
    expect(lost(() => Picker.fifo)).toBe(0)
    expect(lost(Picker.random)).toBeGreaterThan(5)
    expect(lost((prng) => Picker.pct(prng, 3))).toBeGreaterThan(0)
    expect(lost()).toBeGreaterThan(5)
  })
})

describe("a machine", () => {
  it("that is killed does nothing more: no finalizer, no timer, no step; another goes on", () =>
    run(7, (kernel, machine) => {
      const seen: Array<string> = []
      const say = (text: string) => Effect.sync(() => seen.push(text))
      machine.fork(Effect.sleep(1000).pipe(Effect.zipRight(say("woken")), Effect.ensuring(say("finalizer"))))
      machine.fork(Effect.forever(Effect.zipRight(say("step"), Effect.sleep(100))))
      const other = kernel.machine("other")
      other.fork(Effect.sleep(2000).pipe(Effect.zipRight(say("other"))))
      kernel.run({ until: startsAt + 350 })
      machine.kill()
      machine.kill()
      machine.fork(say("after its end"))
      expect(kernel.run({ until: startsAt + day })).toBe("stalled")
      expect(seen).toEqual(["step", "step", "step", "step", "other"])
    }))

  it("has a clock of its own, by which nobody sleeps", () =>
    run(8, (kernel, machine) => {
      machine.hostClock.step(-3_600_000)
      let read = 0
      machine.fork(
        Effect.sleep(60_000).pipe(
          Effect.zipRight(Effect.clockWith((clock) => clock.currentTimeMillis)),
          Effect.map((millis) => (read = millis))
        )
      )
      kernel.run({ until: startsAt + day })
      expect(read).toBe(startsAt + 60_000 - 3_600_000)
    }))

  it("whose clock goes wrong gains or loses with the time, and keeps what it gained when it is set right", () => {
    const clock = new HostClock()
    clock.drift(0.02, 1_000_000)
    expect(clock.read(1_100_000)).toBe(1_102_000)
    clock.drift(-0.02, 1_100_000)
    expect(clock.read(1_200_000)).toBe(1_200_000)
    clock.drift(0, 1_150_000)
    clock.step(-5)
    expect(clock.read(2_000_000)).toBe(2_000_995)
  })

  it("has a monotonic clock, too, which drifts with the other, and which no step moves", () =>
    run(8, (kernel, machine) => {
      const { hostClock } = machine
      const read: Array<readonly [millis: number, monotonic: number]> = []
      const look = Effect.clockWith((clock) =>
        Effect.sync(() => {
          const monotonic = Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
          read.push([clock.unsafeCurrentTimeMillis() - startsAt, monotonic - startsAt])
        })
      )
      machine.fork(look)
      kernel.after(1000, machine, () => {
        hostClock.step(-3_600_000)
        hostClock.drift(0.02, kernel.now)
      })
      kernel.after(1500, machine, () => hostClock.step(5))
      kernel.after(2000, machine, () => machine.fork(look))
      kernel.run({ until: startsAt + 3000 })
      expect(read).toEqual([
        [0, 0],
        [2020 - 3_600_000 + 5, 2020]
      ])
    }))

  it("that is paused does nothing, and then all that came due meanwhile", () =>
    run(8, (kernel, machine) => {
      const instants: Array<number> = []
      const at = Effect.sync(() => instants.push(kernel.now - startsAt))
      machine.fork(Effect.repeat(at, { times: 3, schedule: Schedule.spaced(100) }))
      const other = kernel.machine("other")
      kernel.run({ until: startsAt + 150 })
      machine.pause()
      machine.pause()
      other.fork(Effect.zipRight(at, Effect.sleep(1)))
      kernel.after(850, other, () => machine.resume())
      expect(kernel.run({ until: startsAt + day })).toBe("stalled")
      // Its sleep was over at 200; nobody notified it before it was resumed.
      expect(instants).toEqual([0, 100, 150, 1000, 1100])
      machine.pause()
      machine.kill()
      machine.resume()
      expect(kernel.run({ until: startsAt + 2 * day })).toBe("stalled")
    }))

  it("that waits for the host is found: a promise stalls it, a real timer is an error", () =>
    run(9, (kernel, machine) => {
      let after = false
      machine.fork(
        Effect.map(
          Effect.promise(() => Promise.resolve(1)),
          () => (after = true)
        )
      )
      expect(kernel.run({ until: startsAt + day, isDone: () => after })).toBe("stalled")
      expect(() => setTimeout(() => {}, 1)).toThrow("time must come from Clock")
      expect(() => setInterval(() => {}, 1)).toThrow("time must come from Clock")
    }))

  it("takes what delays a timer as Node does, also what is no number or is too long", async () => {
    const waits: Array<number> = []
    const timers = {
      now: () => startsAt,
      after: (millis: number) => {
        waits.push(millis)
        return () => {}
      }
    }
    await virtualised(Prng.of(1, "timers"), timers, async () => {
      for (const millis of [5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3e9, "7"])
        setTimeout(() => {}, millis as number)
    })
    expect(waits).toEqual([5, 0, 0, 0, 1, 1, 7])
  })

  it("leaves the host as it was", () => {
    const before = [setTimeout, setInterval, setImmediate, Math.random, Date.now]
    expect(() =>
      run(10, () => {
        throw new Error("planted")
      })
    ).toThrow("planted")
    expect([setTimeout, setInterval, setImmediate, Math.random, Date.now]).toEqual(before)
  })
})
