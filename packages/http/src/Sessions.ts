/**
 * Sessions of browsers: a cookie stands for an operator's token or for an API key. They are in this process's memory, by the hashes
 * of their tokens, and end with it. [SES-1, SES-2, SES-3]
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

export const cookieName = "lead_signals_session"

export const sessionSeconds = 12 * 3600
const codeSeconds = 3600

/** When there are as many, the oldest ends. */
export const maxSessions = 1000
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

/** Values until they expire, at most `limit`, by the hashes of their secrets. */
class ExpiringSecrets<A extends { readonly expiresAt: number }> {
  private readonly entries = new Map<string, A>()

  constructor(private readonly limit: number) {}

  add(secret: string, value: A, now: number): void {
    for (const [hash, { expiresAt }] of this.entries) {
      if (expiresAt <= now || this.entries.size >= this.limit) this.entries.delete(hash)
    }
    this.entries.set(hashOf(secret), value)
  }

  find(secret: string, now: number): A | null {
    const found = this.entries.get(hashOf(secret))
    return found === undefined || found.expiresAt <= now ? null : found
  }

  delete(secret: string): void {
    this.entries.delete(hashOf(secret))
  }
}

/** Sessions in memory. */
export const makeSessions = Effect.map(Entropy, (entropy) => {
  const sessions = new ExpiringSecrets<Session>(maxSessions)
  const codes = new ExpiringSecrets<{ readonly expiresAt: number }>(maxCodes)
  const secret = Effect.map(entropy.bytes(tokenBytes), Encoding.encodeBase64Url)
  return {
    begin: (access: SessionAccess): Effect.Effect<BegunSession> =>
      Effect.gen(function* () {
        const [now, token] = yield* Effect.all([Clock.currentTimeMillis, secret])
        const session = { access, expiresAt: now + sessionSeconds * 1000 }
        sessions.add(token, session, now)
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
      codes.add(code, { expiresAt: now + codeSeconds * 1000 }, now)
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
    /** Begins a session, which ends after 12 hours at the latest. */
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
