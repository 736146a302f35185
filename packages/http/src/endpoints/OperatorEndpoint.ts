/**
 * The rows of the operator API. Each declares the scope that its call needs. `servedToOperators` accepts no other rows, so a call without a scope
 * does not compile. [OPER-10, AUD-1]
 */
import {
  type AccessTokenStore,
  type AuditLog,
  elapsedMillis,
  type Entropy,
  type IdempotencyRecords,
  type OperatorScope
} from "@lead-signals/domain"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Either, Option } from "effect"
import { aroundChange, aroundRead, idIn, type Outcome } from "../AuditTrail.ts"
import { operatorNow, type OperatorToken } from "../Authentication.ts"
import { InvalidOperatorToken } from "../contract/Failures.ts"
import { CurrentOperator, type Needs, permit } from "../CurrentOperator.ts"
import { hasKey, idempotently } from "../Idempotency.ts"
import type { Sessions } from "../Sessions.ts"
import type * as HttpApi from "@effect/platform/HttpApi"
import {
  type BodyDocumentation,
  type PermissionFailure,
  responseTo,
  routed,
  type RoutedEndpoint,
  served,
  warned
} from "./Endpoint.ts"

type Declaration = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** How the audit log records a call: as a change, as a read of personal data in bulk, or not at all. */
type Audited = "change" | "read" | "none"

/** A row that only operators can call. */
export interface OperatorEndpoint<
  Declared extends HttpApiEndpoint.HttpApiEndpoint.Any,
  R
> extends RoutedEndpoint<Declared, R> {
  /** The scope that a call needs. */
  readonly scope: OperatorScope
  /** How the audit log records a call. */
  readonly audited: Audited
  /** Whether a call can have an Idempotency-Key. [IDEM-1] */
  readonly takesKey: boolean
}

interface OperatorRow {
  /** The scope that a call needs. */
  readonly scope: OperatorScope
  /** As in `Needs`; no other scope unless given. */
  readonly orScope?: OperatorScope
  /** How the audit log records a call; unless given, a `GET` not at all, and every other call as a change. */
  readonly audited?: Audited
  /** As in `Needs`; false unless given. */
  readonly takesLimited?: boolean
  /**
   * Whether a call can have an Idempotency-Key; true for a `POST` unless given. On other calls the header is ignored, because repeating them is
   * safe. [IDEM-1]
   */
  readonly takesKey?: boolean
}

/** The id of a created thing in an answer `{ data: { id } }`; null where there is none. */
const createdIdOf = (answer: unknown): string | null =>
  idIn((answer as { readonly data?: { readonly id?: unknown } } | undefined)?.data?.id)

/** The id of the thing that the path names; null where it names none. */
const subjectOf = (path: Readonly<Record<string, string>>): string | null =>
  idIn(path["deliveryId"] ?? path["keyId"] ?? path["tokenId"] ?? path["id"])

const outcomeIn = (declared: Declaration) => {
  const success = HttpApiSchema.getStatusSuccess(declared.successSchema)
  return (answer: unknown): Outcome => {
    if (HttpServerResponse.isServerResponse(answer)) return { status: answer.status, createdId: null }
    return { status: answer === undefined ? 204 : success, createdId: createdIdOf(answer) }
  }
}

/** What each row needs besides what its handler needs. */
type KeyedNeeds =
  | CurrentOperator
  | AuditLog
  | IdempotencyRecords
  | Entropy
  | HttpServerRequest.HttpServerRequest
  | OperatorToken
  | AccessTokenStore
  | Sessions

/** Milliseconds that a body may take to come before the credential of its call is looked up again. */
const freshMillis = 1000

/** Fails where the credential of the request does not permit the call any more. [OPER-11] */
const permissionNow = (
  { headers }: HttpServerRequest.HttpServerRequest,
  needs: Needs
): Effect.Effect<void, PermissionFailure, OperatorToken | AccessTokenStore | Sessions> =>
  Effect.flatMap(
    operatorNow({ authorization: headers["authorization"], cookie: headers["cookie"] }),
    (operator): Effect.Effect<void, PermissionFailure> =>
      operator === null ? Effect.fail(new InvalidOperatorToken()) : permit(operator, needs)
  )

