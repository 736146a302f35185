/** The operator of a call, and what the operator may do. [OPER-10, OPER-12] */
import {
  type AccessToken,
  type AuditActor,
  type BrandId,
  NotFound,
  type OperatorScope,
  operatorScopes
} from "@lead-signals/domain"
import { Context, Effect } from "effect"
import { Forbidden } from "./contract/Failures.ts"

/** The operator for whom a call's credential stands. */
export interface Operator {
  /** The actor in the audit log. */
  readonly actor: AuditActor
  /** Whether the call came with a browser's session instead of the credential itself. */
  readonly viaSession: boolean
  /** The scopes that the operator has. */
  readonly scopes: ReadonlyArray<OperatorScope>
  /** The brands that the operator reaches; null for every brand. */
  readonly brandIds: ReadonlyArray<BrandId> | null
}

/** The operator of the call that is being served. */
export class CurrentOperator extends Context.Tag("@lead-signals/http/CurrentOperator")<
  CurrentOperator,
  Operator
>() {}

/** How a call's credential came: in the request's header, or as a browser's session. */
export type CredentialCarrier = "header" | "session"

/** The operator with the token of the host's environment, who may do everything. */
export const ofEnvironment = (carrier: CredentialCarrier): Operator => ({
  actor: { type: "environment", id: null },
  viaSession: carrier === "session",
  scopes: operatorScopes,
  brandIds: null
})

/** The operator with a stored token. */
export const ofToken = ({ brandIds, id, scopes }: AccessToken, carrier: CredentialCarrier): Operator => ({
  actor: { type: "token", id },
  viaSession: carrier === "session",
  scopes,
  brandIds
})

/** Whether the operator reaches the brand. */
export const reaches = ({ brandIds }: Operator, brandId: BrandId): boolean =>
  brandIds === null || brandIds.includes(brandId)

/** What a call needs of its operator. */
export interface Needs {
  /** The scope that permits the call. */
  readonly scope: OperatorScope
  /** Another scope that permits it, too; undefined for most calls. */
  readonly orScope?: OperatorScope | undefined
  /** The brand that the path names; null where it names none. */
  readonly brandId: BrandId | null
  /** Whether a call that names no brand is open to operators who are limited to brands; the call then shows their brands alone. */
  readonly takesLimited: boolean
}

/**
 * Succeeds where the operator may make the call. Fails with `Forbidden` without the scope, and where a call without a brand is not open to an
 * operator who is limited to brands. Fails with `NotFound` for a brand that the operator does not reach, whether it exists or not. [OPER-10,
 * OPER-12]
 */
export const permit = (
  operator: Operator,
  { brandId, orScope, scope, takesLimited }: Needs
): Effect.Effect<void, Forbidden | NotFound> => {
  if (!operator.scopes.includes(scope) && !(orScope !== undefined && operator.scopes.includes(orScope)))
    return Effect.fail(new Forbidden({ reason: "scope", scope }))
  if (brandId === null)
    return operator.brandIds === null || takesLimited
      ? Effect.void
      : Effect.fail(new Forbidden({ reason: "brands" }))
  return reaches(operator, brandId) ? Effect.void : Effect.fail(new NotFound({ resource: "brand" }))
}
