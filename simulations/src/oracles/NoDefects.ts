import type { Call } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import { isListOfKey } from "./AuditReference.ts"
import type { Oracle } from "./Oracle.ts"
import { paramsOf } from "./Requests.ts"
import { sessionRoute } from "./SessionReference.ts"

/** Requests with observations that a brand can have open at once in one process. [OBS-7] */
const maxOpen = 64

/** What a call does beside its work: that it fails is logged, and keeps no answer back. [AUTH-8, AUD-2] */
const besides: ReadonlySet<StoreMethod> = new Set([
  "keys.markUsed",
  "accessTokens.markUsed",
  "auditLog.complete",
  "idempotency.complete",
  "idempotency.release",
  "idempotency.prune"
])

/** Whether the store has failed in what the answer depends on. */
const isStruck = (call: Call): boolean =>
  [...call.struck].some(
    (method) =>
      !besides.has(method) &&
      // The entries of sessions and of what keys list, too. [AUD-7, AUD-8]
      !(method === "auditLog.append" && (call.route === sessionRoute || isListOfKey(call)))
  )

/**
 * Nothing is ever answered 500, no answer has a status of its own making, and 503 is answered only where the store has failed, too
 * many requests wait, the brand is being deleted, or a repetition has overtaken the call. [ERR-2, OBS-7, DEL-1]
 */
export const noDefects: Oracle = {
  name: "no defects",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each answer")
    const deleting = new Set<string>()
    /** Requests with observations that have no answer yet, by start of a process and brand. */
    const open = new Map<string, Set<Call>>()
    const isIntake = ({ route }: Call): boolean => route.endsWith("/observations")
    const openWith = (call: Call): Set<Call> => {
      const name = `${call.handledBy} ${call.handledByStart} ${paramsOf(call)["brandId"]}`
      const known = open.get(name) ?? new Set()
      open.set(name, known)
      return known
    }
    return {
      handled: (call) => {
        if (isIntake(call)) openWith(call).add(call)
      },
      stored: ({ args, method }) => {
        if (method === "brands.startDeletion") deleting.add(args[0])
        return null
      },
      answered: ({ call, response }) => {
        const { headers, status } = response
        rule.judged++
        const opened = isIntake(call) ? openWith(call).size : 0
        if (isIntake(call)) openWith(call).delete(call)
        const what = `${call.request.method} ${call.route} was answered ${status}`
        if (status === 500 || status < 200) return what
        if (status !== 503 || !facts.isStoreSeen || isStruck(call) || facts.overtaken.has(call)) return null
        const isOverload = headers["retry-after"] === "1" && opened > maxOpen
        if (isOverload)
          facts.coverageMarks.add("a brand had as many requests with observations open as it may")
        return isOverload || deleting.has(paramsOf(call)["brandId"] ?? "")
          ? null
          : `${what}, and the store has not failed`
      }
    }
  }
}
