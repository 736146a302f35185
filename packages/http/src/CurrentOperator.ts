/** The operator who makes a call: who that is, and what the call may reach. [OPER-10, OPER-12] */
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

/** Whom the credential of a call stands for. */
export interface Operator {
  /** As the audit log names them. */
  readonly actor: AuditActor
  /** Whether a browser's session stands for the credential. */
  readonly viaSession: boolean
  /** What the operator may do. */
  readonly scopes: ReadonlyArray<OperatorScope>
  /** The brands that the operator reaches; null for every brand. */
  readonly brandIds: ReadonlyArray<BrandId> | null
}

/** The operator of the call that is being served. */
export class CurrentOperator extends Context.Tag("@lead-signals/http/CurrentOperator")<
  CurrentOperator,
  Operator
>() {}

/** What carries the credential of a call: its own header, or the session of a browser. */
export type CredentialCarrier = "header" | "session"

/** Who bears the environment's token. */
export const ofEnvironment = (carrier: CredentialCarrier): Operator => ({
  actor: { type: "environment", id: null },
  viaSession: carrier === "session",
  scopes: operatorScopes,
  brandIds: null
})

/** Who bears the stored token. */
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
  readonly scope: OperatorScope
  /** Another scope that is as good; undefined for most calls. */
  readonly orScope?: OperatorScope | undefined
  /** The brand that the path names; null where it names none. */
  readonly brandId: BrandId | null
  /** On a call of no brand, whether it takes operators who are limited to brands, and itself keeps to their limits. */
  readonly takesLimited: boolean
}

/**
 * Lets the operator's call pass. Fails with `Forbidden` without the scope, or on a call of no brand that reaches further than the
 * operator, and with `NotFound` on another brand than the operator's, whether it exists or not. [OPER-10, OPER-12]
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
