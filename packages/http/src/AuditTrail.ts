/** Entries of the audit log around calls. [AUD-1, AUD-2, AUD-3, AUD-6] */
import { type AuditEntry, AuditLog, type StoreUnavailable } from "@lead-signals/domain"
import { Cause, Clock, Effect } from "effect"
import { errorResponseOf } from "./contract/Failures.ts"

/** What is known of a call when it begins. */
export type AuditedCall = Pick<AuditEntry, "actor" | "viaSession" | "operation" | "brandId" | "subjectId">

/** What a call has come to: the status of its answer, and the id of what it created. */
export interface Outcome {
  readonly status: number
  readonly createdId: string | null
}

/**
 * A text that has the form of an id, which as a number is a safe integer; null for any other, which could be personal data. [AUD-3]
 */
export const idIn = (text: unknown): string | null =>
  typeof text === "string" &&
  /^(?:[1-9][0-9]{0,15}|wh_[0-9a-f]{32})$/.test(text) &&
  !(Number(text) > Number.MAX_SAFE_INTEGER)
    ? text
    : null

const statusOfFailure = (cause: Cause.Cause<unknown>): number =>
  (Cause.isDie(cause) ? null : errorResponseOf(Cause.squash(cause)))?.status ?? 500

const uncompleted = ({ reason }: StoreUnavailable) =>
  Effect.logWarning("audit entry without outcome").pipe(Effect.annotateLogs({ reason }))

/**
 * Runs a call that changes something. Its entry is durable before it runs; one that can't be written ends the call with
 * `StoreUnavailable`, and nothing has changed. The status follows before the answer. Where it can't be written, or the client has left,
 * the entry stays without one. [AUD-2]
 */
export const aroundChange = <A, E, R>(
  call: AuditedCall,
  work: Effect.Effect<A, E, R>,
  outcomeOf: (answer: A) => Outcome
): Effect.Effect<A, E | StoreUnavailable, R | AuditLog> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const id = yield* log.append({ ...call, at: yield* Clock.currentTimeMillis, status: null })
    const complete = ({ createdId, status }: Outcome) =>
      Effect.catchAll(log.complete(id, { status, subjectId: call.subjectId ?? createdId }), uncompleted)
    return yield* work.pipe(
      Effect.tap((answer) => complete(outcomeOf(answer))),
      Effect.tapErrorCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : complete({ status: statusOfFailure(cause), createdId: null })
      )
    )
  })

/**
 * Runs a call that reads. Its entry is durable before its answer goes out; one that can't be written turns the answer into
 * `StoreUnavailable`. [AUD-2]
 */
export const aroundRead = <A, E, R>(
  call: AuditedCall,
  work: Effect.Effect<A, E, R>,
  statusOf: (answer: A) => number
): Effect.Effect<A, E | StoreUnavailable, R | AuditLog> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const at = yield* Clock.currentTimeMillis
    const append = (status: number) => log.append({ ...call, at, status })
    return yield* Effect.matchCauseEffect(work, {
      onSuccess: (answer) => Effect.as(append(statusOf(answer)), answer),
      onFailure: (cause): Effect.Effect<never, E | StoreUnavailable> =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause)
          : Effect.zipRight(append(statusOfFailure(cause)), Effect.failCause(cause))
    })
  })
