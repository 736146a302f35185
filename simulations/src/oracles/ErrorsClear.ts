import { difference } from "../vocabulary/Expectation.ts"
import type { Oracle } from "./Oracle.ts"

/** Whether the URL parser of `Request` resolves a part of the path, so that a host of a fetch handler never sees what was sent. */
const isResolved = (url: string): boolean =>
  url
    .split("?")[0]!
    .split("/")
    .some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))

/**
 * Each form of an input is accepted or refused as the contract says: with its status and code, and a message that names
 * what is wrong, or with an answer that shows what was sent. [ERR-2, ERR-3, OPER-4, OBS-2]
 */
export const errorsClear: Oracle = {
  name: "errors clear",
  instantiate: (facts) => ({
    answered: ({ body, call, response }) => {
      const { expects } = call
      if (expects === undefined || response.status >= 500 || response.status === 429) return null
      if (!facts.isStoreSeen && isResolved(call.request.url)) return null
      if (expects.code !== null) facts.coverageMarks.add("bad input was refused")
      for (const probe of expects.probes) facts.exercised.add(probe)
      if (expects.outcomes !== undefined) facts.compared.add(call)
      const wrong = difference(expects, { body, headers: response.headers, status: response.status })
      return wrong === null
        ? null
        : `${call.request.method} ${call.route}, ${expects.probes.slice(0, 3).join("; ")}: ${wrong}`
    }
  })
}
