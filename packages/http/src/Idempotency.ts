/**
 * Calls with an Idempotency-Key: a repetition gets the answer of the first, and changes nothing. What is kept, and when, docs/operator-api.md
 * says for those who call. [IDEM-1 … IDEM-6]
 */
import {
  currentReservation,
  Entropy,
  Idempotency,
  IdempotencyRecords,
  IdempotencyRetention,
  InvalidParameter,
  type Reservation,
  type Reserved,
  type StoreUnavailable
} from "@lead-signals/domain"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Clock, Effect, Either } from "effect"
import { bytesToHex } from "@noble/hashes/utils.js"
import { errorBody, errorResponseOf } from "./contract/Failures.ts"
import {
  answerLost,
  keyInUse,
  keyReused,
  replayedHeader,
  tooManyKeys
} from "./contract/IdempotencyAnswers.ts"
import type { Operator } from "./CurrentOperator.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Responses from "./Responses.ts"

/** A call that may bear a key. */
interface KeyedCall<A, E, R, E2, R2> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly operator: Operator
  /** Reads the body. */
  readonly received: Effect.Effect<Uint8Array, E2, R2>
  /**
   * Does what is asked, with the bytes of the body. What it changes, and nothing else, it does within `bound`.
   */
  readonly run: (
    bytes: Uint8Array,
    bound: <B, BE, BR>(change: Effect.Effect<B, BE, BR>) => Effect.Effect<B, BE, BR>
  ) => Effect.Effect<A, E, R>
  /** The response with an answer of `run`. */
  readonly respond: (answer: A) => HttpServerResponse.HttpServerResponse
}

const holderBytes = 16

const actorOf = ({ actor }: Operator): string =>
  actor.id === null ? actor.type : `${actor.type} ${actor.id}`

/** Success, and the refusals that the same request would get again from the same data. [IDEM-4] */
const isKept = (status: number): boolean =>
  (status >= 200 && status < 300) || status === 400 || status === 404

const bodyText = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const withRetryAfter = (response: HttpServerResponse.HttpServerResponse, seconds: number) =>
  HttpServerResponse.setHeader(response, "retry-after", String(seconds))

const refusal = ({ code, message, status }: typeof keyInUse) => Responses.error(status, code, message)

const unrecorded =
  (what: string) =>
  ({ reason }: StoreUnavailable) =>
    Effect.logWarning(what).pipe(Effect.annotateLogs({ reason }))

/** Runs the call under its reservation, and keeps its answer or forgets the reservation. The client can't interrupt it. */
const runReserved = <A, E, R>(
  { respond, run }: Pick<KeyedCall<A, E, R, never, never>, "respond" | "run">,
  reservation: Reservation,
  bytes: Uint8Array,
  seal: (answer: IdempotencyKey.KeptAnswer) => Effect.Effect<string | null>
) =>
  Effect.gen(function* () {
    const records = yield* IdempotencyRecords
    const keep = (answer: IdempotencyKey.KeptAnswer) =>
      Effect.catchAll(
        Effect.flatMap(seal(answer), (sealed) => records.complete(reservation, sealed)),
        unrecorded("the answer to an Idempotency-Key could not be kept")
      )
    const release = Effect.catchAll(
      records.release(reservation),
      unrecorded("an Idempotency-Key could not be released")
    )
    return yield* Effect.matchCauseEffect(
      run(bytes, (change) => Effect.locally(change, currentReservation, reservation)),
      {
        onSuccess: (answer) => {
          const response = respond(answer)
          const { status } = response
          return Effect.as(isKept(status) ? keep({ status, body: bodyText(response) }) : release, response)
        },
        onFailure: (cause) => {
          const known = Cause.isDie(cause) ? null : errorResponseOf(Cause.squash(cause))
          const kept =
            known === null || !isKept(known.status)
              ? release
              : keep({
                  status: known.status,
                  body: JSON.stringify(errorBody(known.code, known.message))
                })
          return Effect.zipRight(kept, Effect.failCause(cause))
        }
      }
    )
  }).pipe(Effect.uninterruptible)

/** How many records of more than a day a new one takes with it: in a host that runs no retention they don't gather either. */
const prunedWithNew = 10

/** Removes the oldest records of more than a day, at most `limit`, and answers how many; 0 after a failure. */
const pruneSome = (records: typeof IdempotencyRecords.Service, limit: number): Effect.Effect<number> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.orElseSucceed(records.prune({ before: now - Idempotency.keptMillis, limit }), () => 0)
  )

/**
 * Reserves the key. Records of more than a day count towards the operator's number until they are removed: where they leave no room, a
 * piece of them goes first, for a host that runs no retention would else refuse new keys for ever. [IDEM-6]
 */
const reserve = (
  records: typeof IdempotencyRecords.Service,
  request: Idempotency.ReserveRequest
): Effect.Effect<Reserved, StoreUnavailable> =>
  Effect.gen(function* () {
    const reserved = yield* records.reserve(request)
    if (reserved.type !== "tooMany") return reserved
    const pruned = yield* pruneSome(records, IdempotencyRetention.pieceSize)
    return pruned === 0 ? reserved : yield* records.reserve(request)
  })

/** Whether the request bears a key. */
export const hasKey = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers[IdempotencyKey.headerName] !== undefined

/** Answers a call that bears a key: runs it, or repeats the answer that it had, or refuses it. */
export const idempotently = <A, E, R, E2, R2>(call: KeyedCall<A, E, R, E2, R2>) =>
  Effect.gen(function* () {
    const { operator, received, request } = call
    const key = yield* Either.mapLeft(
      IdempotencyKey.parse(request.headers[IdempotencyKey.headerName] ?? ""),
      (message) => new InvalidParameter({ parameter: "Idempotency-Key", message })
    )
    const bytes = yield* received
    const [records, entropy] = yield* Effect.all([IdempotencyRecords, Entropy])
    const actor = actorOf(operator)
    const path = request.url.split("?", 1)[0]!
    const derived = IdempotencyKey.derive(key, { actor, method: request.method, path })
    const holder = bytesToHex(yield* entropy.bytes(holderBytes))
    const fingerprint = IdempotencyKey.fingerprint(key, request.url, bytes)
    const reservation: Reservation = { id: derived.id, holder }
    const reserved = yield* reserve(records, { ...reservation, actor, fingerprint })
    switch (reserved.type) {
      case "reserved":
        yield* pruneSome(records, prunedWithNew)
        return yield* runReserved(call, reservation, bytes, (answer) =>
          Effect.map(entropy.bytes(IdempotencyKey.nonceBytes), (nonce) =>
            IdempotencyKey.seal(derived, nonce, answer)
          )
        )
      case "answered": {
        const kept = IdempotencyKey.open(derived, reserved.answer)
        if (kept === null) return refusal(answerLost)
        return HttpServerResponse.text(kept.body, {
          status: kept.status,
          contentType: "application/json",
          headers: { [replayedHeader]: "true" }
        })
      }
      case "inProgress":
        return withRetryAfter(refusal(keyInUse), Math.max(1, Math.ceil(reserved.retryAfterMillis / 1000)))
      case "answerLost":
        return refusal(answerLost)
      case "otherRequest":
        return refusal(keyReused)
      case "tooMany":
        return withRetryAfter(refusal(tooManyKeys), tooManyKeys.retryAfterSeconds)
    }
  })
