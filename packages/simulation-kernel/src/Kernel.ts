/**
 * Time and scheduling of a simulation. Everything that happens is a task of a machine, in the lane of the fiber that it belongs
 * to; the picker says which lane goes on, and when none can, time moves to the next timer. A whole run is one synchronous
 * turn of JavaScript: nothing outside can reach its history.
 */
import { Prng } from "./Prng.ts"
import { Heap } from "./Heap.ts"
import type { HostClock } from "./HostClock.ts"
import { Machine, type OnLogged } from "./Machine.ts"
import { ofSeed, type Picker } from "./Picker.ts"
import { Trace, type TraceValue } from "./Trace.ts"

type Task = () => void

/** The bound of work at one instant: more than this may never end. A caller with more work says how much there may be. */
const defaultStepsAtInstant = 50_000

/** A key holds its lane itself: no table keeps ended fibers. */
const laneOf = Symbol("lane")

interface LaneKey {
  [laneOf]?: Lane | undefined
}

interface Lane {
  readonly lane: number
  readonly machine: Machine
  readonly key: LaneKey
  readonly tasks: Array<Task>
}

interface Timer extends LaneKey {
  readonly at: number
  readonly seq: number
  readonly machine: Machine
  /** Null once it was called off: it stays in the heap until it would be due, and must not hold a fiber for so long. */
  task: Task | null
}

/**
 * How a run ended. `done`: the condition held. `horizon`: the time was up. `steps`: so many tasks ran. `stalled`:
 * nothing could go on, or everything went on without an end and without time passing.
 */
export type Ended = "done" | "horizon" | "stalled" | "steps"

/** Until the condition holds, or the horizon: a virtual time, past which nothing runs, or so many tasks. */
export interface RunLimits {
  readonly until: number
  readonly isDone?: () => boolean
  readonly maxSteps?: number
}

/** The options of a kernel. The same options and the same work give the same run. */
export interface KernelOptions {
  /** The number that every draw of the run comes from, a safe integer. */
  readonly seed: number
  /** The virtual time at which the run begins, in milliseconds since 1970. */
  readonly startsAt: number
  /** The choice of the fiber that goes on; drawn from the seed unless given. */
  readonly picker?: Picker
  /** Tasks that may run at one instant before the run is `stalled`, 50,000 unless given. */
  readonly maxStepsAtInstant?: number
}

