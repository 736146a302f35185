/**
 * The audit log that there must be: an entry before each change of an operator and around each list and export, with the status that
 * was answered, and a log that lists what it was given. [AUD-1, AUD-2, AUD-4]
 */
import type { Answered, Call, Json, KnownFacts } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { operatorToken } from "../world/Host.ts"
import { type StoreMethod, writes } from "../world/StorePorts.ts"
import { operationIds } from "../vocabulary/Operations.ts"
import { type AccessReference } from "./AccessReference.ts"
import { refusalEntries } from "./RefusalEntries.ts"
import { isoTime, operationOf, paramsOf, queryOf } from "./Requests.ts"
import { isViaSession, sessionRoute } from "./SessionReference.ts"

/** Intake, which has no entries. */
const unaudited = new Set([
  "POST /operator/brands/{brandId}/observations",
  "PUT /operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}"
])

/** Reads of leads in bulk. */
const auditedReads = new Set([
  "GET /operator/brands/{brandId}/leads",
  "GET /operator/brands/{brandId}/changes",
  "GET /operator/brands/{brandId}/events",
  "GET /operator/brands/{brandId}/leads/{id}/export"
])

/** Lists that keys read. */
const listedByKeys: Readonly<Record<string, string>> = {
  "GET /signals/leads": "listLeads",
  "GET /signal-leads": "listSignalLeads",
  "GET /signals/changes": "listChanges"
}

/** Whether a key itself, and no session of one, lists leads or changes. */
export const isListOfKey = (call: Call): boolean =>
  call.key !== null && !isViaSession(call) && listedByKeys[operationOf(call)] !== undefined

const isAudited = (call: Call): boolean => {
  const operation = operationOf(call)
  // What the session of a key lists has an entry each time.
  if (isViaSession(call) && listedByKeys[operation] !== undefined) return true
  if (!call.route.startsWith("/operator")) return false
  return call.request.method === "GET" ? auditedReads.has(operation) : !unaudited.has(operation)
}

/** A call that an earlier one with its Idempotency-Key has answered, or that was refused for its key, has done nothing. */
const hasDoneNothing = ({ call, response }: Answered): boolean =>
  call.request.unusual?.idempotencyKey !== undefined &&
  (response.headers["idempotent-replayed"] !== undefined || [409, 422, 429].includes(response.status))

/** The form of an id. Every other text can be personal data, and is in no entry. [AUD-3] */
const idOrNull = (text: unknown): string | null =>
  typeof text === "string" && /^([1-9]\d{0,15}|wh_[0-9a-f]{32})$/.test(text) && !(Number(text) >= 2 ** 53)
    ? text
    : null

const namedIn = (call: Call): { readonly brandId: string | null; readonly subjectId: string | null } => {
  const { brandId, deliveryId, id, keyId, tokenId } = paramsOf(call)
  return { brandId: idOrNull(brandId), subjectId: idOrNull(deliveryId ?? keyId ?? tokenId ?? id) }
}

/** What the entry must say while the call runs; its time and outcome apart. */
const expectedOf = (call: Call, access: AccessReference) => {
  const { token } = call.request
  const grant = access.grantOf(call)
  return {
    actor: token === operatorToken ? "environment" : (grant?.kind ?? "token"),
    actorId: grant?.id ?? null,
    viaSession: isViaSession(call),
    operation: operationIds.get(operationOf(call)),
    ...namedIn(call),
    ...(call.key === null ? {} : { brandId: call.brand!.id })
  }
}

/** What a call writes beside that for which it has an entry. */
const besides: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "auditLog.append",
  "auditLog.complete",
  "keys.markUsed",
  "accessTokens.markUsed",
  "rateWindows.step",
  "idempotency.reserve",
  "idempotency.complete",
  "idempotency.release",
  "idempotency.prune"
])

const order = (a: Json, b: Json): number => b.at - a.at || Number(b.id) - Number(a.id)

/** The brands whose entries the call lists; null for all. */
const listedBrands = (call: Call, access: AccessReference): ReadonlyArray<string> | null => {
  const requested = queryOf(call).get("brandId")
  const reached = access.brandIdsOf(call)
  if (requested === null) return reached
  return reached === null || reached.includes(requested) ? [requested] : []
}

const maxOnPage = 100
const usualPage = 25

const day = 86_400_000
/** While an entry of a key is written, further requests make none; a process that failed to write one tries again after a minute. */
const writingMillis = 40_000
const retryingMillis = 65_000

const dayOf = (at: number): number => Math.floor(at / day)

