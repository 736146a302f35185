/**
 * Sessions of browsers: a cookie stands for an operator's token or for an API key. They are in this process's memory, by the hashes
 * of their tokens, and end with it. [SES-1, SES-2, SES-3, SES-8]
 */
import { type AuditActor, type BrandId, Entropy } from "@lead-signals/domain"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Clock, Context, Effect, Encoding } from "effect"

/** What a session opens: the calls of an operator's token, or what the API key with this hash reads. */
export type SessionAccess =
  | /** Stands for the stored token with this hash; null for the token of the environment. */ {
      readonly kind: "operator"
      readonly tokenHash: string | null
      /** Whose token it is, for the audit log. */
      readonly actor: AuditActor
    }
  | /** Stands for an API key of the brand. */ {
      readonly kind: "brand"
      readonly brandId: BrandId
      readonly keyHash: string
      /** The key, for the audit log. */
      readonly actor: AuditActor
    }

/** A session that has not ended. */
export interface Session {
  /** What it stands for. */
  readonly access: SessionAccess
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A session, with the token that its cookie holds. */
export interface BegunSession extends Session {
  /** Random; the server keeps its hash alone. */
  readonly token: string
}

/** The cookie that holds a browser's session. */
export const cookieName = "lead_signals_session"

/** How long a session lasts at most. [SES-2] */
export const sessionSeconds = 12 * 3600
const codeSeconds = 3600

/** When a credential has as many, its oldest ends: nobody's sign-ins end the sessions of others. */
export const maxSessionsOfCredential = 100
const maxCodes = 16

const tokenBytes = 32

const hashOf = (secret: string): string => bytesToHex(sha256(utf8ToBytes(secret)))

/** The token in a `Cookie` header; null when there is none, or more than one. */
const tokenIn = (cookieHeader: string | undefined): string | null => {
  if (cookieHeader === undefined) return null
  const found = cookieHeader
    .split(";")
    .map((pair) => pair.trim().split("=", 2))
    .filter(([name]) => name === cookieName)
  return found.length === 1 ? (found[0]![1] ?? null) : null
}

/** Values until they expire, at most `limit` of each holder, by the hashes of their secrets. */
class ExpiringSecrets<A extends { readonly expiresAt: number }> {
  private readonly entries = new Map<string, A & { readonly holder: string }>()
  /** The hashes of each holder's secrets, the oldest first. */
  private readonly held = new Map<string, Set<string>>()

  constructor(private readonly limit: number) {}

  add(secret: string, value: A, holder: string, now: number): void {
    // All last equally long: the oldest expire first.
    for (const [hash, { expiresAt }] of this.entries) {
      if (expiresAt > now) break
      this.remove(hash)
    }
    const own = this.held.get(holder)
    if (own !== undefined && own.size >= this.limit) this.remove(own.values().next().value!)
    const hash = hashOf(secret)
    this.entries.set(hash, { ...value, holder })
    this.held.set(holder, (this.held.get(holder) ?? new Set()).add(hash))
  }

  find(secret: string, now: number): A | null {
    const found = this.entries.get(hashOf(secret))
    return found === undefined || found.expiresAt <= now ? null : found
  }

  delete(secret: string): void {
    this.remove(hashOf(secret))
  }

  private remove(hash: string): void {
    const entry = this.entries.get(hash)
    if (entry === undefined) return
    this.entries.delete(hash)
    const own = this.held.get(entry.holder)!
    own.delete(hash)
    if (own.size === 0) this.held.delete(entry.holder)
  }
}

/** The credential that a session stands for. The one-time codes of the server stand for the token of the environment. */
const credentialOf = (access: SessionAccess): string =>
  access.kind === "brand" ? `key ${access.keyHash}` : `token ${access.tokenHash ?? ""}`

/** Sessions in memory. */
export const makeSessions = Effect.map(Entropy, (entropy) => {
  const sessions = new ExpiringSecrets<Session>(maxSessionsOfCredential)
  const codes = new ExpiringSecrets<{ readonly expiresAt: number }>(maxCodes)
  const secret = Effect.map(entropy.bytes(tokenBytes), Encoding.encodeBase64Url)
  return {
    begin: (access: SessionAccess): Effect.Effect<BegunSession> =>
      Effect.gen(function* () {
        const [now, token] = yield* Effect.all([Clock.currentTimeMillis, secret])
        const session = { access, expiresAt: now + sessionSeconds * 1000 }
        sessions.add(token, session, credentialOf(access), now)
        return { ...session, token }
      }),
    find: (cookieHeader: string | undefined): Effect.Effect<Session | null> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const token = tokenIn(cookieHeader)
        return token === null ? null : sessions.find(token, now)
      }),
    end: (cookieHeader: string | undefined): Effect.Effect<void> =>
      Effect.sync(() => {
        const token = tokenIn(cookieHeader)
        if (token !== null) sessions.delete(token)
      }),
    createCode: Effect.gen(function* () {
      const [now, code] = yield* Effect.all([Clock.currentTimeMillis, secret])
      codes.add(code, { expiresAt: now + codeSeconds * 1000 }, "", now)
      return code
    }),
    redeemCode: (code: string): Effect.Effect<boolean> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = codes.find(code, now)
        codes.delete(code)
        return found !== null
      })
  }
})

/** The sessions and sign-in codes of one server. A host that does not provide them gets its own from the API. */
export class Sessions extends Context.Tag("@lead-signals/http/Sessions")<
  Sessions,
  {
    /** Begins a session, which ends after 12 hours at the latest. A credential has 100 at most: a further one ends its oldest. */
    readonly begin: (access: SessionAccess) => Effect.Effect<BegunSession>
    /** The session of a `Cookie` header; null when there is none, or it has ended. */
    readonly find: (cookieHeader: string | undefined) => Effect.Effect<Session | null>
    /** Ends the session of a `Cookie` header, if there is one. */
    readonly end: (cookieHeader: string | undefined) => Effect.Effect<void>
    /** A code that begins one operator session within the next hour. */
    readonly createCode: Effect.Effect<string>
    /** Whether the code is good; it is so once. */
    readonly redeemCode: (code: string) => Effect.Effect<boolean>
  }
>() {}

type RequestHeaders = Readonly<Record<string, string | undefined>>

const isOriginOfHost = ({ host, origin }: RequestHeaders): boolean =>
  origin !== undefined && URL.canParse(origin) && new URL(origin).host === host

/**
 * Whether the browser proves that a page of this origin sent the request. `Sec-Fetch-Site` counts where the browser sends it, and
 * `Origin` on plain http elsewhere than on this machine, where no browser does. [SES-5]
 */
export const hasSameOriginProof = (headers: RequestHeaders): boolean => {
  const site = headers["sec-fetch-site"]
  return site === undefined ? isOriginOfHost(headers) : site === "same-origin"
}

/** Whether the browser says that another origin's page sent the request. Clients that are no browsers say nothing. */
export const isCrossOrigin = (headers: RequestHeaders): boolean =>
  (headers["sec-fetch-site"] !== undefined || headers["origin"] !== undefined) && !hasSameOriginProof(headers)

/** The `Set-Cookie` header; an empty token removes the cookie. `Secure` where the page came by TLS. [SES-2] */
export const setCookie = (token: string, { origin = "" }: RequestHeaders): string =>
  [
    `${cookieName}=${token}`,
    "HttpOnly",
    "SameSite=Strict",
    "Path=/",
    `Max-Age=${token === "" ? 0 : sessionSeconds}`,
    ...(origin.startsWith("https:") ? ["Secure"] : [])
  ].join("; ")
