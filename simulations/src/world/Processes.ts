/** Starts the processes of the service, kills and pauses them, cuts them off, and lets their clocks go wrong. */
import { logLine } from "@lead-signals/http"
import type { Kernel, Machine } from "@lead-signals/simulation-kernel"
import { Prng } from "@lead-signals/simulation-kernel"
import type { Sender } from "@lead-signals/webhook"
import { Effect, type Fiber } from "effect"
import type { PlannedProcess } from "../plan/Plan.ts"
import { pruningMillisLeft } from "../plan/PlannedRetention.ts"
import type { Rates } from "../Scenario.ts"
import type { Decisions } from "./Decisions.ts"
import type { OnStruck, StoreFaults } from "./FaultyStore.ts"
import type { Host } from "./Host.ts"
import type { KnownFacts, LoggedLine, Stored } from "./KnownFacts.ts"
import { settingsOf } from "./ProcessSettings.ts"
import { type Incarnation, ServiceProcess } from "./ServiceProcess.ts"
import type { StoreServer } from "./StoreServer.ts"

const startMillis = 300
const restartMillis = 3000

interface ProcessesOptions {
  readonly kernel: Kernel
  readonly others: Machine
  readonly decisions: Decisions
  readonly facts: KnownFacts
  readonly host: Host
  readonly planned: ReadonlyArray<PlannedProcess>
  /** The server of a networked store; null where the store is on the processes' own host. */
  readonly server: StoreServer | null
  readonly rates: () => Rates
  /** Milliseconds since the run began. */
  readonly elapsed: () => number
  readonly onStored: (done: Stored) => void
  readonly onLogged: (line: LoggedLine) => void
  readonly onStruck: OnStruck
  readonly watch: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => void
  readonly post: (
    process: ServiceProcess,
    incarnation: Incarnation,
    request: Sender.PostRequest
  ) => Effect.Effect<Sender.PostResponse, Sender.SendFailed>
}

/** All processes of a run, started with it. A process that is killed starts again after a while. */
export class Processes {
  readonly all: ReadonlyArray<ServiceProcess>
  kills = 0

  constructor(private readonly options: ProcessesOptions) {
    this.all = options.planned.map(({ older }, i) => new ServiceProcess(i, older))
    for (const process of this.all) this.start(process)
  }

  /** Starts the process on what is on the disk. */
  private start(process: ServiceProcess): void {
    const { facts, host, kernel, onLogged, server, watch } = this.options
    const machine = kernel.machine(process.name, process.clock, (entry) => onLogged(logLine(entry)))
    process.downSince ??= kernel.now
    process.starts++
    const now = process.clock.read(kernel.now)
    const incarnation: Incarnation = {
      machine,
      isOlder: process.isOlder,
      start: process.starts,
      begunByClock: now,
      readyByClock: now,
      running: null
    }
    process.incarnation = incarnation
    if (process.isOlder) facts.coverageMarks.add("an older version ran beside")
    const starting = machine.fork(
      Effect.gen(this, function* () {
        yield* Effect.sleep(startMillis)
        incarnation.running = yield* host.start({
          machine,
          process: process.index,
          settings: {
            ...settingsOf(process, this.all.length, facts.plan.places),
            ...(facts.plan.maxWaits === undefined ? {} : { maxWaits: facts.plan.maxWaits }),
            ...(facts.plan.retention === undefined ? {} : { retention: facts.plan.retention }),
            ...(facts.plan.pruning === undefined
              ? {}
              : {
                  pruning: {
                    ...facts.plan.pruning,
                    forMillis: pruningMillisLeft(facts.plan, this.options.elapsed())
                  }
                })
          },
          post: (request) => this.options.post(process, incarnation, request),
          store: this.storeFaultsOf(process, incarnation),
          overNetwork: server === null ? null : (disk) => server.connect(disk, process, incarnation),
          onDamage: (message) => facts.violate("files whole", message),
          onResidue: (message) => facts.violate("erased leave memory", message)
        })
        incarnation.readyByClock = process.clock.read(kernel.now)
        process.downSince = null
        kernel.record(process.name, "started")
        return yield* Effect.never
      }).pipe(Effect.scoped)
    )
    watch(starting)
  }

  private storeFaultsOf(process: ServiceProcess, incarnation: Incarnation): StoreFaults {
    const { decisions, elapsed, host, kernel, onStored, onStruck, rates, server } = this.options
    return {
      rates,
      decisions,
      elapsed,
      emitter: process.index === 0 ? "emitter" : `emitter ${process.index + 1}`,
      process: () => process.calling(incarnation, kernel.now),
      isCutOff: () => kernel.now < process.cutFromStoreUntil,
      // The server of a networked store tells what it has done.
      onStored: server === null ? onStored : () => {},
      onStruck: (method, call, millis, isFailed) => onStruck(process.index, method, call, millis, isFailed),
      kill: () => this.kill(process),
      killWithin: () => {
        if (server !== null) return false
        process.isLosingPower = this.isPowerLost(process)
        if (process.isLosingPower) return host.tearNextCommit()
        host.dieWithin?.(() => this.kill(process))
        return host.dieWithin !== null
      }
    }
  }

