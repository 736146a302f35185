/**
 * The service, the network and those who use it, on one kernel. The service is what production runs: the same handlers,
 * use cases, stores and emitter; only clock, locks, entropy, network and what goes wrong are the world's.
 */
import { HostClock, Kernel, type Machine, type Picker } from "@lead-signals/simulation-kernel"
import { Sender } from "@lead-signals/webhook"
import { Cause, Effect, type Fiber } from "effect"
import { noRates, type Rates } from "../Scenario.ts"
import { Decisions } from "./Decisions.ts"
import { currentCall } from "./FaultyStore.ts"
import type { Host, Running } from "./Host.ts"
import type { Answered, Call, KnownFacts, ReceivedPost, SentPost, Stored } from "./KnownFacts.ts"
import { jsonOf, type SimulatedResponse } from "./SimulatedHttp.ts"

/** Nobody answered: the message or its answer was lost, or the service is not there. */
export class NoAnswer {
  readonly _tag = "NoAnswer"
}

/** What a receiver of webhooks does with a post. */
export interface Consumer {
  /** What the post is of, and which of its kind: the same in every run of a plan. */
  readonly labelOf: (posted: Sender.PostRequest) => string
  readonly receive: (
    posted: Sender.PostRequest,
    label: string,
    sent: SentPost
  ) => Effect.Effect<Sender.PostResponse, Sender.SendFailed>
}

/** How long a message takes, in milliseconds, and how long a caller waits for an answer. */
const delay = { least: 1, most: 80, late: 20_000 }
const patienceMillis = 30_000
const startMillis = 300
const restartMillis = 3000

/** The same request once more, as a call of its own. */
const twinOf = (call: Call): Call => ({
  ...call,
  label: `${call.label} twin`,
  struck: new Set(),
  expected: undefined
})

export interface WorldOptions {
  readonly seed: number
  readonly startsAt: number
  readonly host: Host
  /** The faults to have, by label; null: as the seed says. */
  readonly faults: ReadonlySet<string> | null
  readonly picker?: Picker.Picker
  /** How much can be begun at one instant, besides what the service does. */
  readonly begunAtOnce: number
  readonly onStored: (done: Stored) => void
  /** The service begins with it. */
  readonly onHandled: (call: Call) => void
  readonly onAnswered: (answered: Answered) => void
  readonly onPosted: (post: ReceivedPost) => void
}

export class World {
  readonly kernel: Kernel
  /** Who calls and who receives: never killed. */
  readonly others: Machine
  readonly decisions: Decisions
  readonly consumers = new Map<string, Consumer>()
  /** The labels of what went wrong, in order. */
  readonly faults: Array<string> = []
  /** Changed when a scenario's faults begin and end. */
  rates: Rates = noRates
  kills = 0
  private readonly clock = new HostClock()
  private partitionedUntil = 0
  private service: { readonly machine: Machine; running: Running | null } | null = null

  constructor(
    private readonly facts: KnownFacts,
    private readonly options: WorldOptions
  ) {
    const { begunAtOnce, faults, picker, seed, startsAt } = options
    this.kernel = new Kernel({
      seed,
      startsAt,
      greatestStepsAtInstant: 50_000 + 4 * begunAtOnce,
      ...(picker === undefined ? {} : { picker })
    })
    this.decisions = new Decisions(seed, faults, (label) => {
      this.faults.push(label)
      this.kernel.record("faults", "fault", { label })
    })
    this.others = this.kernel.machine("others")
    facts.now = () => this.kernel.now
    facts.serviceNow = () => this.serviceNow
    this.start()
  }

  /** What is not to fail has failed: the run is worth nothing. */
  defect: Cause.Cause<unknown> | null = null

