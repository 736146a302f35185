/** Under which circumstances of a run a rule can be judged at all. */
import type { Plan } from "../plan/Plan.ts"
import type { KnownFacts } from "../world/KnownFacts.ts"

/** No call is cut off by a kill or by the store: what was done is recorded, and somebody received the answer. */
export const isEveryCallEnded = ({ rates, scheduledFaults }: Plan): boolean =>
  rates.killAtStore === 0 &&
  rates.storeDown === 0 &&
  rates.doneButFailed === 0 &&
  rates.connectionLoss === 0 &&
  scheduledFaults.every(({ fault }) => !["kill", "storeCut", "receiverCut", "failover"].includes(fault))

/** The service's clock has been right so far. */
export const isClockRight = ({ coverageMarks }: KnownFacts): boolean =>
  !coverageMarks.has("the clock jumped") && !coverageMarks.has("the clock went wrong")
