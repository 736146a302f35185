/** A rule about the whole system that must hold in every run. Each oracle is a file; none shares code with the domain. */
import type { Answered, Call, KnownFacts, LoggedLine, ReceivedPost, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"

/** Each answers what is wrong, or null. */
export interface OracleInstance {
  /** The store has done something. */
  readonly stored?: (done: Stored) => string | null
  /** A process of the service begins with a request. */
  readonly handled?: (call: Call) => void
  /** The service has answered, whether the answer arrives or not. */
  readonly answered?: (answered: Answered) => string | null
  /** A process of the service has written a line of its log. */
  readonly logged?: (line: LoggedLine) => string | null
  /** A receiver of webhooks got something. */
  readonly posted?: (post: ReceivedPost) => string | null
  /** A failover of the store has lost what it did later than `since`, in virtual milliseconds since 1970. */
  readonly tailLost?: (since: number) => void
  /** The faults have stopped, everything is quiet, and what is owed had time to come. */
  readonly conclude?: () => string | null
}

/** Stateless: `instantiate` makes what listens to one run. */
export interface Oracle {
  readonly name: string
  /** `checks` counts how often each rule of the oracle is judged, and how often only in part. */
  readonly instantiate: (facts: KnownFacts, checks: Checks) => OracleInstance
}
