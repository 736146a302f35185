import type { Call } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import { isListOfKey } from "./AuditReference.ts"
import type { Oracle } from "./Oracle.ts"
import { paramsOf } from "./Requests.ts"
import { sessionRoute } from "./SessionReference.ts"

/** What a process has room for at once, and after how many seconds it says to come again where there is none. */
interface Room {
  readonly most: number
  readonly retryAfter: string
  readonly isOfBrand: boolean
}

/** Requests with observations of a brand [OBS-7], and streams of all brands [LIVE-4]; null for other calls. */
export const roomFor = ({ route }: Call): Room | null => {
  if (route.endsWith("/observations")) return { most: 64, retryAfter: "1", isOfBrand: true }
  if (route === "/operator/brands/{brandId}/events") return { most: 100, retryAfter: "10", isOfBrand: false }
  return null
}

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
 * many requests wait or streams are open, the brand is being deleted, or a repetition has overtaken the call. [ERR-2, OBS-7, LIVE-4, DEL-1]
 */
export const noDefects: Oracle = {
  name: "no defects",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each answer")
    const deleting = new Set<string>()
    /** Calls that need room and have no answer yet, by start of a process, and by brand where each has room of its own. */
    const open = new Map<string, Set<Call>>()
    const openWith = (call: Call): Set<Call> => {
      const of = roomFor(call)?.isOfBrand === true ? paramsOf(call)["brandId"] : ""
      const name = `${call.handledBy} ${call.handledByStart} ${call.route} ${of}`
      const known = open.get(name) ?? new Set()
      open.set(name, known)
      return known
    }
    return {
      handled: (call) => {
        if (roomFor(call) !== null) openWith(call).add(call)
      },
      stored: ({ args, method }) => {
        if (method === "brands.startDeletion") deleting.add(args[0])
        return null
      },
      answered: ({ call, response }) => {
        const { headers, status } = response
        rule.judged++
        const room = roomFor(call)
        const opened = room === null ? 0 : openWith(call).size
        if (room !== null) openWith(call).delete(call)
        const what = `${call.request.method} ${call.route} was answered ${status}`
        if (status === 500 || status < 200) return what
        if (status !== 503 || !facts.isStoreSeen || isStruck(call) || facts.overtaken.has(call)) return null
        const isOverload = room !== null && headers["retry-after"] === room.retryAfter && opened > room.most
        if (isOverload && room.isOfBrand)
          facts.coverageMarks.add("a brand had as many requests with observations open as it may")
        return isOverload || deleting.has(paramsOf(call)["brandId"] ?? "")
          ? null
          : `${what}, and the store has not failed`
      }
    }
  }
}