  watch(fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
    fiber.addObserver((exit) => {
      if (exit._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause)) this.defect ??= exit.cause
    })
  }

  get isUp(): boolean {
    return this.service !== null && this.service.running !== null
  }

  get serviceNow(): number {
    return this.clock.read(this.kernel.now)
  }

  get elapsed(): number {
    return this.kernel.now - this.options.startsAt
  }

  /** Starts the service on what is on the disk. */
  private start(): void {
    const machine = this.kernel.machine("service", this.clock)
    const service: { machine: Machine; running: Running | null } = { machine, running: null }
    this.service = service
    const starting = machine.fork(
      Effect.gen(this, function* () {
        yield* Effect.sleep(startMillis)
        service.running = yield* this.options.host.start({
          machine,
          post: (request) => this.post(request),
          store: {
            rates: () => this.rates,
            decisions: this.decisions,
            elapsed: () => this.elapsed,
            serviceNow: () => this.serviceNow,
            onStored: (done) => {
              this.facts.isStoreSeen = true
              this.options.onStored(done)
            },
            onStruck: (method, call, millis, isFailed) => {
              if (call !== null && isFailed) call.struck.add(method)
              if (call === null) this.facts.incidents.note("store", this.kernel.now, this.kernel.now + millis)
            },
            kill: () => this.kill(),
            killWithin: () => {
              const { dieWithin } = this.options.host
              dieWithin?.(() => this.kill())
              return dieWithin !== null
            }
          }
        })
        this.kernel.record("service", "started")
        return yield* Effect.never
      }).pipe(Effect.scoped)
    )
    this.watch(starting)
  }

  /** At once, in the middle of whatever it does; it is started again after a while. */
  kill(): void {
    if (this.service === null) return
    this.kills++
    // Until the next process runs.
    this.facts.incidents.note("kill", this.kernel.now, this.kernel.now + restartMillis + startMillis)
    this.facts.coverageMarks.add("the service was killed")
    this.kernel.record("service", "killed")
    this.service.machine.kill()
    this.service = null
    this.options.host.crash()
    this.kernel.after(restartMillis, this.others, () => this.start())
  }

  /** The same when the service has gone on by so many steps, wherever in its work it is then. */
  killAfter(steps: number): void {
    if (steps === 0) this.kill()
    else {
      this.service?.machine.interruptAfter(steps, () => {
        this.facts.coverageMarks.add("the service was killed at a step of its work")
        this.kill()
      })
    }
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.rates = noRates
    this.driftClock(0)
    this.service?.machine.interruptAfter(0, null)
  }

  /** The service's own clock jumps; nobody else's does. */
  stepClock(millis: number): void {
    this.clock.step(millis)
    this.facts.incidents.note("clock", this.kernel.now)
    if (millis < 0) this.facts.wasClockSetBack = true
    this.facts.coverageMarks.add("the clock jumped")
    this.kernel.record("service", "clock", { millis })
  }

  driftClock(rate: number): void {
    this.clock.drift(rate, this.kernel.now)
    if (rate === 0) return
    this.facts.incidents.note("drift", this.kernel.now)
    this.facts.coverageMarks.add("the clock went wrong")
    this.kernel.record("service", "drift", { millionths: Math.round(rate * 1e6) })
  }

  /** The service stands still for a while, and goes on as if nothing had been. */
  pause(millis: number): void {
    const { service } = this
    if (service === null) return
    this.facts.coverageMarks.add("the service stood still")
    this.facts.incidents.note("pause", this.kernel.now, this.kernel.now + millis)
    this.kernel.record("service", "paused", { millis })
    service.machine.pause()
    this.kernel.after(millis, this.others, () => service.machine.resume())
  }

  partition(millis: number): void {
    this.facts.coverageMarks.add("the network was cut")
    this.facts.incidents.note("network", this.kernel.now, this.kernel.now + millis)
    this.kernel.record("network", "partition", { millis })
    this.partitionedUntil = Math.max(this.partitionedUntil, this.kernel.now + millis)
  }

  /** A receiver has got something. */
  posted(post: ReceivedPost): void {
    this.options.onPosted(post)
  }

  /** The run is over. */
  end(): void {
    this.options.host.discard()
  }

  /** How long one message takes; null when it never arrives. */
  private travel(label: string): number | null {
    if (this.kernel.now < this.partitionedUntil) return null
    if (this.decisions.fault(`lost ${label}`, this.rates.loss) !== null) return null
    const late = this.decisions.fault(`late ${label}`, this.rates.late)
    return delay.least + this.decisions.below(`how long ${label}`, late === null ? delay.most : delay.late)
  }

  /** From a party to the service and back. */
  request(call: Call): Effect.Effect<SimulatedResponse, NoAnswer> {
    const { decisions, kernel } = this
    const { label, party } = call
    return Effect.async<SimulatedResponse, NoAnswer>((resume) => {
      const path = call.request.url.replace(/\?.*$/, "")
      kernel.record(party, "request", { call: label, method: call.request.method, path })
      const giveUp = kernel.after(patienceMillis, this.others, () => {
        kernel.record(party, "no-answer", { call: label })
        resume(Effect.fail(new NoAnswer()))
      })
      const drawn = this.travel(`${label} there`)
      const there = call.arrivesAt === undefined ? drawn : Math.max(delay.least, call.arrivesAt - kernel.now)
      if (drawn === null || there === null) return
      kernel.after(there, this.others, () =>
        this.handle(call, (response) => {
          const lost = decisions.fault(`lost answer ${label}`, this.rates.lostAnswer) !== null
          const back = lost ? null : this.travel(`${label} back`)
          const cut = back !== null && decisions.fault(`cut ${label}`, this.rates.cut) !== null
          kernel.record(party, "answered", {
            call: label,
            status: response.status,
            arrives: back !== null && !cut
          })
          if (back === null) return
          kernel.after(back, this.others, () => {
            giveUp()
            resume(cut ? Effect.fail(new NoAnswer()) : Effect.succeed(response))
          })
        })
      )
      if (decisions.fault(`twice ${label}`, this.rates.duplication) === null) return
      this.facts.coverageMarks.add("a request came twice")
      const second = this.travel(`${label} there again`)
      if (second !== null) {
        kernel.after(second, this.others, () => this.handle(twinOf(call), () => {}))
      }
    })
  }

  private bodyOf(response: SimulatedResponse): unknown {
    if (!/json/.test(response.headers["content-type"] ?? "")) return null
    try {
      return jsonOf(response)
    } catch {
      const text = response.text.slice(0, 60)
      this.facts.violate("bodies valid", `an answer is said to be JSON, and is not: ${text}`)
      return null
    }
  }

  private handle(call: Call, answer: (response: SimulatedResponse) => void): void {
    const { service } = this
    if (service === null || service.running === null) return
    call.handledAt = this.kernel.now
    call.handledByClock = this.serviceNow
    this.options.onHandled(call)
    const { context, work } = service.running.handle(call.request)
    const handling = service.machine.fork(
      Effect.map(work, (response) => {
        this.options.onAnswered({
          call,
          response,
          body: this.bodyOf(response),
          at: this.kernel.now
        })
        answer(response)
      }),
      { context, local: { fiberRef: currentCall, value: call } }
    )
    this.watch(handling)
  }

  /** From the service to a consumer and back. What is given up is given up. */
  private post(request: Sender.PostRequest): Effect.Effect<Sender.PostResponse, Sender.SendFailed> {
    const { kernel } = this
    const consumer = this.consumers.get(request.url)
    const { service } = this
    if (consumer === undefined || service === null) return Effect.never
    const label = consumer.labelOf(request)
    const sent: SentPost = { at: kernel.now, byClock: this.serviceNow, heardAt: null }
    return Effect.async<Sender.PostResponse, Sender.SendFailed>((resume) => {
      const there = this.travel(`${label} there`)
      if (there === null) return
      let receiving: Fiber.RuntimeFiber<unknown, unknown> | null = null
      const cancel = kernel.after(there, this.others, () => {
        receiving = this.others.fork(
          Effect.map(Effect.exit(consumer.receive(request, label, sent)), (exit) => {
            const back = this.travel(`${label} back`)
            if (back === null) return
            const cut = this.decisions.fault(`cut ${label}`, this.rates.cut) !== null
            kernel.after(back, service.machine, () => {
              if (!cut) sent.heardAt = kernel.now
              resume(cut ? Effect.fail(new Sender.SendFailed({ error: "connection" })) : exit)
            })
          })
        )
      })
      return Effect.sync(() => {
        if (receiving === null) cancel()
      })
    })
  }
}
