/**
 * The service, the network and those who use it, on one kernel. The service is what production runs: the same handlers,
 * use cases, stores and emitter; only clock, turns, entropy, network and the store's faults are the world's.
 */
import { Entropy, WebhookTargets } from "@lead-signals/domain"
import { app, DefaultRateLimit, OperatorToken } from "@lead-signals/http"
import { Kernel, type Machine, type Prng } from "@lead-signals/simulator"
import * as MemoryStore from "@lead-signals/store-memory"
import { Emitter, Sender } from "@lead-signals/webhook"
import type * as HttpApp from "@effect/platform/HttpApp"
import { Context, Effect, Layer, Scope } from "effect"
import { faulty } from "./FaultyStore.ts"
import { type FaultRates, noFaults } from "./Faults.ts"
import * as SimulatedHttp from "./SimulatedHttp.ts"
import { contextOf, portsOf, type StorePorts, type Stores } from "./StorePorts.ts"

export const operatorToken = "simulated-operator-token"

/** Nobody answered: the message or its answer was lost, or the service is not there. */
export class NoAnswer {
  readonly _tag = "NoAnswer"
}

/** What a receiver of webhooks does with a post. */
export type Consumer = (posted: Sender.PostRequest) => Effect.Effect<Sender.PostAnswer, Sender.SendFailed>

/** How long a message takes, in milliseconds, and how long a caller waits for an answer. */
const delay = { least: 1, most: 80 }
const patienceMillis = 30_000
const startMillis = 300
const restartMillis = 3000
/** One process wakes itself; what a wake-up missed is found so soon. */
const pollMillis = 60_000

export class World {
  readonly kernel: Kernel
  /** Who calls and who receives: never killed. */
  readonly others: Machine
  readonly consumers = new Map<string, Consumer>()
  /** Changed by a scenario when its faults begin and end. */
  rates: FaultRates = noFaults
  kills = 0
  /** Of the host that the service runs on: it outlives the process. */
  private clockOffset = 0
  private service: { readonly machine: Machine; app: HttpApp.Default | null } | null = null
  private readonly disk: Context.Context<Stores>
  private readonly network: Prng
  private readonly faults: Prng
  private readonly entropy: Prng

  constructor(
    seed: number,
    startsAt: number,
    private readonly plant: (ports: StorePorts) => StorePorts = (ports) => ports
  ) {
    this.kernel = new Kernel({ seed, startsAt })
    this.network = this.kernel.stream("network")
    this.faults = this.kernel.stream("faults")
    this.entropy = this.kernel.stream("entropy")
    this.others = this.kernel.machine("others")
    // What is committed outlives the machine that committed it.
    this.disk = Effect.runSync(
      Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(MemoryStore.layer, scope))
    )
    this.start()
  }

  get isUp(): boolean {
    return this.service !== null && this.service.app !== null
  }

  /** Starts the service on what is on the disk. */
  private start(): void {
    const machine = this.kernel.machine("service")
    machine.clockOffset = this.clockOffset
    const service: { machine: Machine; app: HttpApp.Default | null } = { machine, app: null }
    this.service = service
    machine.fork(
      Effect.gen(this, function* () {
        yield* Effect.sleep(startMillis)
        const host = this.host()
        const emitter = yield* Layer.build(Emitter.layer({ pollMillis })).pipe(Effect.provide(host))
        service.app = yield* app.pipe(Effect.provide(Context.merge(host, emitter)))
        this.kernel.record("service", "started")
        return yield* Effect.never
      }).pipe(Effect.scoped)
    )
  }

  /** The service's own clock jumps; nobody else's does. */
  stepClock(millis: number): void {
    if (this.service === null) return
    this.service.machine.clockOffset += millis
    this.clockOffset = this.service.machine.clockOffset
    this.kernel.record("service", "clock", { millis })
  }

  /** At once, in the middle of whatever it does; it is started again after a while. */
  kill(): void {
    this.kills++
    this.kernel.record("service", "killed")
    this.service?.machine.kill()
    this.service = null
    this.kernel.after(restartMillis, this.others, () => this.start())
  }

  private host() {
    const faults = {
      rates: () => this.rates,
      prng: this.faults,
      onFault: (kind: string, method: string) => this.kernel.record("store", kind, { method })
    }
    const { deliveries, directory, leadStore, outbox, rateWindows } = this.plant(portsOf(this.disk))
    const stores = contextOf({
      leadStore: faulty(leadStore, faults),
      outbox: faulty(outbox, faults),
      deliveries: faulty(deliveries, faults),
      directory: faulty(directory, faults),
      rateWindows: faulty(rateWindows, faults)
    })
    return stores.pipe(
      Context.add(Entropy, {
        bytes: (length) => Effect.sync(() => Uint8Array.from({ length }, () => this.entropy.below(256)))
      }),
      Context.add(OperatorToken, operatorToken),
      Context.add(DefaultRateLimit, 1_000_000),
      Context.add(WebhookTargets, { check: (url) => Effect.succeed(url) }),
      Context.add(Sender.Sender, { post: (request) => this.post(request) })
    )
  }

  /** How long one message takes; null when it is lost. */
  private travel(): number | null {
    const millis = delay.least + this.network.below(delay.most)
    return this.network.chance(this.rates.loss) ? null : millis
  }

  /** From a party to the service and back. */
  request(
    party: string,
    request: SimulatedHttp.SimulatedRequest
  ): Effect.Effect<SimulatedHttp.SimulatedResponse, NoAnswer> {
    const { kernel } = this
    return Effect.async<SimulatedHttp.SimulatedResponse, NoAnswer>((resume) => {
      const path = request.url.replace(/\?.*$/, "")
      const giveUp = kernel.after(patienceMillis, this.others, () => {
        kernel.record(party, "no-answer", { path })
        resume(Effect.fail(new NoAnswer()))
      })
      const there = this.travel()
      if (there === null) return
      kernel.after(there, this.others, () => {
        const { service } = this
        if (service === null || service.app === null) return
        service.machine.fork(
          Effect.map(SimulatedHttp.handle(service.app, request), (response) => {
            const back = this.network.chance(this.rates.lostAnswer) ? null : this.travel()
            kernel.record(party, "answered", {
              method: request.method,
              path,
              status: response.status,
              lost: back === null
            })
            if (back === null) return
            kernel.after(back, this.others, () => {
              giveUp()
              resume(Effect.succeed(response))
            })
          })
        )
      })
    })
  }

  /** From the service to a consumer and back. */
  private post(request: Sender.PostRequest): Effect.Effect<Sender.PostAnswer, Sender.SendFailed> {
    const { kernel } = this
    const consumer = this.consumers.get(request.url)
    const { service } = this
    if (consumer === undefined || service === null) {
      return Effect.fail(new Sender.SendFailed({ error: "connection" }))
    }
    return Effect.async<Sender.PostAnswer, Sender.SendFailed>((resume) => {
      const there = this.travel()
      if (there === null) return
      kernel.after(there, this.others, () => {
        this.others.fork(
          Effect.map(Effect.exit(consumer(request)), (exit) => {
            const back = this.travel()
            if (back !== null) kernel.after(back, service.machine, () => resume(exit))
          })
        )
      })
    })
  }
}
