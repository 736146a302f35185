/** Reads a request for a list of deliveries from its query parameters. [DELIV-8] */
import { Either } from "effect"
import { type DeliveryState } from "../model/Delivery.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Page from "./Page.ts"
import * as Parameters from "./Parameters.ts"

/**
 * The states by which an operator lists deliveries. A pending delivery is `held` while its webhook is disabled.
 * [DELIV-8]
 */
export const reportedStates = ["pending", "held", "delivered", "dead"] as const
/** One of `reportedStates`. */
export type ReportedState = (typeof reportedStates)[number]

/** The query parameters of a delivery list; any other is ignored with a warning. [LIST-10] */
export const listParameters = ["state", "page", "pageSize"] as const

/** A request for a page of deliveries, read and checked. */
export interface DeliveryQuery {
  /** Lists deliveries of this state alone; null lists all. */
  readonly state: ReportedState | null
  /** The page, with at most 100 deliveries. */
  readonly page: Page.Page
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

const state = (value: string | undefined): Either.Either<ReportedState | null, InvalidParameter> => {
  if (value === undefined) return Either.right(null)
  const known = reportedStates.find((each) => each === value)
  return known === undefined
    ? Either.left(Parameters.invalid("state", `takes one of ${reportedStates.join(", ")}`))
    : Either.right(known)
}

/**
 * Reads the parameters of a delivery list. Left: the first parameter that is malformed or given twice, and what it
 * takes. [LIST-7, PAGE-5, DELIV-8]
 */
export const readList = (entries: Parameters.Entries): Either.Either<DeliveryQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, listParameters)
    const page = yield* Parameters.integer(known, "page")
    const pageSize = yield* Parameters.integer(known, "pageSize")
    return {
      state: yield* state(known.values.get("state")),
      page: Page.of({ page, pageSize, withEngagements: false }),
      ignored: known.ignored
    }
  })

/** The state that an operator sees: `held` for a pending delivery of a disabled webhook, else the stored one. */
export const reportedState = (stored: DeliveryState, webhookEnabled: boolean): ReportedState =>
  stored === "pending" && !webhookEnabled ? "held" : stored

/**
 * The stored state behind a reported one. Null stands for every state; undefined means that no delivery of this webhook can
 * have the reported state.
 */
export const storedState = (
  reported: ReportedState | null,
  webhookEnabled: boolean
): DeliveryState | null | undefined => {
  if (reported === "held") return webhookEnabled ? undefined : "pending"
  return reported === "pending" && !webhookEnabled ? undefined : reported
}
