/**
 * The store's ports with a scheduling step before and after every call, and with what goes wrong there. Without the steps
 * a store in memory would answer in one step, and nothing could come between.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { type Context, Effect, FiberRef, GlobalValue } from "effect"
import type { Rates } from "../Scenario.ts"
import type { Decisions } from "./Decisions.ts"
import type { Call, CallingProcess, Stored } from "./KnownFacts.ts"
import {
  argsNow,
  type MethodOfStore,
  notingArgs,
  type StoreMethod,
  type Stores,
  wrapStore
} from "./StorePorts.ts"

const slowestMillis = 1000
/** Half of the slow calls with an Idempotency-Key take longer than their leases, so that others overtake them. [IDEM-3] */
const leaseMillis = 10_000
/** The most milliseconds by which such a call outlasts its lease. */
const slowestBeyond = 2500
/** The longest time after which an emitter repeats a call that failed. */
export const retryMillis = 2000

/** How long a process waits for a store that it can't reach. */
const cutOffMillis = 2000

/** The request that the fiber works for; null for the emitter's own. */
export const currentCall: FiberRef.FiberRef<Call | null> = GlobalValue.globalValue(
  "@lead-signals/simulations/currentCall",
  () => FiberRef.unsafeMake<Call | null>(null)
)

/** The reason is for the operator's log alone: `nothing internal` looks for it in answers. */
const down = new StoreUnavailable({ reason: "internal-raw of a simulated store" })

/** Hears of a call of a process that is slow by some milliseconds, or fails. */
export type OnStruck = (
  process: number,
  method: StoreMethod,
  by: Call | null,
  millis: number,
  isFailed: boolean
) => void

/** What the wrapped store needs of the world, for one start of a process. */
export interface StoreFaults {
  readonly rates: () => Rates
  readonly decisions: Decisions
  /** Milliseconds since the run began. */
  readonly elapsed: () => number
  /** What labels call the process's own calls. */
  readonly emitter: string
  readonly process: () => CallingProcess
  /** Whether the process can't reach the store. */
  readonly isCutOff: () => boolean
  readonly onStored: (done: Stored) => void
  /** A call is slow by some milliseconds, or fails. */
  readonly onStruck: (method: StoreMethod, by: Call | null, millis: number, isFailed: boolean) => void
  /** Kills the process that makes the call. */
  readonly kill: () => void
  /** Lets it die within the call's transaction; false where a call is one step, and has no middle. */
  readonly killWithin: () => boolean
}

/**
 * A call that only reads has no "done, but failed", and no death in mid-transaction. One generator function serves all calls: V8 makes objects of its own
 * for each generator function that is called.
 */
const disturbed = Effect.fnUntraced(function* (
  { faultPoint, method, operation }: MethodOfStore,
  args: ReadonlyArray<unknown>,
  call: Effect.Effect<unknown, unknown>,
  faults: StoreFaults
) {
  const { decisions } = faults
  const rates = faults.rates()
  const by = yield* FiberRef.get(currentCall)
  const label = `${by === null ? `${faults.emitter} @${faults.elapsed()}` : by.label} ${faultPoint}`
  const writes = operation === "write"
  yield* Effect.yieldNow()
  if (faults.isCutOff()) {
    faults.onStruck(method, by, cutOffMillis + retryMillis, true)
    yield* Effect.sleep(cutOffMillis)
    return yield* down
  }
  if (decisions.fault(`slow ${label}`, rates.slowStore) !== null) {
    const isBeyond =
      by?.request.unusual?.idempotencyKey !== undefined && decisions.chance(`beyond its lease ${label}`, 0.5)
    const drawn = decisions.below(`how slow ${label}`, isBeyond ? slowestBeyond : slowestMillis)
    const millis = 1 + drawn + (isBeyond ? leaseMillis : 0)
    faults.onStruck(method, by, millis, false)
    yield* Effect.sleep(millis)
  }
  const { commitMillis, goesAfter } = by?.request.unusual ?? {}
  if (commitMillis !== undefined && method === "leads.commit") yield* Effect.sleep(commitMillis)
  if (decisions.fault(`down ${label}`, rates.storeDown) !== null) {
    faults.onStruck(method, by, retryMillis, true)
    return yield* down
  }
  const death = writes ? decisions.fault(`killed at ${label}`, rates.killAtStore) : null
  const when =
    death === null ? null : (["before", "within", "after"] as const)[decisions.below(`when ${death}`, 3)]!
  if (when === "before") {
    faults.kill()
    return yield* Effect.never
  }
  // Where there is no middle, nothing was done either.
  if (when === "within" && !(method !== "rateWindows.step" && faults.killWithin())) {
    faults.kill()
    return yield* Effect.never
  }
  if (when === "within") {
    yield* Effect.exit(call)
    // If it came to its end without a transaction, nothing was written, and nothing is lost.
    faults.kill()
    return yield* Effect.never
  }
  const given = argsNow(method, args)
  const done = Effect.map(call, (answer) => {
    const process = faults.process()
    faults.onStored({ method, faultPoint, args: given, answer, call: by, serviceNow: process.now, process })
    return answer
  })
  // What is done for a client that goes away meanwhile is done to its end.
  const answer = yield* goesAfter === undefined ? done : Effect.uninterruptible(done)
  if (when === "after") {
    faults.kill()
    return yield* Effect.never
  }
  yield* Effect.yieldNow()
  if (writes && decisions.fault(`done but failed ${label}`, rates.doneButFailed) !== null) {
    faults.onStruck(method, by, retryMillis, true)
    return yield* down
  }
  return answer
})

/** The same store, disturbed: each method is an effect, or a function that answers one. Waiting for the bell is no call. */
export const faulty = (store: Context.Context<Stores>, faults: StoreFaults): Context.Context<Stores> =>
  wrapStore(store, (of, member) => {
    if (of.operation === "wait") return member
    return typeof member === "function"
      ? (...args: ReadonlyArray<unknown>) => {
          const noting = notingArgs(of.method, args)
          return disturbed(of, noting, member(...noting), faults)
        }
      : disturbed(of, [], member as Effect.Effect<unknown, unknown>, faults)
  })
