/** Turns whatever comes of the work on a request into a response and a line in the log. No failure and no defect passes. */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Cause, Effect } from "effect"
import type { ErrorResponse } from "./contract/ErrorResponse.ts"
import { errorResponseOf } from "./contract/Failures.ts"
import { logDefect, logRequest, logUnavailable } from "./RequestLog.ts"
import type { RequestObserver } from "./RequestObserver.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import * as Responses from "./Responses.ts"

const internalError: ErrorResponse = {
  status: 500,
  code: "internal_error",
  message: Responses.internalMessage
}

/** The answer of a path that the API does not have. */
export const unknownPath: ErrorResponse = {
  status: 404,
  code: "not_found",
  message: "This path does not exist; GET /openapi.json lists all paths."
}

/** The response to a failure or defect; what the operator should know of it is logged. */
const errorResponseTo = (cause: Cause.Cause<unknown>): Effect.Effect<ErrorResponse> => {
  const failure = Cause.squash(cause) as { readonly _tag?: unknown } | null
  if (failure?._tag === "RouteNotFound") return Effect.succeed(unknownPath)
  const known = Cause.isDie(cause) ? null : errorResponseOf(failure)
  if (known === null) return Effect.as(logDefect(cause), internalError)
  return failure?._tag === "@lead-signals/domain/StoreUnavailable"
    ? Effect.as(logUnavailable(failure as StoreUnavailable), known)
    : Effect.succeed(known)
}

/** How a kind of response shows its status, and is made of an error. */
export interface ResponseForm<A> {
  readonly statusOf: (response: A) => number
  readonly fromError: (error: ErrorResponse) => A
}

/** Runs the work on a request within the host's observer. An interruption is logged as an abort and passed on. */
export const respond = <A, R>(
  record: RequestRecord,
  observer: typeof RequestObserver.Service,
  work: Effect.Effect<A, unknown, R>,
  { fromError, statusOf }: ResponseForm<A>
): Effect.Effect<A, never, R> => {
  const log = (response: A) => Effect.as(logRequest(record, statusOf(response), observer), response)
  const whole = Effect.uninterruptibleMask((restore) =>
    Effect.matchCauseEffect(restore(work), {
      onSuccess: log,
      onFailure: (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.zipRight(logRequest(record, null, observer), Effect.failCause(cause as Cause.Cause<never>))
          : Effect.flatMap(
              Effect.annotateLogs(Effect.map(errorResponseTo(cause), fromError), { requestId: record.id }),
              log
            )
    })
  )
  return observer.around(`${record.method} ${record.route ?? "none"}`, whole)
}
