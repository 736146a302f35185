/**
 * Somebody gets a credential that opens only some of it, for a while or from some places: a token with scopes, brands and an end, or a key
 * with scopes, addresses and an end. It is used for all that there is to call, at its last millisecond and after, and revoked meanwhile.
 */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { Effect } from "effect"
import { type Action, addressLists } from "../plan/Plan.ts"
import { correctBody, pathTexts } from "../vocabulary/CorrectRequests.ts"
import { mayCome } from "../oracles/Addresses.ts"
import { forwardings, trustedProxies } from "../vocabulary/Forwarding.ts"
import { type Operation, operations } from "../vocabulary/Operations.ts"
import { openingScopes } from "../vocabulary/Scopes.ts"
import type { Json, KnownBrand, KnownKey, Meaning } from "../world/KnownFacts.ts"
import {
  type ActorContext,
  bodyOf,
  type Call,
  type Caller,
  created,
  once,
  persistently
} from "./ActorContext.ts"
import { everyLead, ofBrand } from "./OperatorCalls.ts"
import { revoke } from "./Revocation.ts"

type Access = Extract<Action, { do: "access" }>
type Use = Access["uses"][number]

interface Credential {
  /** Its value and id; of a token, too. */
  readonly key: KnownKey
  readonly expiresAt: number | null
}

const requestsPerMinuteOfKey = 600
/** Calls that a credential may make without disturbing what others do. */
const harmless = new Set([
  "createBrand",
  "renameBrand",
  "createKey",
  "createToken",
  "createCampaign",
  "renameCampaign",
  "renameSignal",
  "recordObservations"
])

const isHarmless = ({ id, method }: Operation): boolean => method === "GET" || harmless.has(id)

const webhookOf = ({ webhooks }: KnownBrand): string => webhooks[0]?.id ?? "999999"

/** What the parameter of a path is in the brand; of what it has none an id that nothing has. */
const paramOf = (name: string, route: string, brand: KnownBrand): string => {
  if (name in pathTexts) return pathTexts[name]!
  if (name === "brandId") return brand.id
  if (name === "keyId") return brand.limitedKey.id
  if (route.includes("/webhooks/{id}") && name === "id") return webhookOf(brand)
  if (route.includes("/campaign/{id}") || route.includes("/campaigns/{id}")) return brand.campaignId
  if (route.includes("/signals/{id}") && route.startsWith("/operator")) return brand.signalIds[0]!
  return String([...brand.leadIds.values()][0] ?? 999_999)
}

const bodyFor = (operation: Operation, brand: KnownBrand): Json => {
  if (!operation.hasBody) return undefined
  if (operation.id === "recordObservations") return { observations: [] }
  if (operation.id === "resendLead") return { webhookId: webhookOf(brand), event: "lead2.created" }
  return correctBody(operation.id, {})
}

/** The brand of an action, and another one; where there is but one, that is both. */
interface Brands {
  readonly own: KnownBrand
  readonly other: KnownBrand
}

/** Whether the operation is refused for that brand whatever the time and the store say; then it may be one that deletes. */
const isRefusedAnyway = (
  operation: Operation,
  { brands: reached, scopes }: Access,
  brands: Brands,
  brand: KnownBrand
): boolean => {
  if (!openingScopes(operation.method, operation.route).some((scope) => scopes.includes(scope))) return true
  if (reached === "all" || reached === "both") return false
  return !operation.route.includes("{brandId}") || brands[reached] !== brand
}

const callOf = (operation: Operation, brand: KnownBrand, access: Access, use: Use): Call => {
  const { method, route } = operation
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const isOfBrand = names.includes("brandId")
  const query = operation.id === "listAudit" ? auditQuery(brand, use) : ""
  const params = Object.fromEntries(names.map((name) => [name, paramOf(name, route, brand)]))
  return {
    method: method as HttpMethod,
    route,
    params,
    query,
    body: bodyFor(operation, brand),
    brand: isOfBrand || access.holder === "key" ? brand : null,
    meaning: meaningOf(operation, params)
  }
}

/** What the call means where it is let through, so that its answer is compared. */
const meaningOf = ({ id, method }: Operation, params: Readonly<Record<string, string>>): Meaning => {
  switch (id) {
    case "listLeads":
    case "listSignalLeads":
    case "operatorLeads":
      return { means: "list", query: everyLead }
    case "getLead":
    case "getSignalLead":
    case "operatorLead":
      return { means: "detail", id: Number(params["id"]), withDetail: id === "operatorLead" }
    case "exportLead":
      return { means: "export", id: Number(params["id"]) }
    case "campaignMetrics":
    case "operatorMetrics":
      return { means: "metrics", startDate: null, endDate: null }
    default:
      return { means: method === "GET" || method === "PATCH" ? "look" : "make" }
  }
}

const auditQuery = (brand: KnownBrand, { n }: Use): string =>
  [
    ...(n % 3 === 0 ? [`brandId=${brand.id}`] : []),
    ...(n % 2 === 0 ? [`pageSize=${1 + (n % 7)}`] : []),
    ...(n % 5 === 0 ? ["since=2026-01-05T08:10:00Z"] : [])
  ].join("&")

