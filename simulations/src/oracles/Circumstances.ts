/** Under which circumstances of a run a rule can be judged at all. */
import type { Plan } from "../plan/Plan.ts"
import type { Ledger } from "../world/Ledger.ts"

/** No call is cut off by a kill or by the store: what was done is recorded, and somebody was told of it. */
export const isEveryCallEnded = ({ rates, troubles }: Plan): boolean =>
  rates.killAtStore === 0 &&
  rates.storeDown === 0 &&
  rates.doneButFailed === 0 &&
  troubles.every(({ trouble }) => trouble !== "kill")

/** The service's clock has told the time so far. */
export const isClockRight = ({ marks }: Ledger): boolean =>
  !marks.has("the clock jumped") && !marks.has("the clock went wrong")
