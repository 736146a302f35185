/** People at browsers: they sign in with a credential, act by the cookie of their session, and sign out, or the session ends by itself. */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { Effect } from "effect"
import { type Action, originHeaders, type OriginHeaders } from "../plan/Plan.ts"
import { operatorToken } from "../world/Host.ts"
import type { KnownBrand, KnownKey } from "../world/KnownFacts.ts"
import { type ActorContext, bodyOf, type Call, type Caller, created, once } from "./ActorContext.ts"
import { everyLead, ofBrand } from "./OperatorCalls.ts"
import { revoke } from "./Revocation.ts"

type Session = Extract<Action, { do: "session" }>
type Use = Session["uses"][number]

const requestsPerMinute = 600
/**
 * The share of browsers that sign in more often with a token than it may have sessions, so that the oldest ends, and that of browsers beside which
 * others sign in as often with another key of the brand, so that none ends. [SES-8]
 */
const crowd = { share: 0.06, ofOthers: 0.15, signIns: 100 }
/**
 * The share of browsers that listen to live events while their session ends, how long before the end they begin, and how long they listen. [LIVE-3]
 */
const listening = { share: 0.5, beforeMillis: 1500, millis: 12_000, inCrowdMillis: 40_000 }
/** How long a browser's session lasts at most. [SES-2] */
const sessionMillis = 12 * 3_600_000

/** What somebody signs in with. */
interface Credential {
  readonly value: string
  /** A token or a key, which can be revoked. */
  readonly key: KnownKey | null
}

const credentialOf = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { credential, isLimited, scopes }: Session
): Effect.Effect<Credential | null> =>
  Effect.gen(function* () {
    if (credential === "environment") return { value: operatorToken, key: null }
    if (credential === "wrong") return { value: "nobody's-token", key: null }
    const ofToken = credential === "token"
    const made = yield* created(
      context,
      { ...caller, label: `${caller.label} creation` },
      {
        method: "POST",
        ...(ofToken
          ? {
              route: "/operator/tokens",
              body: { name: "A browser's", scopes, ...(isLimited ? { brandIds: [brand.id] } : {}) }
            }
          : {
              route: `${ofBrand}/keys`,
              params: { brandId: brand.id },
              body: { label: "A browser's", requestsPerMinute }
            }),
        brand: null,
        meaning: { means: "make" }
      }
    )
    if (made === null) return null
    const value: string = ofToken ? made.token : made.key
    return { value, key: { id: made.id, value, requestsPerMinute, revokingAt: null, revokedAt: null } }
  })

const withOrigin = (name: OriginHeaders, cookie: string | null) => ({
  authorization: null,
  headers: { ...originHeaders[name], ...(cookie === null ? {} : { cookie }) }
})

const calls: Readonly<
  Record<Exclude<Use["what"], "cookies" | "bearer" | "beside">, (brand: KnownBrand, isKey: boolean) => Call>
> = {
  session: () => ({ route: "/session", brand: null, meaning: { means: "look" } }),
  brands: () => ({ route: "/operator/brands", brand: null, meaning: { means: "look" } }),
  leads: (brand) => ({
    route: `${ofBrand}/leads`,
    params: { brandId: brand.id },
    brand,
    meaning: { means: "list", query: everyLead }
  }),
  key: (brand, isKey) => ({
    route: "/signals/leads",
    // Without a key nobody knows whose leads were asked for.
    brand: isKey ? brand : null,
    meaning: { means: "list", query: everyLead }
  }),
  create: (brand) => ({
    method: "POST" as HttpMethod,
    route: `${ofBrand}/campaigns`,
    params: { brandId: brand.id },
    body: { name: "A browser's" },
    brand,
    meaning: { means: "make" }
  }),
  events: (brand) => ({
    route: `${ofBrand}/events`,
    params: { brandId: brand.id },
    brand,
    meaning: { means: "look" },
    unusual: { leavesAfter: listening.millis }
  })
}

const callOf = (
  { what, origin }: Use,
  brand: KnownBrand,
  { key, value }: Credential,
  isKey: boolean,
  cookie: string
): Call => {
  const ofKey = isKey ? "key" : "brands"
  const route = what === "cookies" || what === "bearer" ? "brands" : what === "beside" ? ofKey : what
  const call = calls[route](brand, isKey)
  // A header Authorization counts alone, whatever the cookie is: of the same session, or of none. [SES-3]
  if (what === "bearer") return { ...call, unusual: { headers: { cookie } } }
  if (what === "beside") {
    const headers = { cookie: `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}` }
    return { ...call, ...(isKey ? { key } : { token: value }), unusual: { headers } }
  }
  const sent = what === "cookies" ? `${cookie}; ${cookie}` : `theme=dark; ${cookie}`
  return {
    ...call,
    token: value,
    ...(isKey && what === "key" ? { key } : {}),
    unusual: { ...call.unusual, ...withOrigin(origin, sent) }
  }
}

