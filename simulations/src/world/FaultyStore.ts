/**
 * The store's ports with a turn for others before and after every call, and with the seed's faults. Without the turns a
 * store in memory would answer in one step, and nothing could come between.
 */
import { StoreUnavailable } from "@lead-signals/domain"
import type { Prng } from "@lead-signals/simulator"
import { Effect } from "effect"
import type { FaultRates } from "./Faults.ts"

const slowestMillis = 1000

/** Ports whose calls only look: for them there is no "done, but failed". */
const looks =
  /^(after|list|get|engagements|brands?|keys|keyByHash|signals|campaigns?|snapshot|webhooks?|ping)$/

const down = new StoreUnavailable({ reason: "simulated" })

export interface StoreFaults {
  readonly rates: () => FaultRates
  readonly prng: Prng
  readonly onFault: (kind: string, method: string) => void
}

const disturbed = (
  method: string,
  call: Effect.Effect<unknown, unknown>,
  { onFault, prng, rates }: StoreFaults
): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    const { doneButFailed, slowStore, storeDown } = rates()
    yield* Effect.yieldNow()
    if (prng.chance(slowStore)) yield* Effect.sleep(1 + prng.below(slowestMillis))
    if (prng.chance(storeDown)) {
      onFault("store-down", method)
      return yield* down
    }
    const answer = yield* call
    yield* Effect.yieldNow()
    if (!looks.test(method) && prng.chance(doneButFailed)) {
      onFault("done-but-failed", method)
      return yield* down
    }
    return answer
  })

/** Waiting for the bell is no call of the store. */
const untouched = new Set(["queued"])

/** The same port, disturbed. A port is an object of effects and of functions that answer effects. */
export const faulty = <Port extends object>(port: Port, faults: StoreFaults): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, member]) => {
      if (untouched.has(name)) return [name, member]
      return [
        name,
        typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) => disturbed(name, member(...args), faults)
          : disturbed(name, member, faults)
      ]
    })
  ) as Port
