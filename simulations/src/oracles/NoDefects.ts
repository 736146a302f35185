import type { Call } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"
import { paramsOf } from "./Requests.ts"

/** Requests with observations that a brand can have open at once in one process. [OBS-7] */
const maxOpen = 64

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
        if (status !== 503 || !facts.isStoreSeen || call.struck.size > 0 || facts.overtaken.has(call))
          return null
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