const use = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  credential: Credential,
  session: Session,
  cookie: string,
  begunAt: number,
  isListening: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { world } = context
    const uses = session.uses.map((each, i) => ({ each, label: `${caller.label} use ${i}` }))
    if (isListening && uses.some(({ each }) => each.atExpiry !== undefined)) {
      const each = { after: 0, atExpiry: -listening.beforeMillis, what: "events", origin: "same" } as const
      uses.push({ each, label: `${caller.label} listening at its end` })
    }
    const call = ({ each, label }: (typeof uses)[number], more: Pick<Call, "arrivesAt"> = {}) =>
      Effect.ignore(
        once(
          context,
          { ...caller, label },
          { ...callOf(each, brand, credential, session.credential === "key", cookie), ...more }
        )
      )
    for (const named of uses.filter(({ each }) => each.atExpiry === undefined)) {
      yield* Effect.sleep(named.each.after)
      yield* call(named)
    }
    // At once: the answer of the one would come after the instant of the next.
    yield* Effect.forEach(
      uses.filter(({ each }) => each.atExpiry !== undefined),
      (named) => {
        const arrivesAt = begunAt + sessionMillis + named.each.atExpiry!
        return Effect.zipRight(
          Effect.sleep(Math.max(0, arrivesAt - 100 - world.kernel.now)),
          call(named, { arrivesAt })
        )
      },
      { concurrency: "unbounded", discard: true }
    )
  })

const revoked = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { credential, revokeMillis }: Session,
  { key }: Credential,
  whileListening: (ending: Effect.Effect<void>) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (revokeMillis === null || key === null) return
    yield* Effect.sleep(revokeMillis)
    yield* whileListening(
      Effect.asVoid(revoke(context, caller, brand, { holder: credential === "key" ? "key" : "token", key }))
    )
  })

const isProof = (name: OriginHeaders): boolean => ["same", "origin", "secure", "both"].includes(name)

/** Whether the browser says that another origin's page sends it. */
const isForeign = (name: OriginHeaders): boolean => name !== "none" && !isProof(name)

/** Signs in, uses the session, and signs out. */
export const browse = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  action: Session
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { world } = context
    const credential = yield* credentialOf(context, caller, brand, action)
    if (credential === null) return
    const signIn = (label: string, { key, value }: Credential = credential) =>
      once(
        context,
        { ...caller, label: `${caller.label} ${label}` },
        {
          method: "POST",
          route: "/session",
          body: { credential: value },
          brand: null,
          // A sign-in spends a request of the key's window, unless it is refused for where it comes from. [SES-8]
          ...(action.credential === "key" && !isForeign(action.origin) ? { key } : {}),
          meaning: { means: "make" },
          unusual: withOrigin(action.origin, null)
        }
      )
    const signedIn = yield* Effect.either(signIn("sign-in"))
    if (signedIn._tag === "Left" || signedIn.right.status !== 201) return
    const cookie = (signedIn.right.headers["set-cookie"] ?? "").split(";")[0]!
    const begunAt = Date.parse(bodyOf(signedIn.right).data.expiresAt) - sessionMillis
    const isListening =
      action.credential !== "key" && world.decisions.chance(`${caller.label} listens`, listening.share)
    /** Ends the session while a stream of it is open, where the browser listens. */
    const whileListening = (
      what: string,
      ending: Effect.Effect<void>,
      leavesAfter = listening.millis
    ): Effect.Effect<void> => {
      if (!isListening) return ending
      const events: Use = { after: 0, what: "events", origin: "same" }
      const call = callOf(events, brand, credential, false, cookie)
      const stream = once(
        context,
        { ...caller, label: `${caller.label} listening to ${what}` },
        { ...call, unusual: { ...call.unusual, leavesAfter } }
      )
      const begun = Effect.zipRight(Effect.sleep(listening.beforeMillis), ending)
      return Effect.all([Effect.ignore(stream), begun], { concurrency: "unbounded", discard: true })
    }
    const signInOften = (of: Credential) =>
      Effect.all(
        Array.from({ length: crowd.signIns }, (_, i) => Effect.ignore(signIn(`sign-in ${i + 2}`, of))),
        { discard: true }
      )
    if (action.credential === "token" && world.decisions.chance(`${caller.label} in a crowd`, crowd.share))
      yield* whileListening("a crowd", signInOften(credential), listening.inCrowdMillis)
    if (
      action.credential === "key" &&
      world.decisions.chance(`${caller.label} beside a crowd`, crowd.ofOthers)
    ) {
      const other = yield* credentialOf(
        context,
        { ...caller, label: `${caller.label} of others` },
        brand,
        action
      )
      if (other !== null) yield* signInOften(other)
    }
    yield* Effect.all(
      [
        use(context, caller, brand, credential, action, cookie, begunAt, isListening),
        revoked(context, caller, brand, action, credential, (ending) =>
          whileListening("a revocation", ending)
        )
      ],
      { concurrency: "unbounded", discard: true }
    )
    if (action.signOut === null) return
    const out = (label: string) =>
      Effect.ignore(
        once(
          context,
          { ...caller, label: `${caller.label} ${label}` },
          {
            method: "DELETE",
            route: "/session",
            brand: null,
            token: credential.value,
            meaning: isProof(action.signOut!) ? { means: "signOut", cookie } : { means: "look" },
            unusual: withOrigin(action.signOut!, cookie)
          }
        )
      )
    const afterwards = Effect.gen(function* () {
      yield* out("sign-out")
      yield* Effect.sleep(1000)
      // It is over, or a page of another origin could not end it.
      const after: Use = { after: 0, what: world.kernel.now % 2 === 0 ? "brands" : "session", origin: "same" }
      const call = callOf(after, brand, credential, action.credential === "key", cookie)
      yield* Effect.ignore(once(context, { ...caller, label: `${caller.label} after` }, call))
    })
    yield* whileListening("a sign-out", afterwards)
    yield* out("sign-out again")
  })