  /** Whether the kill that comes next takes the power of the whole host. */
  private isPowerLost(process: ServiceProcess): boolean {
    const { decisions, elapsed, rates } = this.options
    return decisions.fault(`power lost with ${process.name} @${elapsed()}`, rates().tornWrites) !== null
  }

  /** At once, in the middle of whatever it does; it is started again after a while. */
  kill(process: ServiceProcess): void {
    if (process.incarnation === null) return
    const { facts, host, kernel, server } = this.options
    if (!process.isLosingPower && !this.isPowerLost(process)) {
      this.end(process)
      if (server === null) host.crash(process.index)
      return
    }
    process.isLosingPower = false
    for (const each of this.all) this.end(each)
    if (server !== null) return
    facts.coverageMarks.add("the power was lost")
    facts.powerLostAt.push(kernel.now)
    kernel.record("host", "power-lost")
    host.losePower(Prng.of(kernel.seed, `power lost @${this.options.elapsed()}`))
  }

  /** Ends all processes at once, and starts them after `millis`. */
  standDown(millis: number): void {
    for (const process of this.all) {
      this.end(process, millis)
      if (this.options.server === null) this.options.host.crash(process.index)
    }
  }

  private end(process: ServiceProcess, downMillis = restartMillis): void {
    const { facts, kernel, others } = this.options
    if (process.incarnation === null) return
    this.kills++
    // Until the next process runs.
    facts.incidents.note("kill", kernel.now, kernel.now + downMillis + startMillis, process.index)
    facts.coverageMarks.add("the service was killed")
    kernel.record(process.name, "killed")
    process.incarnation.machine.kill()
    process.incarnation = null
    process.downSince ??= kernel.now
    kernel.after(downMillis, others, () => this.start(process))
  }

  /** Kills the process after the given number of its steps, wherever in its work it is then. */
  killAfter(process: ServiceProcess, steps: number): void {
    if (steps === 0) this.kill(process)
    else {
      process.incarnation?.machine.interruptAfter(steps, () => {
        this.options.facts.coverageMarks.add("the service was killed at a step of its work")
        this.kill(process)
      })
    }
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    for (const process of this.all) {
      this.driftClock(process, 0)
      process.incarnation?.machine.interruptAfter(0, null)
    }
  }

  /** The clock of the process jumps; nobody else's does. */
  stepClock(process: ServiceProcess, millis: number): void {
    const { facts, kernel, server } = this.options
    process.clock.step(millis)
    facts.incidents.note("clock", kernel.now, kernel.now, process.index)
    if (server === null && (millis < 0 || this.all.length > 1)) facts.mayHideChanges = true
    facts.coverageMarks.add("the clock jumped")
    kernel.record(process.name, "clock", { millis })
  }

  driftClock(process: ServiceProcess, rate: number): void {
    const { facts, kernel, server } = this.options
    process.clock.drift(rate, kernel.now)
    if (rate === 0) return
    facts.incidents.note("drift", kernel.now, kernel.now, process.index)
    if (server === null && this.all.length > 1) facts.mayHideChanges = true
    facts.coverageMarks.add("the clock went wrong")
    kernel.record(process.name, "drift", { millionths: Math.round(rate * 1e6) })
  }

  /** The process stands still for a while, and goes on as if nothing had been. */
  pause({ incarnation, index, name }: ServiceProcess, millis: number): void {
    const { facts, kernel, others } = this.options
    if (incarnation === null) return
    facts.coverageMarks.add("the service stood still")
    facts.incidents.note("pause", kernel.now, kernel.now + millis, index)
    kernel.record(name, "paused", { millis })
    incarnation.machine.pause()
    kernel.after(millis, others, () => incarnation.machine.resume())
  }

  /** Its calls of the store fail for a while. */
  cutFromStore(process: ServiceProcess, millis: number): void {
    const { facts, kernel } = this.options
    facts.coverageMarks.add("a process was cut off from the store")
    kernel.record(process.name, "store-cut", { millis })
    process.cutFromStoreUntil = Math.max(process.cutFromStoreUntil, kernel.now + millis)
  }

  /** Its posts reach nobody for a while, while requests reach it. */
  cutFromReceivers(process: ServiceProcess, millis: number): void {
    const { facts, kernel } = this.options
    facts.coverageMarks.add("a process was cut off from the receivers")
    facts.incidents.note("network", kernel.now, kernel.now + millis, process.index)
    kernel.record(process.name, "receivers-cut", { millis })
    process.cutFromReceiversUntil = Math.max(process.cutFromReceiversUntil, kernel.now + millis)
  }
}
