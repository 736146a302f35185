/**
 * What an operator creates with an Idempotency-Key is created once a day at most, and each answer to it is the first one, or a refusal
 * that is due. A naive model of the keys works out what each reservation must come to; which request is which the oracle reads from the
 * requests themselves. [IDEM-1 … IDEM-6]
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { bytesOf } from "../world/RequestParts.ts"
import type { SimulatedResponse } from "../world/SimulatedHttp.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"

const dayMillis = 24 * 60 * 60_000
const leaseMillis = 10_000
/** The longest that a call of a slow store takes. */
const longestCallMillis = 4000
/** The most milliseconds by which a reservation is ahead of the clock that reads it, where no clock was set. */
const clockDifferenceMillis = 1000

/** One use of a key, from its reservation to a day later. */
interface Use {
  readonly since: number
  readonly request: string
  holder: string
  /** The call of the holder. */
  call: Call
  leaseUntil: number
  /** What was created; null while nothing is known to be. */
  created: Json
  isAnswered: boolean
  /** The first answer that anybody had; null while nobody had one. */
  first: Pick<SimulatedResponse, "status" | "text"> | null
}

/** What a reservation came to, with the use that it was about. */
interface Reservation {
  readonly came: string
  readonly use: Use
  /** After how many seconds the lease of the first ends, where that is under way. [IDEM-3] */
  readonly retryAfter?: number
}

const decoder = new TextDecoder()

const keyOf = ({ request }: Call): string | undefined => request.unusual?.idempotencyKey

/** Whose key it is, and on what. */
const scopeOf = (call: Call): string => {
  const { method, token, url } = call.request
  return [token, method, url.split("?")[0], keyOf(call)].join("\n")
}

const requestOf = ({ request }: Call): string => `${request.url}\n${decoder.decode(bytesOf(request))}`

/** What was created, or how many deliveries were recovered. */
const nameOf = (created: Json): string => String(created.id ?? created)

/** Writes that a call with a key makes once at most. None of these calls has more than 500 deliveries to recover. */
const creating = new Set([
  "brands.create",
  "keys.create",
  "accessTokens.create",
  "signals.create",
  "campaigns.create",
  "webhooks.create",
  "deliveries.recover"
])

const refusals: Readonly<Record<string, readonly [status: number, code: string]>> = {
  inProgress: [409, "idempotency_key_in_use"],
  answerLost: [409, "idempotency_answer_lost"],
  otherRequest: [422, "idempotency_key_reused"]
}

const clearText = /"data"|idempotency keyed|ls[kt]_[0-9A-Za-z]|whsec_/
const base64Url = /^[0-9A-Za-z_-]+$/

/**
 * Any of it in the clear would open what is sealed, or be it. Encrypted bytes are compared as bytes: in base64url the beginning of a
 * credential comes by chance in one of some ten million characters.
 */
