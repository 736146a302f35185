/**
 * The service, the network and those who use it, on one kernel. The service is what production runs: the same handlers,
 * use cases, stores and emitter; only clock, locks, entropy, network and what goes wrong are the world's.
 */
import { Kernel, type Machine, type Picker } from "@lead-signals/simulation-kernel"
import { Sender } from "@lead-signals/webhook"
import { Cause, Effect, type Fiber, FiberId } from "effect"
import { processesOf, type Plan } from "../plan/Plan.ts"
import { noRates, type Rates } from "../Scenario.ts"
import { waitsOf } from "./BodyPieces.ts"
import { Decisions } from "./Decisions.ts"
import { currentCall } from "./FaultyStore.ts"
import type { Host } from "./Host.ts"
import type { Answered, Call, KnownFacts, LoggedLine, ReceivedPost, SentPost, Stored } from "./KnownFacts.ts"
import { Processes } from "./Processes.ts"
import { router } from "./Router.ts"
import type { Incarnation, ServiceProcess } from "./ServiceProcess.ts"
import { jsonOf, type SimulatedResponse } from "./SimulatedHttp.ts"
import type { StoreMethod } from "./StorePorts.ts"
import { StoreServer } from "./StoreServer.ts"

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
const delay = { min: 1, max: 80, late: 20_000 }
const patienceMillis = 30_000

/** The same request once more, as a call of its own. */
const twinOf = (call: Call): Call => ({
  ...call,
  label: `${call.label} twin`,
  struck: new Set(),
  expected: undefined
})

/** What a world is made of, and who hears what happens. */
export interface WorldOptions {
  readonly seed: number
  readonly startsAt: number
  readonly host: Host
  readonly plan: Pick<Plan, "processes" | "routing" | "networkedStore">
  /** The faults to have, by label; null: as the seed says. */
  readonly faults: ReadonlySet<string> | null
  readonly picker?: Picker.Picker
  /** How much can be begun at one instant, besides what the service does. */
  readonly begunAtOnce: number
  readonly onStored: (done: Stored) => void
  readonly onLogged: (line: LoggedLine) => void
  /** A failover of a networked store has lost what it did later than `since`, in virtual milliseconds since 1970. */
  readonly onTailLost: (since: number) => void
  /** The service begins with it. */
  readonly onHandled: (call: Call) => void
  readonly onAnswered: (answered: Answered) => void
  readonly onPosted: (post: ReceivedPost) => void
}

