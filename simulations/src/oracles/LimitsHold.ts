/**
 * What each answer to a key says of its window is what a naive count of its requests says, by the clock that the store reads: so
 * neither a clock that is set nor a call that was cut off needs an allowance. [RATE-1, RATE-2, RATE-3, RATE-4, RATE-5]
 */
import type { Answered, Call, KnownFacts, KnownKey } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { CountedWindows, type Decision } from "./CountedWindows.ts"
import { limitsByHeaders } from "./LimitsByHeaders.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { looksKeyUpAgain } from "./Requests.ts"

const byCount = (
  facts: KnownFacts,
  checks: Checks
): Required<Pick<OracleInstance, "stored" | "answered" | "tailLost">> => {
  const rule = checks.rule("what is left of a window")
  const windows = new CountedWindows(facts, checks)
  const decisions = new WeakMap<Call, Decision>()
  /** Requests that were let in before their brand was deleted, and counted after. A store may have forgotten their windows by then. */
  const late = new WeakSet<Call>()
  const deletedBrands = new Set<string>()

  const wrong = (
    { call, response }: Answered,
    key: KnownKey,
    { isAllowed, now, remaining, resetAt }: Decision
  ) => {
    const { headers, status } = response
    const wanted = {
      "x-ratelimit-limit": key.requestsPerMinute,
      "x-ratelimit-remaining": remaining,
      "x-ratelimit-reset": Math.ceil(resetAt / 1000),
      ...(isAllowed ? {} : { "retry-after": Math.max(1, Math.ceil((resetAt - now) / 1000)) })
    }
    for (const [name, value] of Object.entries(wanted)) {
      // The store counted the request, and the service got no answer: `headers right` lets it show none of these.
      if (status >= 500 && headers[name] === undefined && call.struck.has("rateWindows.step")) continue
      if (headers[name] !== String(value)) return `key ${key.id}: ${name} is ${headers[name]}, not ${value}`
    }
    return (status === 429) === !isAllowed || status >= 500
      ? null
      : `key ${key.id} has used ${key.requestsPerMinute - remaining} of ${key.requestsPerMinute}, and was answered ${status}`
  }

  return {
    stored: (fact) => {
      const { answer, args, call, method } = fact
      if (method === "brands.finishDeletion" && answer === true) deletedBrands.add(args[0])
      if (method !== "rateWindows.step" || call === null || call.key === null) return null
      if (call.brand !== null && deletedBrands.has(call.brand.id)) late.add(call)
      else {
        if (decisions.has(call)) return `a request with key ${call.key.id} was counted twice`
        const decision = windows.count(call.key, fact)
        facts.windowEnds.set(call.key.id, decision.resetAt)
        decisions.set(call, decision)
      }
      return null
    },
    answered: (fact) => {
      const { call, response } = fact
      if (call.key === null) return null
      if (response.status === 401)
        return decisions.has(call) && !looksKeyUpAgain(call)
          ? `a request with key ${call.key.id} was counted, and refused`
          : null
      if (response.status === 429) facts.coverageMarks.add("a key was over its limit")
      // What nobody may ask is refused without a key, too: where the store fails, nobody knows whose it is. [ERR-9]
      const isForAnyone =
        call.meaning.means === "bad" &&
        (call.struck.has("keys.findByHash") || call.struck.has("rateWindows.step"))
      if (isForAnyone && response.headers["x-ratelimit-limit"] === undefined) {
        rule.weaken("the store failed as the key of a request was looked up that is refused without one")
        return null
      }
      if (late.has(call)) {
        rule.weaken("the key's brand was deleted while the request was handled")
        return null
      }
      const decision = decisions.get(call)
      if (decision !== undefined) {
        rule.judged++
        return wrong(fact, call.key, decision)
      }
      return response.status >= 500
        ? null
        : `${response.status} to key ${call.key.id}, whose request nobody counted`
    },
    tailLost: () => windows.tailLost()
  }
}

/** Counts where the store is seen, and else goes by headers. */
export const limitsHold: Oracle = {
  name: "limits hold",
  instantiate: (facts, checks) => {
    const counted = byCount(facts, checks)
    const byHeaders = limitsByHeaders(facts, checks)
    return {
      stored: counted.stored,
      tailLost: counted.tailLost,
      answered: (fact) => (facts.isStoreSeen ? counted.answered(fact) : byHeaders.answered(fact)),
      conclude: () => (facts.isStoreSeen ? null : byHeaders.conclude())
    }
  }
}
