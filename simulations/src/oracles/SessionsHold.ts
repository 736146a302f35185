/**
 * A credential begins a session where a page of this origin sends it, and opens by its cookie what it opens itself, until the session is over.
 * What is answered about a session is what it stands for, and the audit log has who came and went. [SES-1, SES-2, SES-3, SES-4, SES-5, SES-8, AUD-7]
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { operatorToken } from "../world/Host.ts"
import { accessOf, type Grant } from "./AccessReference.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { isSome } from "./OutboxRecords.ts"
import { operationOf } from "./Requests.ts"
import {
  type BegunSession,
  cookieAttributes,
  isForeign,
  isProven,
  isViaSession,
  sessionRoute,
  sessionsOf
} from "./SessionReference.ts"
import { withoutWarnings } from "./Warnings.ts"

const sessionMillis = 12 * 3_600_000
const everyScope = ["read", "ingest", "webhooks", "metrics", "admin"]

/** What the store has said on behalf of a call about a session. */
interface Seen {
  /** Whether the credential was valid as it was looked up, for the last time. */
  isValid: boolean | null
  /** The brand of a key, as it was read. */
  brand: { readonly id: string; readonly name: string } | null
  readonly entries: Array<Json>
}

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const calls = checks.rule("each call by the cookie of a session")
  const answers = checks.rule("each answer about a session")
  const trail = checks.rule("each entry of who came and went")
  const access = accessOf(facts)
  const sessions = sessionsOf(facts)
  const seen = new WeakMap<Call, Seen>()
  const brandsOfKeys = new Map<string, string>()

  const seenBy = (call: Call): Seen => {
    const known = seen.get(call) ?? { isValid: null, brand: null, entries: [] }
    seen.set(call, known)
    return known
  }

  /** What the session of the call stands for, or what it signs in with. */
  const grantOf = (call: Call): Grant | undefined =>
    access.grantFor(
      call.request.method === "POST" ? (call.request.body as Json).credential : call.request.token
    )

  const stored = ({ answer, args, call, method, process }: Stored): void => {
    if (method === "keys.create") brandsOfKeys.set(answer.id, args[0].brandId)
    if (call === null || call.route !== sessionRoute) return
    const known = seenBy(call)
    if (method === "brands.get" && isSome(answer))
      known.brand = { id: answer.value.id, name: answer.value.name }
    if (method === "auditLog.append") known.entries.push(args[0])
    if (method !== "keys.findByHash" && method !== "accessTokens.findByHash") return
    const grant = grantOf(call)
    known.isValid =
      grant !== undefined &&
      !access.isRevoked(grant) &&
      (grant.expiresAt === null || grant.expiresAt > process.hasAnswerAt)
  }

  /** What is answered about a session. [SES-1] */
  const viewOf = (call: Call, expiresAt: number): Json => {
    const grant = grantOf(call)
    const end = new Date(expiresAt).toISOString()
    if (grant?.kind === "key")
      return { access: "brand", brand: seenBy(call).brand, scopes: null, brandIds: null, expiresAt: end }
    const { brandIds, scopes } = grant ?? { brandIds: null, scopes: everyScope }
    return { access: "operator", brand: null, scopes, brandIds, expiresAt: end }
  }

  const wrongEntry = (call: Call, operation: string, viaSession: boolean, status: number): string | null => {
    const { entries } = seenBy(call)
    trail.judged++
    // It was tried to write the entry, and the store failed.
    if (call.struck.has("auditLog.append") && entries.length === 0) return null
    const grant = grantOf(call)
    const brandId = grant?.kind === "key" ? brandsOfKeys.get(grant.id) : null
    const wanted = JSON.stringify([
      [grant?.kind ?? "environment", grant?.id ?? null, operation, viaSession, brandId, null, status]
    ])
    const said = JSON.stringify(
      entries.map(({ actor, ...entry }) => [
        actor.type,
        actor.id,
        entry.operation,
        entry.viaSession,
        entry.brandId,
        entry.subjectId,
        entry.status
      ])
    )
    return said === wanted ? null : `the audit log has ${said} of it, not ${wanted}`
  }

  const wrongRefusal = ({ body, response }: Answered, status: number, code: string): string | null =>
    response.status === status && body?.error?.code === code
      ? null
      : `it was answered ${response.status} ${body?.error?.code}, not ${status} ${code}`

  const wrongSignIn = (fact: Answered): string | null => {
    const { body, byClock, call, response } = fact
    const { credential } = call.request.body as Json
    if (isForeign(call)) return wrongRefusal(fact, 403, "forbidden")
    if (credential !== operatorToken && seenBy(call).isValid !== true) {
      facts.coverageMarks.add("a sign-in was refused")
      return wrongRefusal(fact, 401, "invalid_credential")
    }
    // `limits hold` judges the window of a key.
    if (response.status === 429 && call.key !== null) return null
    if (response.status !== 201) return `it was answered ${response.status}`
    const wrong = sessions.begin(fact)
    if (wrong !== null) return wrong
    const expiresAt = Date.parse(body.data.expiresAt)
    const begunAt = expiresAt - sessionMillis
    const isSteady = !facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)
    if (!isSteady) answers.weaken("the clock was set during the sign-in")
    if (isSteady && (begunAt < call.handledByClock || begunAt > byClock))
      return `it ends ${expiresAt - call.handledByClock} ms after it began`
    facts.compared.add(call)
    facts.coverageMarks.add("somebody signed in")
    const [said, wanted] = [withoutWarnings(body), { data: viewOf(call, expiresAt) }].map((each) =>
      JSON.stringify(each)
    )
    return said === wanted ? wrongEntry(call, "signIn", false, 201) : difference(said!, wanted!)
  }

  const wrongView = (fact: Answered, session: BegunSession | null): string | null => {
    const { body, call, response } = fact
    if (response.status !== 200) return `it was answered ${response.status}`
    facts.compared.add(call)
    const { brand, isValid } = seenBy(call)
    const isOver = session === null || isValid === false || (session.access === "brand" && brand === null)
    const wanted = JSON.stringify({ data: isOver ? null : viewOf(call, session.expiresAt) })
    const said = JSON.stringify(withoutWarnings(body))
    return said === wanted ? null : difference(said, wanted)
  }

  const wrongSignOut = (fact: Answered, session: BegunSession | null | undefined): string | null => {
    const { call, response } = fact
    if (response.status === 403) sessions.refuse(call)
    if (session !== undefined && session !== null && !isProven(call))
      return wrongRefusal(fact, 403, "forbidden")
    if (session === undefined && response.status === 403) return null
    if (response.status !== 204) return `it was answered ${response.status}`
    const wanted = `lead_signals_session=${cookieAttributes(call, 0)}`
    if (response.headers["set-cookie"] !== wanted) return `its cookie is ${response.headers["set-cookie"]}`
    sessions.end(fact)
    const hasEntry = seenBy(call).entries.length > 0
    if (session === null)
      return hasEntry ? "the audit log has an entry of it, and there was no session" : null
    // One of two sign-outs at once ends it.
    if (session === undefined && !hasEntry) return null
    facts.coverageMarks.add("somebody signed out")
    return wrongEntry(call, "signOut", true, 204)
  }

  const aboutSession = (fact: Answered): string | null => {
    const { byClock, call } = fact
    answers.judged++
    if (call.request.method === "POST") return wrongSignIn(fact)
    const session = sessions.sessionOf(call, byClock)
    if (call.request.method === "DELETE") return wrongSignOut(fact, session)
    if (session !== undefined) return wrongView(fact, session)
    answers.weaken("the session began or ended meanwhile")
    facts.compared.add(call)
    return null
  }

  /** Whether the call is let through as its session says. What its token or key opens of the rest others judge, too. */
  const byCookie = (fact: Answered): string | null => {
    const { byClock, call, response } = fact
    if (access.isUnclear(call, byClock)) {
      calls.weaken("the session began or ended meanwhile")
      facts.compared.add(call)
      return null
    }
    calls.judged++
    // `live events` judges each look of a stream.
    if (response.stream !== undefined)
      return sessions.sessionOf(call, call.handledByClock) === null
        ? "a stream was begun for no session"
        : null
    const refusal = access.refusalOf(call, access.lookUpOf(call)?.now ?? byClock)
    if (refusal !== null) {
      facts.coverageMarks.add(
        refusal.status === 401
          ? "a session that was over opened nothing"
          : "a session was refused what it does not open"
      )
      return wrongRefusal(fact, refusal.status, refusal.code)
    }
    if (response.status < 300) facts.coverageMarks.add("a session opened a call")
    return response.status === 401 || response.status === 403 ? `it was answered ${response.status}` : null
  }

  return {
    stored: (fact) => {
      stored(fact)
      return null
    },
    answered: (fact) => {
      const { call, response } = fact
      if (!facts.isStoreSeen || response.status >= 500 || call.meaning.means === "bad") return null
      const isAbout = call.route === sessionRoute
      if (!isAbout && (!isViaSession(call) || response.status === 429)) return null
      const wrong = isAbout ? aboutSession(fact) : byCookie(fact)
      return wrong === null ? null : `${operationOf(call)}, ${call.label}: ${wrong}`
    }
  }
}

/** [SES-1, SES-2, SES-3, SES-4, SES-5, AUD-7] */
export const sessionsHold: Oracle = {
  name: "sessions hold",
  instantiate: instance
}