/** The scheduler and the clock of one run. */
export class Kernel {
  /** The history of the run so far. */
  readonly trace = new Trace()
  /** The number that every draw of the run comes from. */
  readonly seed: number
  /** How many tasks have run. */
  steps = 0
  /** The true time of the run, in milliseconds since 1970. Each machine's own clock can be off. */
  now: number
  private readonly startsAt: number
  private readonly picker: Picker
  private readonly runnable: Array<Lane> = []
  /** What machines that are stopped would do. */
  private parked: Array<Lane> = []
  private readonly timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.seq < b.seq))
  private stepsAtInstant = 0
  private readonly maxStepsAtInstant: number
  private laneCount = 0
  private timerCount = 0

  /** A kernel at `startsAt` with nothing to do: `machine` makes the processes that run in it. */
  constructor({ maxStepsAtInstant, picker, seed, startsAt }: KernelOptions) {
    this.maxStepsAtInstant = maxStepsAtInstant ?? defaultStepsAtInstant
    this.seed = seed
    this.startsAt = startsAt
    this.now = startsAt
    this.picker = picker ?? ofSeed(this.stream("scheduling"))
  }

  /** The random numbers of one purpose. Drawing more for one purpose does not change those of another. */
  stream(label: string): Prng {
    return Prng.of(this.seed, label)
  }

  /** Makes a process, with its own clock or one that is always right; `onLogged` hears of each line that it logs at level `Info` and above. */
  machine(name: string, clock?: HostClock, onLogged?: OnLogged): Machine {
    return new Machine(this, name, clock, onLogged)
  }

  /** Adds an event to the trace, at the present virtual time. Nothing in it may differ between machines. */
  record(party: string, kind: string, fields: Readonly<Record<string, TraceValue>> = {}): void {
    this.trace.record({ at: this.now - this.startsAt, party, kind, fields })
  }

  /** Queues a task in the lane of the key; drops it when the machine was killed. */
  enqueue(machine: Machine, key: LaneKey, task: Task): void {
    if (!machine.isAlive) return
    const known = key[laneOf]
    if (known !== undefined) {
      known.tasks.push(task)
      return
    }
    const lane: Lane = { lane: ++this.laneCount, machine, key, tasks: [task] }
    key[laneOf] = lane
    if (machine.isPaused) this.parked.push(lane)
    else this.runnable.push(lane)
  }

  /** Runs the task in so many milliseconds, if the machine is alive then; answers a function that calls it off. */
  after(millis: number, machine: Machine, task: Task): () => void {
    const at = this.now + Math.max(0, Math.ceil(millis))
    const timer: Timer = { at, seq: ++this.timerCount, machine, task, [laneOf]: undefined }
    this.timers.push(timer)
    return () => {
      timer.task = null
    }
  }

  /** Removes the machine's tasks from the lanes; its timers do nothing when they are due. */
  drop(machine: Machine): void {
    for (const lanes of [this.runnable, this.parked]) {
      for (let i = lanes.length - 1; i >= 0; i--) {
        const lane = lanes[i]!
        if (lane.machine !== machine) continue
        lanes.splice(i, 1)
        lane.key[laneOf] = undefined
      }
    }
  }

  /** Holds the machine's tasks, and what becomes due meanwhile, until it is resumed. */
  park(machine: Machine): void {
    for (let i = 0; i < this.runnable.length;) {
      if (this.runnable[i]!.machine === machine) this.parked.push(...this.runnable.splice(i, 1))
      else i++
    }
  }

  /** Lets what waited in `park` run again, after what is runnable already. */
  unpark(machine: Machine): void {
    this.runnable.push(...this.parked.filter((lane) => lane.machine === machine))
    this.parked = this.parked.filter((lane) => lane.machine !== machine)
  }

  /** One task of one lane; false when there is none. */
  private step(): boolean {
    if (this.runnable.length === 0) return false
    const index = this.runnable.length === 1 ? 0 : this.picker.pick(this.runnable)
    const lane = this.runnable[index]!
    if (!lane.machine.mayRun()) return true
    const task = lane.tasks.shift()!
    if (lane.tasks.length === 0) {
      this.runnable.splice(index, 1)
      lane.key[laneOf] = undefined
    }
    this.steps++
    this.stepsAtInstant++
    task()
    return true
  }

  /** Moves to the next instant at which a timer is due, and lets all of that instant loose; false when there is none. */
  private advance(until: number): boolean {
    for (let next = this.timers.peek(); next !== undefined; next = this.timers.peek()) {
      if (next.task !== null && next.machine.isAlive) break
      this.timers.pop()
    }
    const first = this.timers.peek()
    if (first === undefined || first.at > until) return false
    if (first.at > this.now) this.stepsAtInstant = 0
    this.now = first.at
    for (let next = this.timers.peek(); next?.at === this.now; next = this.timers.peek()) {
      const timer = this.timers.pop()!
      // Each in a lane of its own: which of those due at once goes first is the picker's.
      if (timer.task !== null) this.enqueue(timer.machine, timer, timer.task)
    }
    return true
  }

  /**
   * Runs tasks until `isDone` holds, which it asks after every task, until `maxSteps` tasks have run, or until
   * the virtual time `until`: nothing runs past it, and the clock then stands there.
   */
  run({ maxSteps = Number.POSITIVE_INFINITY, isDone = () => false, until }: RunLimits): Ended {
    const lastStep = this.steps + maxSteps
    for (;;) {
      if (isDone()) return "done"
      if (this.steps >= lastStep) return "steps"
      if (this.stepsAtInstant > this.maxStepsAtInstant) return "stalled"
      if (this.step() || this.advance(until)) continue
      return this.end(until)
    }
  }

  /**
   * As `run`, for work with promises in it: after each task it waits for `settle`, which lets the host run what was
   * promised. Work that waits for the host's input and output can't be repeated.
   */
  async runSettling(
    { isDone = () => false, until }: Omit<RunLimits, "maxSteps">,
    settle: () => Promise<void>
  ): Promise<Ended> {
    for (;;) {
      if (isDone()) return "done"
      if (this.stepsAtInstant > this.maxStepsAtInstant) return "stalled"
      if (this.step()) {
        await settle()
        // In the order of their making, whatever the order in which promises were kept.
        this.runnable.sort((a, b) => a.lane - b.lane)
        continue
      }
      if (!this.advance(until)) return this.end(until)
    }
  }

  private end(until: number): Ended {
    const isOver = this.timers.size > 0
    this.now = Math.max(this.now, until)
    return isOver ? "horizon" : "stalled"
  }
}