/** The entries of what keys read in bulk: the first of a day, by each start of a process. [AUD-8] */
const readsByKeys = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("each list that a key reads has an entry of its day")
  /** The call that made each entry. */
  const entered = new Map<string, Call>()
  const enteredBy = new WeakSet<Call>()
  /**
   * Lists that were answered without an entry so far: how many, and when that began, in true time. After a failure it begins with the first
   * that is answered from `since` on: another request may have tried again at the same instant. `failedAt` is when the failed request came.
   */
  const owed = new Map<
    string,
    { readonly failedAt: number | null; since: number; hasBegun: boolean; lists: number }
  >()
  const nameOf = ({ handledBy, handledByStart, key, route }: Call, at: number): string =>
    [handledBy, handledByStart, key?.id, route, dayOf(at)].join(" ")
  return {
    appended: (
      call: Call,
      { actor, at, brandId, operation, status, subjectId, viaSession }: Json
    ): string | null => {
      const said = JSON.stringify([actor.id, operation, brandId, status, subjectId, viaSession])
      const wanted = JSON.stringify([
        call.key?.id,
        listedByKeys[operationOf(call)],
        call.brand?.id,
        200,
        null,
        false
      ])
      if (said !== wanted) return `the entry of ${operationOf(call)} by a key says ${said}, not ${wanted}`
      const name = nameOf(call, at)
      // A process that was told of a failure tries again, though the store has written the entry.
      const before = entered.get(name)
      // One whose clock was set back over midnight comes to a day again.
      const isSteady =
        before !== undefined &&
        !facts.incidents.touched(["clock"], before.handledAt, facts.now(), call.handledBy)
      if (isSteady && !before.struck.has("auditLog.append"))
        return `the list ${operation} of key ${actor.id} has two entries of one day`
      entered.set(name, call)
      enteredBy.add(call)
      rule.judged += owed.get(name)?.lists ?? 0
      owed.delete(name)
      facts.coverageMarks.add("a list that a key read is in the audit log")
      return null
    },
    answered: ({ at, byClock, call, response }: Answered): string | null => {
      if (enteredBy.has(call) && response.status !== 200)
        return `${operationOf(call)} of key ${call.key!.id} was answered ${response.status}, and the audit log has it as read`
      if (!facts.auditsKeyReads || !isListOfKey(call) || response.status !== 200) return null
      const days = [nameOf(call, call.handledByClock), nameOf(call, byClock)]
      if (days.some((name) => entered.has(name))) {
        rule.judged++
        return null
      }
      const name = days[1]!
      const isTried = call.struck.has("auditLog.append")
      if (isTried) rule.weaken("the store failed to write the entry")
      const known = owed.get(name)
      if (known === undefined || isTried) {
        owed.set(name, {
          failedAt: isTried ? call.handledAt : null,
          since: at + (isTried ? retryingMillis : 0),
          hasBegun: !isTried,
          lists: isTried ? 0 : 1
        })
        return null
      }
      known.lists++
      if (!known.hasBegun && at >= known.since) {
        known.since = at
        known.hasBegun = true
      }
      const { failedAt, since } = known
      // Another request is writing the entry.
      if (at - since < writingMillis) return null
      // The minute is one of the process's clock.
      return facts.incidents.touched(["clock"], failedAt ?? since, at, call.handledBy) ||
        facts.incidents.touched(["pause"], since, at, call.handledBy)
        ? null
        : `${operationOf(call)} of key ${call.key!.id} is read, and the audit log has no entry of the day`
    }
  }
}

