import type { Oracle } from "./Oracle.ts"
import { paramsOf } from "./Requests.ts"

/**
 * Nothing is ever answered 500, no answer has a status of its own making, and 503 is answered only where the store has failed, too
 * many requests wait, the brand is being deleted, or a repetition has overtaken the call. [ERR-2, OBS-7, DEL-1]
 */
export const noDefects: Oracle = {
  name: "no defects",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each answer")
    const deleting = new Set<string>()
    return {
      stored: ({ args, method }) => {
        if (method === "brands.startDeletion") deleting.add(args[0])
        return null
      },
      answered: ({ call, response }) => {
        const { headers, status } = response
        rule.judged++
        const what = `${call.request.method} ${call.route} was answered ${status}`
        if (status === 500 || status < 200) return what
        if (status !== 503 || !facts.isStoreSeen || call.struck.size > 0 || facts.overtaken.has(call))
          return null
        const isOverload = headers["retry-after"] === "1" && call.route.endsWith("/observations")
        return isOverload || deleting.has(paramsOf(call)["brandId"] ?? "")
          ? null
          : `${what}, and the store has not failed`
      }
    }
  }
}
