/** The log has one line of each request, which says what was answered, and no line tells of a person or holds a secret. [ERR-4, PII-2] */
import { operatorToken } from "../world/Host.ts"
import type { Answered, KnownFacts, LoggedLine } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"

/** Keys, tokens and secrets as they are given away, cookies of sessions, and persons. */
const telling = new RegExp(
  `lsk_[0-9A-Za-z]{38}|lst_[0-9A-Za-z]{38}|whsec_|${operatorToken}|lead_signals_session=|(?:b\\d+|shared)-p\\d+\\.`
)

/** The pattern of a route as the log writes it. */
const patternOf = (route: string): string => route.replace(/\{(\w+)\}/g, ":$1")

const wrongLine = (fields: LoggedLine["fields"], { call, response }: Answered): string | null => {
  const { outcomesBefore, status } = response
  // An answer of lines has begun with 200 before its last line says how it ended.
  const wanted = [call.request.method, outcomesBefore === undefined ? status : 200]
  const said = [fields["method"], fields["status"]]
  if (said.join(" ") !== wanted.join(" ")) return `the log has ${said.join(" ")} of ${wanted.join(" ")}`
  const routes = [patternOf(call.route), ...(call.meaning.means === "bad" ? ["none"] : [])]
  if (!routes.includes(String(fields["route"])))
    return `the log has the route ${fields["route"]} of ${call.request.method} ${call.route}`
  const keyId = fields["keyId"]
  return keyId === undefined || keyId === call.key?.id
    ? null
    : `the log has key ${keyId} of a request with key ${call.key?.id}`
}

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const lines = checks.rule("each line of the log")
  const requests = checks.rule("the line of each answered request")
  const logged = new Map<string, LoggedLine["fields"]>()
  const unlogged = new Map<string, Answered>()
  const compare = (fields: LoggedLine["fields"], fact: Answered): string | null => {
    requests.judged++
    return wrongLine(fields, fact)
  }
  return {
    logged: ({ fields, message }) => {
      lines.judged++
      const found = telling.exec(`${message} ${JSON.stringify(fields)}`)
      if (found !== null) return `the line "${message}" of the log holds ${found[0]}`
      if (message !== "request") return null
      const id = String(fields["requestId"])
      if (logged.has(id)) return `the log has two lines of the request ${id}`
      logged.set(id, fields)
      const fact = unlogged.get(id)
      unlogged.delete(id)
      return fact === undefined ? null : compare(fields, fact)
    },
    answered: (fact) => {
      if (!facts.isStoreSeen) return null
      const id = fact.response.headers["x-request-id"] ?? ""
      const fields = logged.get(id)
      if (fields !== undefined) return compare(fields, fact)
      unlogged.set(id, fact)
      return null
    },
    conclude: () => {
      for (const { at, call } of unlogged.values())
        if (!facts.incidents.touched(["kill"], call.handledAt, at, call.handledBy))
          return `${call.request.method} ${call.route} was answered at ${new Date(at).toISOString()} and has no line in the log`
      return null
    }
  }
}

/** [ERR-4, PII-2] */
export const logRight: Oracle = {
  name: "log right",
  instantiate: instance
}