/** Hears of every call, of what the store appends, and of every page of the log that is read. */
export const auditReference = (facts: KnownFacts, checks: Checks, access: AccessReference) => {
  const ofKeys = readsByKeys(facts, checks)
  const pages = checks.rule("each page of the audit log")
  const kept = checks.rule("each entry of the audit log")
  const entries = new Map<string, Json>()
  const refusals = refusalEntries(facts, checks)
  /** Whether the brand that the call names is one that its token does not reach. [AUD-6] */
  const isRefusedByBrand = ({ call, response }: Answered): boolean => {
    const lookUp = access.lookUpOf(call)
    if (lookUp === undefined || response.status !== 404 || call.meaning.means === "bad") return false
    return (
      call.request.unusual?.idempotencyKey === undefined && access.refusalOf(call, lookUp.now)?.status === 404
    )
  }
  const ofCalls = new WeakMap<Call, Json>()
  /** How many entries the call could list on pages of any size. */
  const listable = new WeakMap<Call, number>()
  return {
    /** `now` is the time by the clock of the process. */
    appended: (call: Call, id: string, entry: Json, now: number): string | null => {
      if (entries.has(id)) return `the audit log gives the id ${id} again`
      const isClockSteady = !facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)
      if (isClockSteady && (entry.at < call.handledByClock || entry.at > now))
        return `the entry of ${operationOf(call)} is of ${entry.at - now} ms after it was written`
      const added = { ...entry, id }
      entries.set(id, added)
      if (entry.actor.type === "unknown") return refusals.appended(call, entry)
      // `sessions hold` judges what sign-ins and sign-outs leave.
      if (call.route === sessionRoute) return null
      if (entry.actor.type === "key" && !isViaSession(call)) return ofKeys.appended(call, entry)
      if (ofCalls.has(call)) return `${operationOf(call)} has two entries in the audit log`
      ofCalls.set(call, added)
      if (!isAudited(call)) return `${operationOf(call)} has an entry in the audit log`
      const { actor, brandId, operation, subjectId, viaSession } = entry
      const said = JSON.stringify({
        actor: actor.type,
        actorId: actor.id,
        viaSession,
        operation,
        brandId,
        subjectId
      })
      const wanted = JSON.stringify(expectedOf(call, access))
      if (said !== wanted) return `the entry of ${operationOf(call)} says ${said}, not ${wanted}`
      return call.request.method === "GET" || entry.status === null
        ? null
        : `the entry of ${operationOf(call)} has the status ${entry.status} before the change`
    },
    /** A call changes something in the store. What is wrong, as its entry comes first, and none follows one that failed. [AUD-2] */
    changes: (call: Call, method: StoreMethod): string | null => {
      if (!writes.has(method) || besides.has(method) || !isAudited(call) || call.request.method === "GET")
        return null
      if (!ofCalls.has(call)) return `${operationOf(call)} changes something before its entry is written`
      return call.struck.has("auditLog.append")
        ? `${operationOf(call)} changes something, and its entry could not be written`
        : null
    },
    completed: (id: string, outcome: Json): null => {
      const entry = entries.get(id)
      if (entry?.status === null) Object.assign(entry, outcome)
      return null
    },
    /** The store has listed entries; `pageOf` says what the answer must show of them. */
    listed: (call: Call, { after, brandIds, limit, since }: Json, answer: Json): string | null => {
      const [requested, reached] = [brandIds, listedBrands(call, access)].map((ids) => JSON.stringify(ids))
      if (requested !== reached)
        return `the audit log is read for the brands ${requested}, not for ${reached}`
      const cursor = queryOf(call).get("cursor")
      const goesOn = after === null ? null : `${after.at}-${after.id}`
      if (goesOn !== cursor)
        return `a page of the audit log goes on after ${goesOn}, and its cursor says ${cursor}`
      const from = queryOf(call).get("since")
      // `errors clear` knows what other forms of a time stand for.
      const isWhole = from === null || isoTime.test(from)
      const wantedSince = from === null ? null : Date.parse(from)
      if (isWhole && since !== wantedSince)
        return `the audit log is read since ${since}, and its call says ${wantedSince}`
      const right = [...entries.values()]
        .filter(
          (entry) =>
            (brandIds === null || brandIds.includes(entry.brandId)) &&
            (since === null || entry.at >= since) &&
            (after === null || order(after, entry) < 0)
        )
        .sort(order)
      listable.set(call, right.length)
      const [listed, wanted] = [answer, right.slice(0, limit)].map((all: ReadonlyArray<Json>) =>
        JSON.stringify(all.map(({ id, status }) => [id, status]))
      )
      return listed === wanted ? null : `the audit log lists ${listed}, not ${wanted}`
    },
    /** The answer to a call that lists these entries, as they are now; `nameOf` answers the name of a token. [AUD-3, AUD-4] */
    pageOf: (call: Call, ids: ReadonlyArray<string>, nameOf: (tokenId: string) => string | null): Json => {
      pages.judged++
      const requested = queryOf(call).get("pageSize")
      const size = Math.min(requested === null ? usualPage : Number(requested), maxOnPage)
      const rendered = ids.slice(0, size).map((id) => entries.get(id))
      const last = rendered.at(-1)
      return {
        data: rendered.map(({ actor, at, brandId, id, operation, status, subjectId, viaSession }) => ({
          id,
          at: new Date(at).toISOString(),
          actor: { type: actor.type, id: actor.id, name: actor.type === "token" ? nameOf(actor.id) : null },
          viaSession,
          operation,
          brandId,
          subjectId,
          status
        })),
        meta: {
          nextCursor: last !== undefined && listable.get(call)! > size ? `${last.at}-${last.id}` : null
        }
      }
    },
    noteFailure: refusals.noteFailure,
    answered: (answered: Answered): string | null => {
      const { body, call, response } = answered
      const unread = ofKeys.answered(answered) ?? refusals.answered(answered)
      if (unread !== null) return unread
      if (!isAudited(call) || [401, 405].includes(response.status)) return null
      const entry = ofCalls.get(call)
      if (entry === undefined && access.isRefusedBySession(call, answered.byClock)) return null
      if (hasDoneNothing(answered))
        return entry === undefined
          ? null
          : `${operationOf(call)} did nothing, and has an entry in the audit log`
      if (entry === undefined && isRefusedByBrand(answered))
        return `${operationOf(call)} names a brand that its token does not reach, and is not in the audit log`
      // A path that nothing is at, or a target that can't be read, never became an operation.
      if (entry === undefined)
        return response.status === 400 || response.status === 404
          ? null
          : `${operationOf(call)} was answered ${response.status} and is not in the audit log`
      if (entry.status === null && call.struck.has("auditLog.complete")) {
        kept.weaken("the store failed as the outcome was written")
        return null
      }
      kept.judged++
      if (entry.status !== response.status)
        return `the audit log has ${entry.status} of ${operationOf(call)}, which was answered ${response.status}`
      const named = namedIn(call).subjectId
      const subject = named ?? idOrNull(body?.data?.id)
      return (named === null && response.status >= 300) || entry.subjectId === subject
        ? null
        : `the audit log has ${operationOf(call)} of ${entry.subjectId}, not of ${subject}`
    }
  }
}
