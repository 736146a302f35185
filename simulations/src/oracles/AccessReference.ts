/**
 * What each credential opens: learnt from the requests that created it, and from when the store says that it was revoked. It says of a
 * call whether it must be refused, and how. [AUTH-9, AUTH-10, AUTH-11, OPER-10, OPER-11, OPER-12]
 */
import { openingScopes, requiredScope } from "../vocabulary/Scopes.ts"
import type { Answered, Call, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { clientOf, mayCome } from "./Addresses.ts"
import { bodyOf, operationOf, paramsOf } from "./Requests.ts"
import {
  isProven,
  isViaSession,
  sessionRoute,
  type SessionReference,
  sessionsOf
} from "./SessionReference.ts"

/** What a credential opens. */
export interface Grant {
  readonly kind: "token" | "key"
  readonly id: string
  readonly scopes: ReadonlyArray<string>
  /** The brands that a token reaches; null for all. */
  readonly brandIds: ReadonlyArray<string> | null
  /** Virtual milliseconds since 1970; null for one that does not expire. */
  readonly expiresAt: number | null
  readonly allowedAddresses: ReadonlyArray<string> | null
}

/** How a call must be refused: the status, the code, and what the message must name. */
export interface Refusal {
  readonly status: 401 | 403 | 404
  readonly code: string
  readonly names: string
}

/** What is known of a credential at the instant at which the store looked it up. */
interface LookUp {
  /** By the clock of the process. */
  readonly now: number
  readonly isRevoked: boolean
}

/** Calls of no brand that tokens with a limit to brands may make: they answer with what these reach. [OPER-12] */
const takingLimited = new Set(["GET /operator/brands", "GET /operator/audit"])

const creations = new Set(["POST /operator/tokens", "POST /operator/brands/{brandId}/keys"])

const brandIdIn = (call: Call): string | undefined => paramsOf(call)["brandId"]

const quoted = (scope: string): string => `"${scope}"`

/** Shared by the rules about credentials and the audit log. Of a call whose credential it can't know it says nothing. */
export class AccessReference {
  private readonly grants = new Map<string, Grant>()
  private readonly revoked = new Set<string>()
  private readonly brandsOfKeys = new Map<string, string>()
  private readonly lookUps = new WeakMap<Call, LookUp>()

  constructor(private readonly sessions: SessionReference) {}

  /** What a credential opens, by its value; undefined for the environment's token, and for nobody's. */
  grantFor(value: string): Grant | undefined {
    return this.grants.get(value)
  }

  /** Whether the credential was revoked by now. */
  isRevoked({ id, kind }: Grant): boolean {
    return this.revoked.has(`${kind} ${id}`)
  }

  /**
   * The credential of the call, or that for which its session stands; undefined for the environment's token, and where the call does not
   * bear it in the ordinary way.
   */
  grantOf(call: Call): Grant | undefined {
    const { request, route } = call
    if (route === sessionRoute) return undefined
    return request.unusual?.authorization === undefined || isViaSession(call)
      ? this.grants.get(request.token)
      : undefined
  }

  /** How a call must be refused for its session; null where that opens it, undefined where nobody can say. [SES-3, SES-4, SES-5] */
  private refusalOfSession(call: Call, now: number): Refusal | null | undefined {
    const session = this.sessions.sessionOf(call, now)
    if (session === undefined) return undefined
    const isForOperators = this.isForOperators(call)
    if (session === null || (session.access === "operator" && !isForOperators))
      return { status: 401, code: isForOperators ? "invalid_operator_token" : "invalid_api_key", names: "" }
    if (isForOperators && session.access === "brand")
      return { status: 403, code: "forbidden", names: "operator's session" }
    return isForOperators && !["GET", "HEAD"].includes(call.request.method) && !isProven(call)
      ? { status: 403, code: "forbidden", names: "origin" }
      : null
  }

  /** Whether the session of the call refused it, or may have, before anybody looked for an operation. */
  isRefusedBySession(call: Call, now: number): boolean {
    return isViaSession(call) && this.refusalOfSession(call, now) !== null
  }

  /** Whether nobody can say what the session of the call opens: it begins or ends meanwhile. */
  isUnclear(call: Call, now: number): boolean {
    return isViaSession(call) && this.refusalOfSession(call, now) === undefined
  }

  /** The store has looked a credential up, or revoked one. */
  stored({ answer, args, call, method, process }: Stored): void {
    switch (method) {
      case "keys.create":
        this.brandsOfKeys.set(answer.id, args[0].brandId)
        return
      case "keys.revoke":
        if (answer === true) this.revoked.add(`key ${args[1]}`)
        return
      case "brands.startDeletion":
        for (const [id, brandId] of this.brandsOfKeys) if (brandId === args[0]) this.revoked.add(`key ${id}`)
        return
      case "accessTokens.revoke":
        if (answer === true) this.revoked.add(`token ${args[0]}`)
        return
      case "keys.findByHash":
      case "accessTokens.findByHash": {
        const grant = call === null ? undefined : this.grantOf(call)
        if (grant === undefined) return
        this.lookUps.set(call!, { now: process.hasAnswerAt, isRevoked: this.isRevoked(grant) })
      }
    }
  }

  /** An answer that creates a credential says its value and its id; what it opens the request has said. */
  learn({ body, call, response }: Answered): void {
    if (response.status !== 201 || !creations.has(operationOf(call))) return
    const { id, key, token } = body.data
    const requested = bodyOf(call)
    const kind = token === undefined ? "key" : "token"
    this.grants.set(token ?? key, {
      kind,
      id,
      scopes: requested.scopes ?? ["leads", "metrics"],
      brandIds: requested.brandIds ?? null,
      expiresAt:
        requested.expiresAt === undefined || requested.expiresAt === null
          ? null
          : Date.parse(requested.expiresAt),
      allowedAddresses: requested.allowedAddresses ?? null
    })
  }

  /** When the credential of the call was looked up, and as what; undefined where it was not. */
  lookUpOf(call: Call): LookUp | undefined {
    return this.lookUps.get(call)
  }

  private isForOperators({ route }: Call): boolean {
    return route.startsWith("/operator") || route === "/metrics"
  }

  /** Whether the credential does not open anything at that time. */
  private isInvalid(call: Call, grant: Grant, now: number): boolean {
    const isOther = (grant.kind === "token") !== this.isForOperators(call)
    const { address, headers } = call.request.unusual ?? {}
    const isExpired = grant.expiresAt !== null && grant.expiresAt <= now
    return (
      isOther ||
      isExpired ||
      this.lookUps.get(call)?.isRevoked === true ||
      (grant.kind === "key" &&
        !mayCome(grant.allowedAddresses, clientOf(address, headers?.["x-forwarded-for"])))
    )
  }

  /** How the call must be refused at that time, by the clock of its process; null where it may pass. */
  refusalOf(call: Call, now: number): Refusal | null {
    if (isViaSession(call)) {
      const refusal = this.refusalOfSession(call, now) ?? null
      if (refusal !== null) return refusal
    }
    const grant = this.grantOf(call)
    if (grant === undefined) return null
    const isForOperators = this.isForOperators(call)
    if (this.isInvalid(call, grant, now))
      return { status: 401, code: isForOperators ? "invalid_operator_token" : "invalid_api_key", names: "" }
    const scope = requiredScope(call.request.method, call.route)
    if (scope === null) return null
    if (!openingScopes(call.request.method, call.route).some((each) => grant.scopes.includes(each)))
      return { status: 403, code: "forbidden", names: quoted(scope) }
    if (grant.brandIds === null) return null
    const brandId = brandIdIn(call)
    if (brandId === undefined)
      return takingLimited.has(operationOf(call)) ? null : { status: 403, code: "forbidden", names: "brands" }
    return grant.brandIds.includes(brandId) ? null : { status: 404, code: "not_found", names: "brand" }
  }

  /** The brands that the call reaches; null for all. */
  brandIdsOf(call: Call): ReadonlyArray<string> | null {
    return this.grantOf(call)?.brandIds ?? null
  }

  /** Whether the credential is more than one of its brand that never expires: its refusals are judged here alone. */
  isLimited(call: Call): boolean {
    const grant = this.grantOf(call)
    return grant !== undefined && (grant.expiresAt !== null || grant.allowedAddresses !== null)
  }

  /** Whether the call was refused for what its credential does not open, or may have been where that expires meanwhile. */
  isRefused(call: Call, status: number): boolean {
    if (isViaSession(call) && this.isUnclear(call, call.handledByClock)) return status === 401
    const refusal = this.refusalOf(call, this.lookUps.get(call)?.now ?? call.handledByClock)
    return refusal?.status === status || (status === 401 && (this.grantOf(call)?.expiresAt ?? null) !== null)
  }
}

const references = new WeakMap<KnownFacts, AccessReference>()

/** What the credentials of a run open: one for all oracles. */
export const accessOf = (facts: KnownFacts): AccessReference => {
  const reference = references.get(facts) ?? new AccessReference(sessionsOf(facts))
  references.set(facts, reference)
  return reference
}
