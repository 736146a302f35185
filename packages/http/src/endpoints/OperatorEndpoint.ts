/**
 * The rows of the operator API. Each declares the scope that its call needs, and `servedToOperators` takes such rows alone: the compiler
 * refuses a call without a scope. [OPER-10, AUD-1]
 */
import type { AuditLog, OperatorScope, StoreUnavailable } from "@lead-signals/domain"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { aroundChange, aroundRead, idIn, type Outcome } from "../AuditTrail.ts"
import { CurrentOperator, permit } from "../CurrentOperator.ts"
import type * as HttpApi from "@effect/platform/HttpApi"
import { type BodyDocumentation, endpoint, type RoutedEndpoint, served } from "./Endpoint.ts"

type Declaration = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** How the audit log records the calls of a row: as a change, as a read of personal data in bulk, or not at all. */
type Audited = "change" | "read" | "none"

/** A row for the platform's router that operators alone call. */
export interface OperatorEndpoint<
  Declared extends HttpApiEndpoint.HttpApiEndpoint.Any,
  R
> extends RoutedEndpoint<Declared, R> {
  readonly scope: OperatorScope
  readonly audited: Audited
}

interface OperatorRow {
  /** The scope that a call needs. */
  readonly scope: OperatorScope
  /** What the audit log keeps; without it, a call that is no `GET` is a change. */
  readonly audited?: Audited
  /** As in `Needs`; false unless given. */
  readonly takesLimited?: boolean
}

/** The id in `{ data: { id } }` of a new thing. */
const createdIdOf = (answer: unknown): string | null =>
  idIn((answer as { readonly data?: { readonly id?: unknown } } | undefined)?.data?.id)

const subjectOf = (path: Readonly<Record<string, string>>): string | null =>
  idIn(path["deliveryId"] ?? path["keyId"] ?? path["tokenId"] ?? path["id"])

const outcomeIn = (declared: Declaration) => {
  const success = HttpApiSchema.getStatusSuccess(declared.successSchema)
  return (answer: unknown): Outcome => {
    if (HttpServerResponse.isServerResponse(answer)) return { status: answer.status, createdId: null }
    return { status: answer === undefined ? 204 : success, createdId: createdIdOf(answer) }
  }
}

/** A row of operators: it lets those pass who have the scope and reach the brand, and writes the audit log. */
export const operatorEndpoint = <Declared extends HttpApiEndpoint.HttpApiEndpoint.Any, R>(
  declared: Declared,
  {
    audited,
    handle,
    scope,
    takesLimited = false,
    ...documentation
  }: OperatorRow &
    BodyDocumentation<HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>> &
    Pick<RoutedEndpoint<Declared, R>, "handle">
): OperatorEndpoint<Declared, R | CurrentOperator | AuditLog> => {
  const { method, name } = declared as unknown as Declaration
  const kept = audited ?? (method === "GET" ? "none" : "change")
  const outcomeOf = outcomeIn(declared as unknown as Declaration)
  const row = endpoint<Declared, R | CurrentOperator | AuditLog>(declared, {
    ...(documentation as BodyDocumentation<HttpApiEndpoint.HttpApiEndpoint.Payload<Declared>>),
    handle: (request) =>
      Effect.gen(function* () {
        const operator = yield* CurrentOperator
        const path = (request.path ?? {}) as Readonly<Record<string, string>>
        const work = Effect.zipRight(
          permit(operator, { scope, takesLimited, brandId: path["brandId"] ?? null }),
          handle(request)
        )
        if (kept === "none") return yield* work
        const { actor, viaSession } = operator
        const call = {
          actor,
          viaSession,
          operation: name,
          brandId: idIn(path["brandId"]),
          subjectId: subjectOf(path)
        }
        return yield* kept === "change"
          ? aroundChange(call, work, outcomeOf)
          : aroundRead(call, work, (answer) => outcomeOf(answer).status)
      }) satisfies Effect.Effect<unknown, unknown | StoreUnavailable, unknown>
  })
  return { ...row, scope, audited: kept }
}

/** Serves the rows as a group of the API that operators call. */
export const servedToOperators = <
  Id extends string,
  Table extends Readonly<Record<string, OperatorEndpoint<any, any>>>
>(
  api: HttpApi.HttpApi<"lead-signals", any, any, any>,
  id: Id,
  table: Table
) => served(api, id, table)
