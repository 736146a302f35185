/**
 * The sessions that there are: learnt from what answers sign-ins, and from sign-outs. They are one process's, and end with it.
 * [SES-1, SES-2, SES-3, SES-4, SES-5]
 */
import type { Answered, Call, KnownFacts } from "../world/KnownFacts.ts"

/** A session that was begun. */
export interface BegunSession {
  /** Whose calls it opens: an operator's, or what a key reads. */
  readonly access: "operator" | "brand"
  /** What was signed in with. */
  readonly credential: string
  /** By the clock of its process. */
  readonly expiresAt: number
  readonly process: number
  readonly start: number
  /** When a sign-out of it was answered. */
  endedAt: number | null
}

/** Where sessions begin and end. */
export const sessionRoute = "/session"

/** Sessions of one credential in one process; a further one ends the oldest. [SES-8] */
const maxOfCredential = 100

/** What one look at the credentials and one read of a slow store take. */
const longestReadMillis = 4000

const cookieName = "lead_signals_session"

type Headers = Readonly<Record<string, string>>

const headersOf = ({ request }: Call): Headers => request.unusual?.headers ?? {}

/** Whether a session would stand for the credential of the call: a header Authorization counts alone. */
export const isViaSession = (call: Call): boolean =>
  call.request.unusual?.authorization === null && headersOf(call)["cookie"] !== undefined

/** The cookie of the call's session; null for none, or for several. */
const cookieOf = (call: Call): string | null => {
  const found = (headersOf(call)["cookie"] ?? "")
    .split("; ")
    .filter((pair) => pair.startsWith(`${cookieName}=`))
  return found.length === 1 ? found[0]! : null
}

/** Whether the browser proves that a page of this origin sent the call. [SES-5] */
export const isProven = (call: Call): boolean => {
  const { host, origin, "sec-fetch-site": site } = headersOf(call)
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}

/** Whether the browser says that another origin's page sent it. */
export const isForeign = (call: Call): boolean => {
  const { origin, "sec-fetch-site": site } = headersOf(call)
  return (site !== undefined || origin !== undefined) && !isProven(call)
}

/** The attributes of every cookie of a session. [SES-2] */
export const cookieAttributes = (call: Call, seconds: number): string =>
  `; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${headersOf(call)["origin"]?.startsWith("https:") === true ? "; Secure" : ""}`

/** A session whose answer was lost is not among them: nobody has its cookie. */
export class SessionReference {
  private readonly sessions = new Map<string, BegunSession>()

  constructor(private readonly facts: KnownFacts) {}

  /** A sign-in was answered: the session begins. Answers what is wrong with its cookie. [SES-2] */
  begin({ at, body, byClock, call, response }: Answered): string | null {
    const header = response.headers["set-cookie"] ?? ""
    const [cookie] = header.split(";") as [string]
    if (
      !/^lead_signals_session=[\w-]{43}$/.test(cookie) ||
      header !== cookie + cookieAttributes(call, 43_200)
    )
      return `the cookie is ${header}`
    if (this.sessions.has(cookie)) return `two sessions have the cookie ${cookie}`
    const { credential } = call.request.body as { readonly credential: string }
    const oldest = this.nextToGo(credential, call, byClock)
    if (oldest !== null) oldest.endedAt = at
    this.sessions.set(cookie, {
      access: credential.startsWith("lsk_") ? "brand" : "operator",
      credential,
      expiresAt: Date.parse(body.data.expiresAt),
      process: call.handledBy,
      start: call.handledByStart,
      endedAt: null
    })
    return null
  }

  /** The session that a further one of the credential ends, in the process of the call; null where that ends none. [SES-8] */
  private nextToGo(credential: string, call: Call, byClock: number): BegunSession | null {
    const own = [...this.sessions.values()].filter(
      (each) =>
        each.credential === credential &&
        each.process === call.handledBy &&
        each.start === call.handledByStart &&
        each.endedAt === null &&
        each.expiresAt > byClock
    )
    return own.length < maxOfCredential ? null : own[0]!
  }

  /** A sign-out was refused: its session goes on. */
  refuse(call: Call): void {
    this.facts.signOuts.get(cookieOf(call) ?? "")?.delete(call)
  }

  /** A sign-out was answered. */
  end({ at, call }: Answered): void {
    const session = this.sessions.get(cookieOf(call) ?? "")
    if (session !== undefined && session.process === call.handledBy && session.start === call.handledByStart)
      session.endedAt ??= at
  }

  /**
   * Whether the session of a call that goes on was over when the call read last, at `byClock` by the clock of its process: a while before, its sign-out
   * was answered, a newer session took its place, or it expired. Undefined where nobody can say.
   */
  hasEnded(call: Call, byClock: number): boolean | undefined {
    const session = this.sessions.get(cookieOf(call) ?? "")
    if (session === undefined) return false
    const { incidents } = this.facts
    const now = this.facts.now()
    const { endedAt, expiresAt } = session
    // A read that began before is slow, or its process stands still.
    if (endedAt !== null && now > endedAt + longestReadMillis)
      return incidents.touched(["pause"], endedAt, now, call.handledBy) ? undefined : true
    const overFor = byClock - expiresAt
    if (overFor <= longestReadMillis) return false
    return incidents.touched(["clock", "drift", "pause"], now - 2 * overFor, now, call.handledBy)
      ? undefined
      : true
  }

  /** Whether the session may have been ended before the call looked for it, which it does as soon as its process runs. */
  private mayBeOver({ endedAt, process, start }: BegunSession, cookie: string, call: Call): boolean {
    const signOuts = [...(this.facts.signOuts.get(cookie) ?? [])].filter(
      (each) => each !== call && each.handledBy === process && each.handledByStart === start
    )
    // A newer session can have taken its place.
    if (signOuts.length === 0) return endedAt !== null
    const lookedAt = this.facts.incidents.undisturbedAfter("pause", call.handledAt, 1, call.handledBy)
    return signOuts.some(({ handledAt }) => handledAt <= lookedAt)
  }

  /**
   * The session of the call's cookie, as its process has it until an instant by its clock; null for none, undefined where nobody can say:
   * it expires or is ended meanwhile.
   */
  sessionOf(call: Call, byClock: number): BegunSession | null | undefined {
    const cookie = cookieOf(call) ?? ""
    const session = this.sessions.get(cookie)
    if (session === undefined || session.process !== call.handledBy || session.start !== call.handledByStart)
      return null
    if (session.endedAt !== null && call.handledAt > session.endedAt) return null
    if (this.facts.incidents.touched(["clock"], call.handledAt, this.facts.now(), call.handledBy))
      return undefined
    if (call.handledByClock >= session.expiresAt) return null
    // A sign-in that has no answer yet can have taken the place of the oldest.
    const isNextToGo = this.nextToGo(session.credential, call, call.handledByClock) === session
    return isNextToGo || this.mayBeOver(session, cookie, call) || byClock >= session.expiresAt
      ? undefined
      : session
  }
}

const references = new WeakMap<KnownFacts, SessionReference>()

/** The sessions of a run: one for all oracles. */
export const sessionsOf = (facts: KnownFacts): SessionReference => {
  const reference = references.get(facts) ?? new SessionReference(facts)
  references.set(facts, reference)
  return reference
}
