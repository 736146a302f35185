/**
 * One simulated process: its fibers run in the kernel's scheduling steps, by a clock of its own that can be off. When it is killed
 * nothing of it runs any more, no finalizer either: what it had committed elsewhere is all that stays.
 */
import {
  Clock,
  Context,
  DefaultServices,
  Duration,
  Effect,
  type Fiber,
  FiberId,
  FiberRef,
  FiberRefs,
  HashSet,
  Logger,
  LogLevel,
  Random,
  Runtime,
  RuntimeFlags,
  type Scheduler,
  Tracer
} from "effect"
import type { Prng } from "./Prng.ts"
import { HostClock } from "./HostClock.ts"

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

/** The kernel, as far as its machines need it. */
interface MachineKernel {
  readonly now: number
  readonly stream: (label: string) => Prng
  readonly enqueue: (machine: Machine, key: object, task: () => void) => void
  readonly after: (millis: number, machine: Machine, task: () => void) => () => void
  readonly park: (machine: Machine) => void
  readonly unpark: (machine: Machine) => void
  readonly drop: (machine: Machine) => void
}

/** Hears of a line of a log, as Effect hands it to a logger. It is no part of the history: it draws no chance and takes no step. */
export type OnLogged = (line: Logger.Logger.Options<unknown>) => void

/** One simulated process, made by `Kernel.machine`. */
export class Machine {
  /** False once the machine was killed; it stays so. */
  isAlive = true
  /** True between `pause` and `resume`. */
  isPaused = false
  /** What interrupts it, and before how many more of its tasks. */
  private interruption: { tasksLeft: number; readonly interrupt: () => void } | null = null
  private readonly scheduler: Scheduler.Scheduler
  private readonly runtime: Runtime.Runtime<never>

  /** For `Kernel.machine`, which passes itself. Fibers read the time from `hostClock`, and log nothing unless somebody hears of it. */
  constructor(
    readonly kernel: MachineKernel,
    readonly name: string,
    /** Sleeping is not affected by it: that lasts as long as it lasts. */
    readonly hostClock: HostClock = new HostClock(),
    onLogged: OnLogged | null = null
  ) {
    const millis = (): number => this.hostClock.read(kernel.now)
    const monotonicNanos = (): bigint => BigInt(this.hostClock.readMonotonic(kernel.now)) * 1_000_000n
    // For jitter, never for secrets; another one after each restart.
    const random = Random.make(kernel.stream(`random of ${name} ${kernel.now}`).next32())
    this.scheduler = {
      shouldYield: () => false,
      scheduleTask: (task, _priority, fiber) => kernel.enqueue(this, fiber ?? task, task)
    }
    const clock: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: millis,
      unsafeCurrentTimeNanos: monotonicNanos,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: Effect.sync(monotonicNanos),
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          const cancel = kernel.after(Duration.toMillis(duration), this, () => resume(Effect.void))
          return Effect.sync(cancel)
        })
    }
    const services = Context.add(
      Clock.Clock,
      clock
    )(DefaultServices.liveServices).pipe(
      Context.add(Random.Random, random),
      Context.add(Tracer.Tracer, silent)
    )
    this.runtime = Runtime.make({
      ...Runtime.defaultRuntime,
      // Effect counts fibers and their lifetimes in a registry of the process, which nothing here reads.
      runtimeFlags: RuntimeFlags.disable(Runtime.defaultRuntime.runtimeFlags, RuntimeFlags.RuntimeMetrics),
      fiberRefs: [
        [DefaultServices.currentServices, services] as const,
        [
          FiberRef.currentLoggers,
          onLogged === null ? HashSet.empty() : HashSet.make(Logger.make(onLogged))
        ] as const,
        [FiberRef.currentMinimumLogLevel, onLogged === null ? LogLevel.None : LogLevel.Info] as const
      ].reduce(
        (refs, [fiberRef, value]) =>
          FiberRefs.updateAs(refs, {
            fiberId: FiberId.none,
            fiberRef: fiberRef as FiberRef.FiberRef<unknown>,
            value
          }),
        Runtime.defaultRuntime.fiberRefs
      )
    })
  }

  /**
   * Starts the work on this machine. The caller looks for its failure or defect in the fiber. The fiber begins with
   * `local` in a fiber reference: `Effect.locally` would cost as much as a small request.
   */
  fork<A, E, R = never, Value = never>(
    work: Effect.Effect<A, E, R>,
    {
      context,
      local
    }: {
      readonly context?: Context.Context<R>
      readonly local?: { readonly fiberRef: FiberRef.FiberRef<Value>; readonly value: Value }
    } = {}
  ): Fiber.RuntimeFiber<A, E> {
    const runtime = context === undefined ? this.runtime : Runtime.make({ ...this.runtime, context })
    return Runtime.runFork(runtime as Runtime.Runtime<R>)(work, {
      scheduler: this.scheduler,
      immediate: false,
      ...(local === undefined
        ? {}
        : { updateRefs: (refs, fiberId) => FiberRefs.updateAs(refs, { fiberId, ...local }) })
    })
  }

  /** Stops the machine for a while, as an overloaded host does: no task of it runs, while time goes on. */
  pause(): void {
    if (this.isPaused || !this.isAlive) return
    this.isPaused = true
    this.kernel.park(this)
  }

  /** Lets it go on after `pause`; what became due meanwhile is due now. No effect on a machine that is not paused. */
  resume(): void {
    if (!this.isPaused) return
    this.isPaused = false
    this.kernel.unpark(this)
  }

  /**
   * Lets so many more of the machine's tasks run, and calls `interrupt` in the place of the next one; null calls that
   * off.
   */
  interruptAfter(tasks: number, interrupt: (() => void) | null): void {
    this.interruption = interrupt === null ? null : { tasksLeft: tasks, interrupt }
  }

  /** For the kernel, before each task: whether the task may still run. */
  mayRun(): boolean {
    const { interruption } = this
    if (interruption === null || interruption.tasksLeft-- > 0) return true
    this.interruption = null
    interruption.interrupt()
    return this.isAlive && !this.isPaused
  }

  /** Ends it at once: no task of it runs any more. A second call has no effect. */
  kill(): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.kernel.drop(this)
  }
}