/** The body, unless its client held it back until the call was not permitted any more. */
const whilePermitted = <A, E, R>(
  received: Effect.Effect<A, E, R>,
  permission: Effect.Effect<void, PermissionFailure>
): Effect.Effect<A, E | PermissionFailure, R> =>
  Effect.gen(function* () {
    const begunAt = yield* elapsedMillis
    const bytes = yield* received
    if ((yield* elapsedMillis) - begunAt >= freshMillis) yield* permission
    return bytes
  })

/**
 * Makes a row of the operator API. A call passes where the operator has the scope and reaches the brand; it writes the audit log, and repeats the
 * answer of an earlier call with the same Idempotency-Key. [OPER-10, OPER-12, AUD-1, IDEM-1]
 */
export const operatorEndpoint = <Declared extends HttpApiEndpoint.HttpApiEndpoint.Any, R>(
  declared: Declared,
  {
    audited,
    handle,
    orScope,
    scope,
    takesKey,
    takesLimited = false,
    ...documentation
  }: OperatorRow &
    BodyDocumentation<HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>> &
    Pick<RoutedEndpoint<Declared, R>, "handle">
): OperatorEndpoint<Declared, R | KeyedNeeds> => {
  const declaration = declared as unknown as Declaration
  const { method, name } = declaration
  const kept = audited ?? (method === "GET" ? "none" : "change")
  const isKeyed = takesKey ?? method === "POST"
  const takesBody = Option.isSome(declaration.payloadSchema)
  const outcomeOf = outcomeIn(declaration)
  const respond = responseTo(declaration)
  const serve = warned(declared, handle)
  const row = routed<Declared, R | KeyedNeeds>(declared, {
    ...(documentation as BodyDocumentation<HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>>),
    handle: (request) =>
      Effect.gen(function* () {
        const operator = yield* CurrentOperator
        const path = (request.path ?? {}) as Readonly<Record<string, string>>
        const { actor, viaSession } = operator
        const call = {
          actor,
          viaSession,
          operation: name,
          brandId: idIn(path["brandId"]),
          subjectId: subjectOf(path)
        }
        const recorded = <A, E, R2>(work: Effect.Effect<A, E, R2>) => {
          if (kept === "none") return work
          return kept === "change"
            ? aroundChange(call, work, outcomeOf)
            : aroundRead(call, work, (answer) => outcomeOf(answer).status)
        }
        const needs = { scope, orScope, takesLimited, brandId: path["brandId"] ?? null }
        const permitted = permit(operator, needs)
        const checkPermission = Effect.provide(
          permissionNow(request.request, needs),
          yield* Effect.context<OperatorToken | AccessTokenStore | Sessions>()
        )
        const bodyBytes = whilePermitted(request.bodyBytes, checkPermission)
        const body = takesBody ? Effect.flatMap(bodyBytes, request.decodeBody) : request.body
        const checked = { ...request, bodyBytes, body, checkPermission }
        if (!isKeyed || !hasKey(request.request))
          return yield* recorded(Effect.zipRight(permitted, serve(checked)))
        const refused = yield* Effect.either(permitted)
        if (Either.isLeft(refused)) return yield* recorded(Effect.fail(refused.left))
        // A repetition that gets the kept answer changes nothing, so it has no entry of its own. [AUD-1]
        return yield* idempotently({
          operator,
          respond,
          request: request.request,
          received: bodyBytes,
          run: (bytes, bound) => recorded(bound(serve({ ...checked, body: request.decodeBody(bytes) })))
        })
      })
  })
  return { ...row, scope, audited: kept, takesKey: isKeyed }
}

/** The layer that serves a table of operators' rows as the group `id` of the API. */
export const servedToOperators = <
  Id extends string,
  Table extends Readonly<Record<string, OperatorEndpoint<any, any>>>
>(
  api: HttpApi.HttpApi<"lead-signals", any, any, any>,
  id: Id,
  table: Table
) => served(api, id, table)
