/**
 * One simulated process: its fibers run on the kernel's turns, by a clock of its own that can be off. When it is killed
 * nothing of it runs any more, no finalizer either: what it had committed elsewhere is all that stays.
 */
import { Clock, Duration, Effect, type Fiber, Logger, Random, Runtime, type Scheduler, Tracer } from "effect"
import type { Kernel } from "./Kernel.ts"

const silent = Tracer.make({
  span: (name, parent, context, links, startTime, kind) => ({
    _tag: "Span",
    name,
    parent,
    context,
    links: [...links],
    kind,
    spanId: "simulated",
    traceId: "simulated",
    sampled: false,
    status: { _tag: "Started", startTime },
    attributes: new Map(),
    attribute: () => {},
    event: () => {},
    end: () => {},
    addLinks: () => {}
  }),
  context: (run) => run()
})

export class Machine {
  isAlive = true
  /** How far its clock is off, in milliseconds. Sleeping is not affected: it lasts as long as it lasts. */
  clockOffset = 0
  private readonly scheduler: Scheduler.Scheduler
  private readonly clock: Clock.Clock
  private readonly random: Random.Random
  private readonly onKill: Array<() => void> = []

  constructor(
    readonly kernel: Kernel,
    readonly name: string
  ) {
    const millis = (): number => kernel.now + this.clockOffset
    // For jitter, never for secrets; another one after each restart.
    this.random = Random.make(kernel.stream(`random of ${name} ${kernel.steps}`).next32())
    this.scheduler = {
      shouldYield: () => false,
      scheduleTask: (task, _priority, fiber) => kernel.enqueue(this, fiber ?? task, task)
    }
    this.clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: millis,
      unsafeCurrentTimeNanos: () => BigInt(millis()) * 1_000_000n,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          const cancel = kernel.after(Duration.toMillis(duration), this, () => resume(Effect.void))
          return Effect.sync(cancel)
        })
    }
  }

  /** Starts the work on this machine's turns. A defect or a failure of it is the caller's to look for. */
  fork<A, E>(work: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> {
    return Runtime.runFork(Runtime.defaultRuntime)(
      work.pipe(
        Effect.provide(Logger.remove(Logger.defaultLogger)),
        Effect.withTracer(silent),
        Effect.withRandom(this.random),
        Effect.withClock(this.clock)
      ),
      { scheduler: this.scheduler, immediate: false }
    )
  }

  /** Calls back when the machine is killed: those who wait for an answer of it get none. */
  whenKilled(callback: () => void): () => void {
    this.onKill.push(callback)
    return () => {
      const at = this.onKill.indexOf(callback)
      if (at >= 0) this.onKill.splice(at, 1)
    }
  }

  kill(): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.kernel.drop(this)
    for (const callback of this.onKill.splice(0)) callback()
  }
}
