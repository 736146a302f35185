/** The store that the suite checks, opened for one case, and the form of a case. */
import { Entropy, InvalidParameter, type StorePorts, WebhookTargets } from "@lead-signals/domain"
import { Cause, Clock, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { ContractViolation } from "./Assertions.ts"
import { startOfHistories } from "./LeadHistories.ts"
import { SettableClock } from "./SettableClock.ts"

/** Every port that a store implements. */
export type Stores = StorePorts

/** The store that the suite checks. */
export interface StoreUnderTest {
  /** The name that stands before the titles of cases. */
  readonly name: string
  /**
   * Answers a layer over a new, empty place. It is called once for each case. A case that opens the store again builds the same
   * layer another time.
   */
  readonly layer: () => Layer.Layer<Stores, unknown>
  /** Whether a layer that is built again finds what an earlier one has stored. By default false, and cases that reopen the store are left out. */
  readonly survivesReopening?: boolean
  /** How many generated histories of leads are played; 100 by default. Of campaigns as many are, from 10 to 60. */
  readonly leadHistories?: number
  /** How many generated histories of webhooks and deliveries are played; 100 by default. */
  readonly deliveryHistories?: number
  /** The seed of generated histories. By default fast-check draws another in every run; a failure says which it was. */
  readonly seed?: number
  /** fast-check's path to one generated history, as a failure prints it beside its seed. */
  readonly path?: string
  /** Called at the end of a case of generated histories with the situations that they have reached. */
  readonly onCoverage?: (situations: ReadonlySet<string>) => void
}

/** What the cases need beside the store: ids, and targets of webhooks. */
export type Needs = Stores | Entropy | WebhookTargets

/** Accepts every URL except the empty one. */
const anyTarget = Layer.succeed(WebhookTargets, {
  check: (url) =>
    url === "" ? Effect.fail(new InvalidParameter({ parameter: "url", message: "" })) : Effect.succeed(url)
})

/** xorshift32: bytes that differ from one draw to the next and are the same in every run. */
const repeatableEntropy = () => {
  let state = 0x9e3779b9
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0xff
  }
  return Entropy.of({ bytes: (length) => Effect.sync(() => Uint8Array.from({ length }, next)) })
}

/** Lets timers and messages of the host run: work that never waits would starve them. */
const yieldToHost = Effect.withClock(Effect.sleep(0), Clock.make())

/** The store of one case, with a clock that stands where the case sets it. */
export class OpenStore {
  readonly clock = new SettableClock(startOfHistories)
  private readonly place: Layer.Layer<Stores, unknown>
  private readonly entropy = Layer.succeed(Entropy, repeatableEntropy())
  private runtime: ManagedRuntime.ManagedRuntime<Needs, unknown>

  constructor(readonly store: StoreUnderTest) {
    this.place = store.layer()
    this.runtime = this.open()
  }

  /** Runs the work over the store. Rejects with its `ContractViolation`, or with one that has the cause of another failure. */
  async run<A, E>(work: Effect.Effect<A, E, Needs>): Promise<A> {
    const exit = await this.runtime.runPromiseExit(Effect.zipLeft(this.clock.provide(work), yieldToHost))
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.squash(exit.cause)
    if (failure instanceof ContractViolation) throw failure
    throw new ContractViolation(`The store failed: ${Cause.pretty(exit.cause, { renderErrorCause: true })}`)
  }

  /** Closes the store and opens it over the same place. */
  async reopen(): Promise<void> {
    await this.close()
    this.runtime = this.open()
  }

  /** Closes the store. */
  async close(): Promise<void> {
    await this.runtime.dispose()
  }

  private open(): ManagedRuntime.ManagedRuntime<Needs, unknown> {
    return ManagedRuntime.make(Layer.mergeAll(this.place, this.entropy, anyTarget))
  }
}

/** One requirement on every store. The title names the clauses of the specification that the case proves. */
export interface Case {
  readonly title: string
  /** Left out unless the store survives reopening. */
  readonly reopens?: boolean
  readonly run: (open: OpenStore) => Promise<void>
}

/** A case whose work is one effect over the open store. */
export const caseOf = <E>(
  title: string,
  work: (clock: SettableClock) => Effect.Effect<void, E, Needs>
): Case => ({
  title,
  run: (open) => open.run(work(open.clock))
})