const isInClear = (text: string): boolean =>
  base64Url.test(text)
    ? /^(ls[kt]|whsec)_/.test(text) || clearText.test(atob(text.replaceAll("-", "+").replaceAll("_", "/")))
    : clearText.test(text)

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const reservations = checks.rule("each reservation of a key")
  const prunings = checks.rule("each pruning of keys")
  const answers = checks.rule("each answer to a call with a key")
  const idsOfScopes = new Map<string, string>()
  const scopesOfIds = new Map<string, string>()
  const uses = new Map<string, Use>()
  const ofCalls = new WeakMap<Call, Reservation>()

  /** What the model says, and the use as it is afterwards. */
  const reserve = (call: Call, id: string, holder: string, now: number): Reservation => {
    const known = uses.get(id)
    const request = requestOf(call)
    if (known === undefined || now >= known.since + dayMillis) {
      const use = {
        since: now,
        request,
        holder,
        call,
        leaseUntil: now + leaseMillis,
        created: null,
        isAnswered: false,
        first: null
      }
      uses.set(id, use)
      return { came: "reserved", use }
    }
    if (known.request !== request) return { came: "otherRequest", use: known }
    if (known.isAnswered) return { came: "answered", use: known }
    // No lease of a clock that differs is longer: that one was given before the clock was set back.
    const leftMillis = known.leaseUntil - now
    if (leftMillis > 0 && leftMillis <= leaseMillis + clockDifferenceMillis)
      return {
        came: "inProgress",
        use: known,
        retryAfter: Math.ceil(Math.min(leftMillis, leaseMillis) / 1000)
      }
    if (known.created !== null) return { came: "answerLost", use: known }
    facts.overtaken.add(known.call)
    known.holder = holder
    known.call = call
    known.leaseUntil = now + leaseMillis
    return { came: "reserved", use: known }
  }

  const reserved = (call: Call, { answer, args, serviceNow }: Stored): string | null => {
    const { actor, fingerprint, holder, id } = args[0]
    const scope = scopeOf(call)
    if ((idsOfScopes.get(scope) ?? id) !== id) return "one key of one operator on one path has two records"
    if ((scopesOfIds.get(id) ?? scope) !== scope)
      return "two operators, or two paths, share the record of a key"
    idsOfScopes.set(scope, id)
    scopesOfIds.set(id, scope)
    if ([actor, fingerprint, holder, id].some((text) => String(text).includes("idempotency keyed")))
      return "a record of a key holds the key"
    reservations.judged++
    const reservation = reserve(call, id, holder, serviceNow)
    ofCalls.set(call, reservation)
    return reservation.came === answer.type
      ? null
      : `a call with a key came to ${answer.type}, not ${reservation.came}`
  }

  const created = (call: Call, { answer }: Stored): string | null => {
    const reservation = ofCalls.get(call)
    if (reservation === undefined) return "a call with a key created something without a reservation"
    const { came, use } = reservation
    if (came !== "reserved") return `a call that came to ${came} created something`
    if (use.created !== null) return `one key has done ${nameOf(use.created)} and ${nameOf(answer)}`
    use.created = answer
    return null
  }

  /** A clock that is set back while the call is slow reads less than when the call was made. */
  const wrongPruning = ({ args, call, process }: Stored): string | null => {
    const isEarly = args[0].before > process.now - dayMillis
    const since = call?.handledAt ?? facts.now() - longestCallMillis
    if (isEarly && facts.incidents.touched(["clock"], since, facts.now(), process.index)) {
      prunings.weaken("the clock was set while the store was slow")
      return null
    }
    prunings.judged++
    return isEarly ? "keys are pruned before their day is over" : null
  }

  const stored = (fact: Stored): string | null => {
    const { args, call, method } = fact
    switch (method) {
      case "idempotency.reserve":
        return call === null ? null : reserved(call, fact)
      case "idempotency.complete": {
        const [{ holder, id }, sealed] = args
        const use = uses.get(id)
        if (sealed !== null && isInClear(sealed)) return "an answer is kept in the clear"
        if (use !== undefined && use.holder === holder) use.isAnswered = true
        return null
      }
      case "idempotency.release": {
        const [{ holder, id }] = args
        const use = uses.get(id)
        if (use !== undefined && use.holder === holder && use.created === null && !use.isAnswered)
          uses.delete(id)
        return null
      }
      case "idempotency.prune":
        for (const [id, { since }] of uses) if (since < args[0].before) uses.delete(id)
        return wrongPruning(fact)
      default:
        return call !== null && keyOf(call) !== undefined && creating.has(method) ? created(call, fact) : null
    }
  }

  const repeated = ({ use }: Reservation, { body, response }: Answered): string | null => {
    const { status, text } = response
    if (response.headers["idempotent-replayed"] !== "true")
      return "a repeated answer does not say that it is one"
    if (use.first === null) {
      use.first = { status, text }
      return use.created === null || body?.data?.id === use.created.id
        ? null
        : `the answer shows ${body?.data?.id}, and ${use.created.id} was created`
    }
    return use.first.status === status && use.first.text === text
      ? null
      : `a repeated answer is ${status} ${text.slice(0, 200)}, and the first was ${use.first.status} ${use.first.text.slice(0, 200)}`
  }

  /** An answer that repetitions get is kept before it is given; after any other, the key is free where nothing was created. [IDEM-2, IDEM-4] */
  const wrongKeeping = (use: Use, { call, response: { status } }: Answered): string | null => {
    if (use.call !== call) return null
    const isKept = (status >= 200 && status < 300) || status === 400 || status === 404
    if (isKept && !use.isAnswered && !call.struck.has("idempotency.complete"))
      return `an answer ${status} to a call with a key was given, and is not kept`
    return !isKept && use.isAnswered ? `an answer ${status} to a call with a key is kept` : null
  }

  const answered = (fact: Answered): string | null => {
    const { body, call, response } = fact
    if (!facts.isStoreSeen || keyOf(call) === undefined) return null
    const { headers, status } = response
    if (status >= 500) return headers["idempotent-replayed"] === undefined ? null : `a ${status} is repeated`
    const reservation = ofCalls.get(call)
    if (reservation === undefined) return null
    answers.judged++
    const { came, use } = reservation
    facts.compared.add(call)
    if (came === "answered") return repeated(reservation, fact)
    if (headers["idempotent-replayed"] !== undefined)
      return "an answer that is the first says that it is repeated"
    if (came === "reserved") {
      use.first ??= { status, text: response.text }
      return wrongKeeping(use, fact)
    }
    const [wanted, code] = refusals[came]!
    const retryAfter = reservation.retryAfter
    if (status === wanted && retryAfter !== undefined && headers["retry-after"] !== String(retryAfter))
      return `a call with a key in use is to come again after ${headers["retry-after"]} s, and its lease ends in ${retryAfter}`
    return status === wanted && body?.error?.code === code
      ? null
      : `a call with a key that came to ${came} was answered ${status} ${body?.error?.code}`
  }
  return { stored, answered }
}

/** [IDEM-1, IDEM-2, IDEM-3, IDEM-5, IDEM-6] */
export const idempotencyHolds: Oracle = {
  name: "idempotency holds",
  instantiate: instance
}
