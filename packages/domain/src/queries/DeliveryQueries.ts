/** Reads the query of a delivery list, and since when to recover. [DELIV-8] */
import { Either } from "effect"
import { type DeliveryState } from "../model/Delivery.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import * as Page from "./Page.ts"
import * as Parameters from "./Parameters.ts"

/**
 * What an operator calls the state of a delivery: a pending one is `held` while its webhook is disabled.
 */
export const reportedStates = ["pending", "held", "delivered", "dead"] as const
export type ReportedState = (typeof reportedStates)[number]

export const listParameters = ["state", "page", "pageSize"] as const

export interface DeliveryQuery {
  readonly state: ReportedState | null
  readonly page: Page.Page
  readonly warnings: ReadonlyArray<string>
}

const state = (value: string | undefined): Either.Either<ReportedState | null, InvalidParameter> => {
  if (value === undefined) return Either.right(null)
  const known = reportedStates.find((each) => each === value)
  return known === undefined
    ? Either.left(Parameters.invalid("state", `takes one of ${reportedStates.join(", ")}`))
    : Either.right(known)
}

export const readList = (entries: Parameters.Entries): Either.Either<DeliveryQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, listParameters)
    const page = yield* Parameters.integer(known, "page")
    const pageSize = yield* Parameters.integer(known, "pageSize")
    return {
      state: yield* state(known.values.get("state")),
      page: Page.of({ page, pageSize, withEngagements: false }),
      warnings: known.warnings
    }
  })

export const reportedState = (stored: DeliveryState, webhookEnabled: boolean): ReportedState =>
  stored === "pending" && !webhookEnabled ? "held" : stored

/** The stored state that is shown so, null for every state, undefined when nothing of this webhook can be shown so. */
export const storedState = (
  shown: ReportedState | null,
  webhookEnabled: boolean
): DeliveryState | null | undefined => {
  if (shown === "held") return webhookEnabled ? undefined : "pending"
  return shown === "pending" && !webhookEnabled ? undefined : shown
}