/** One for each run. */
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
  readonly processes: Processes
  /** The server of a networked store; null where the store is on the processes' own host. */
  readonly server: StoreServer | null
  private readonly route: (call: Call, now: number) => ServiceProcess
  private partitionedUntil = 0
  /** The processes that attempted each delivery. */
  private readonly attemptedBy = new Map<string, ServiceProcess>()

  constructor(
    private readonly facts: KnownFacts,
    private readonly options: WorldOptions
  ) {
    const { begunAtOnce, faults, picker, seed, startsAt } = options
    this.kernel = new Kernel({
      seed,
      startsAt,
      maxStepsAtInstant: 50_000 + 4 * begunAtOnce,
      ...(picker === undefined ? {} : { picker })
    })
    this.decisions = new Decisions(seed, faults, (label) => {
      this.faults.push(label)
      this.kernel.record("faults", "fault", { label })
    })
    this.others = this.kernel.machine("others")
    facts.now = () => this.kernel.now
    const { kernel, others } = this
    const shared = {
      kernel,
      others,
      facts,
      decisions: this.decisions,
      rates: () => this.rates,
      elapsed: () => this.elapsed,
      onStored: (done: Stored) => {
        facts.isStoreSeen = true
        this.options.onStored(done)
      },
      onLogged: this.options.onLogged,
      onStruck: (
        process: number,
        method: StoreMethod,
        call: Call | null,
        millis: number,
        isFailed: boolean
      ) => {
        if (call !== null && isFailed) call.struck.add(method)
        const of = call === null ? "store" : call.route === "/signals/changes" ? "feed" : null
        if (of !== null) facts.incidents.note(of, kernel.now, kernel.now + millis, process)
      }
    }
    this.server =
      options.plan.networkedStore === true
        ? new StoreServer({ ...shared, onTailLost: options.onTailLost })
        : null
    this.processes = new Processes({
      ...shared,
      host: options.host,
      planned: processesOf(options.plan),
      server: this.server,
      watch: (fiber) => this.watch(fiber),
      post: (process, incarnation, request) => this.post(process, incarnation, request)
    })
    this.route = router(options.plan.routing ?? "random", this.processes.all, this.decisions, () =>
      facts.coverageMarks.add("the router passed a process by that was down")
    )
  }

  /** What is not to fail has failed: the run is worth nothing. */
  defect: Cause.Cause<unknown> | null = null

  watch(fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
    fiber.addObserver((exit) => {
      if (exit._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause)) this.defect ??= exit.cause
    })
  }

  get isUp(): boolean {
    return this.processes.all.every((process) => process.isUp)
  }

  /** By the server's clock of a networked store, or that of the first process. */
  get storeNow(): number {
    const { now } = this.kernel
    return this.server === null ? this.processes.all[0]!.clock.read(now) : now
  }

  get elapsed(): number {
    return this.kernel.now - this.options.startsAt
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.rates = noRates
    this.processes.calm()
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
    this.server?.discard()
    this.options.host.discard()
  }

  /** How long one message takes; null when it never arrives. */
  private travel(label: string): number | null {
    if (this.kernel.now < this.partitionedUntil) return null
    if (this.decisions.fault(`lost ${label}`, this.rates.loss) !== null) return null
    const late = this.decisions.fault(`late ${label}`, this.rates.late)
    return delay.min + this.decisions.below(`how long ${label}`, late === null ? delay.max : delay.late)
  }

  /** From a party to the service and back. */
  request(call: Call): Effect.Effect<SimulatedResponse, NoAnswer> {
    const { decisions, kernel } = this
    const { label, party } = call
    return Effect.async<SimulatedResponse, NoAnswer>((resume) => {
      const path = call.request.url.replace(/\?.*$/, "")
      kernel.record(party, "request", { call: label, method: call.request.method, path })
      const { arrival, goesAfter, leavesAfter = 0 } = call.request.unusual ?? {}
      const waits = arrival === undefined ? 0 : waitsOf(arrival)
      const patience = goesAfter ?? patienceMillis + leavesAfter + waits
      const giveUp = kernel.after(patience, this.others, () => {
        kernel.record(party, "no-answer", { call: label })
        resume(Effect.fail(new NoAnswer()))
      })
      const drawn = this.travel(`${label} there`)
      const there = call.arrivesAt === undefined ? drawn : Math.max(delay.min, call.arrivesAt - kernel.now)
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
    const process = this.route(call, this.kernel.now)
    const { incarnation } = process
    if (incarnation === null || incarnation.running === null) return
    call.handledAt = this.kernel.now
    call.handledByClock = process.clock.read(this.kernel.now)
    call.handledBy = process.index
    call.handledByStart = incarnation.start
    call.startedByClock = [incarnation.begunByClock, incarnation.readyByClock]
    this.options.onHandled(call)
    const { context, work } = incarnation.running.handle(call.request)
    const handling = incarnation.machine.fork(
      Effect.map(work, (response) => {
        this.options.onAnswered({
          call,
          response,
          body: this.bodyOf(response),
          at: this.kernel.now,
          byClock: process.clock.read(this.kernel.now)
        })
        answer(response)
      }),
      { context, local: { fiberRef: currentCall, value: call } }
    )
    this.watch(handling)
    const { goesAfter } = call.request.unusual ?? {}
    if (goesAfter !== undefined)
      this.kernel.after(Math.max(0, call.sentAt + goesAfter - this.kernel.now), incarnation.machine, () =>
        handling.unsafeInterruptAsFork(FiberId.none)
      )
  }

  /** From the service to a consumer and back. What is given up is given up. */
  private post(
    process: ServiceProcess,
    { machine }: Incarnation,
    request: Sender.PostRequest
  ): Effect.Effect<Sender.PostResponse, Sender.SendFailed> {
    const { kernel } = this
    const consumer = this.consumers.get(request.url)
    if (consumer === undefined) return Effect.never
    const label = consumer.labelOf(request)
    const sent: SentPost = {
      at: kernel.now,
      byClock: process.clock.read(kernel.now),
      process: process.index,
      heardAt: null,
      heardByClock: null,
      endedAt: null
    }
    this.noteAttempt(process, request)
    return Effect.async<Sender.PostResponse, Sender.SendFailed>((resume) => {
      if (kernel.now < process.cutFromReceiversUntil) return
      // Where nobody listens a connection ends in the millisecond in which it begins.
      if (this.decisions.fault(`refused ${label}`, this.rates.refusals) !== null) {
        sent.endedAt = kernel.now
        resume(Effect.fail(new Sender.SendFailed({ error: "connection" })))
        return
      }
      const there = this.travel(`${label} there`)
      if (there === null) return
      let receiving: Fiber.RuntimeFiber<unknown, unknown> | null = null
      const cancel = kernel.after(there, this.others, () => {
        receiving = this.others.fork(
          Effect.map(Effect.exit(consumer.receive(request, label, sent)), (exit) => {
            const back = this.travel(`${label} back`)
            if (back === null) return
            const cut = this.decisions.fault(`cut ${label}`, this.rates.cut) !== null
            kernel.after(back, machine, () => {
              if (!cut) {
                sent.heardAt = kernel.now
                sent.heardByClock = process.clock.read(kernel.now)
              }
              sent.endedAt ??= kernel.now
              resume(cut ? Effect.fail(new Sender.SendFailed({ error: "connection" })) : exit)
            })
          })
        )
      })
      return Effect.sync(() => {
        sent.endedAt ??= kernel.now
        if (receiving === null) cancel()
      })
    })
  }

  private noteAttempt(process: ServiceProcess, { headers }: Sender.PostRequest): void {
    const id = headers["webhook-id"] ?? ""
    const before = this.attemptedBy.get(id) ?? process
    this.attemptedBy.set(id, process)
    if (before !== process) this.facts.coverageMarks.add("two processes attempted one delivery")
  }
}