const creationOf = (
  { allowed, brands, expiresMillis, holder, scopes }: Access,
  brand: KnownBrand,
  other: KnownBrand,
  now: number
): Pick<Call, "route" | "params" | "body"> & { readonly expiresAt: number | null } => {
  const expiresAt = expiresMillis === null ? null : now + expiresMillis
  const end = expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }
  if (holder === "key") {
    const list = allowed === null ? {} : { allowedAddresses: addressLists[allowed] }
    const body = { label: "Somebody's", requestsPerMinute: requestsPerMinuteOfKey, scopes, ...end, ...list }
    return { route: `${ofBrand}/keys`, params: { brandId: brand.id }, body, expiresAt }
  }
  const ids = {
    all: null,
    own: [brand.id],
    other: [other.id],
    both: [...new Set([brand.id, other.id])]
  }[brands]
  const limit = ids === null ? {} : { brandIds: ids }
  return { route: "/operator/tokens", body: { name: "Somebody's", scopes, ...end, ...limit }, expiresAt }
}

/** Reads the whole audit log by its cursors. */
const walkAudit = (context: ActorContext, caller: Caller, token: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    let cursor: string | null = null
    for (let n = 1; n <= 4; n++) {
      const query: string = `pageSize=40${cursor === null ? "" : `&cursor=${cursor}`}`
      const response = yield* persistently(
        context,
        { ...caller, label: `${caller.label} audit ${n}` },
        { route: "/operator/audit", query, brand: null, token, meaning: { means: "look" } }
      )
      if (response.status !== 200) return
      cursor = bodyOf(response).meta.nextCursor
      context.facts.coverageMarks.add("the audit log was read")
      if (cursor === null) return
    }
  })

/** The n-th way in which a request of the client comes; a host of its own trusts no proxies of ours. */
const comingFrom = ({ facts }: ActorContext, client: string, n: number): NonNullable<Call["unusual"]> => {
  const { header, peer } = forwardings[facts.isStoreSeen ? n % forwardings.length : 0]!(client)
  if (header !== null && mayCome(trustedProxies, peer))
    facts.coverageMarks.add("a request with a key came through a proxy")
  return { address: peer, ...(header === null ? {} : { headers: { "x-forwarded-for": header } }) }
}

const useOnce = (
  context: ActorContext,
  caller: Caller,
  credential: Credential,
  action: Access,
  brands: Brands,
  use: Use
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { world } = context
    const all = operations.filter(({ access }) => access === (action.holder === "key" ? "key" : "operator"))
    const opened = all.filter(({ method, route }) =>
      openingScopes(method, route).some((scope) => action.scopes.includes(scope))
    )
    // A scope may open a single call: each second use is one of those that the credential opens.
    const drawn = use.n % 2 === 0 && opened.length > 0 ? opened : all
    const operation = drawn[use.operation % drawn.length]!
    const brand = use.isOfOther && action.holder === "token" ? brands.other : brands.own
    if (!isHarmless(operation) && !isRefusedAnyway(operation, action, brands, brand)) return
    const call = callOf(operation, brand, action, use)
    const { expiresAt, key } = credential
    const at = use.atExpiry === undefined || expiresAt === null ? null : expiresAt + use.atExpiry
    yield* Effect.sleep(at === null ? use.after : Math.max(0, at - 100 - world.kernel.now))
    yield* Effect.ignore(
      once(context, caller, {
        ...call,
        ...(action.holder === "key" ? { key } : { token: key.value }),
        ...(use.from === undefined ? {} : { unusual: comingFrom(context, use.from, use.n) }),
        ...(at === null ? {} : { arrivesAt: at })
      })
    )
  })

const revoked = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { key }: Credential,
  { holder, revokeMillis }: Access
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (revokeMillis === null) return
    yield* Effect.sleep(revokeMillis)
    const status = yield* revoke(context, caller, brand, { holder, key })
    if (status !== 204) context.facts.violate("calls succeed", `a revocation was answered ${status}`)
    if (holder === "key") return
    yield* Effect.ignore(
      once(
        context,
        { ...caller, label: `${caller.label} after` },
        { route: "/operator/brands", brand: null, token: key.value, meaning: { means: "look" } }
      )
    )
  })

/**
 * Creates the credential, and has all its uses, its revocation and, for an admin, a walk through the audit log go on side by side. Nothing happens
 * when the creation got no answer.
 */
export const access = (
  context: ActorContext,
  caller: Caller,
  own: KnownBrand,
  other: KnownBrand,
  action: Access
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { world } = context
    const { expiresAt, ...creation } = creationOf(action, own, other, world.storeNow)
    const made = yield* created(
      context,
      { ...caller, label: `${caller.label} creation` },
      { ...creation, method: "POST", brand: null, meaning: { means: "make" } }
    )
    if (made === null) return
    const value: string = action.holder === "key" ? made.key : made.token
    const key: KnownKey = {
      id: made.id,
      value,
      requestsPerMinute: requestsPerMinuteOfKey,
      revokingAt: null,
      revokedAt: null
    }
    const credential: Credential = { key, expiresAt }
    const uses = action.uses.map((use, i) =>
      useOnce(
        context,
        { ...caller, label: `${caller.label} use ${i}` },
        credential,
        action,
        { own, other },
        use
      )
    )
    const isAdmin = action.holder === "token" && action.scopes.includes("admin")
    yield* Effect.all(
      [
        ...uses,
        revoked(context, caller, own, credential, action),
        isAdmin ? walkAudit(context, caller, value) : Effect.void
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
