import { difference } from "../vocabulary/Expectation.ts"
import type { Answered, Json } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"
import { RefusalTexts } from "./RefusalTexts.ts"
import { wrongWarningsOf } from "./Warnings.ts"

/** Whether the URL parser of `Request` resolves a part of the path, so that a host of a fetch handler never sees what was sent. */
const isResolved = (url: string): boolean =>
  url
    .split("?")[0]!
    .split("/")
    .some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))

/** What is quoted is what somebody sent. */
const ownWords = (message: string): string => message.replace(/"[^"]*"/g, "it")

/** What is wrong with a sentence for people, whatever it says. [ERR-3] */
const illWorded = (message: string): string | null =>
  /^\S.*[.?]$/s.test(message) && !/ {2}| [.,;:]|undefined|NaN|\[object/.test(ownWords(message))
    ? null
    : `"${message}" is no sentence`

/** The messages that say in an answer why something was refused: that of its error, and those of rejected observations. */
const refusalsOf = (body: Json): ReadonlyArray<string> =>
  body === null || typeof body !== "object"
    ? []
    : [
        ...(typeof body.error?.message === "string" ? [body.error.message] : []),
        ...(Array.isArray(body.data)
          ? body.data.flatMap(({ message, outcome }: Json) => (outcome === "rejected" ? [message] : []))
          : [])
      ]

/**
 * Each form of an input is accepted or refused as the contract says: with its status and code, and a message that names
 * what is wrong, or with an answer that shows what was sent and warns of each parameter that was ignored. [ERR-2, ERR-3, LIST-10, OPER-4, OBS-2]
 */
export const errorsClear: Oracle = {
  name: "errors clear",
  instantiate: (facts, checks) => {
    const calls = checks.rule("each call")
    const slow = checks.rule("a body that comes slowly")
    const warnings = checks.rule("the warnings of each answer")
    const refusals = new RefusalTexts()
    const answered = (fact: Answered): string | null => {
      const { at, body, call, response } = fact
      const { expects } = call
      calls.judged++
      warnings.judged++
      const misinformed = wrongWarningsOf(fact)
      if (misinformed !== null) return `${call.request.method} ${call.request.url}: ${misinformed}`
      const messages = refusalsOf(body)
      for (const sentence of [...messages, ...(body?.meta?.warnings ?? [])]) {
        const wrong = illWorded(sentence)
        if (wrong !== null) return `${call.request.method} ${call.route}: ${wrong}`
      }
      const telling = refusals.wrongIn(fact, messages)
      if (telling !== null) return `${call.request.method} ${call.route}: ${telling}`
      if (expects === undefined || response.status >= 500 || response.status === 429) return null
      // A late copy of a call with a key that was revoked since: `revoked keys fail` judges it.
      if (response.status === 401 && call.key !== null && call.key.revokingAt !== null) return null
      if (!facts.isStoreSeen && isResolved(call.request.url)) return null
      if (expects.code !== null) facts.coverageMarks.add("bad input was refused")
      if (call.request.unusual?.arrival?.pauses !== undefined) {
        // While the process stands still the time of the client goes on: the body can be too late then.
        const outcomesBefore = response.outcomesBefore?.length ?? 0
        const isOtherwise =
          response.status !== expects.status || outcomesBefore !== (expects.outcomesBefore ?? 0)
        if (isOtherwise && facts.incidents.touched(["pause"], call.handledAt, at, call.handledBy)) {
          slow.weaken("the process stood still")
          return null
        }
        slow.judged++
        facts.coverageMarks.add(
          expects.status === 408 ? "a body came too slowly" : "a body came slowly, and in time"
        )
        if (expects.outcomesBefore !== undefined && outcomesBefore !== expects.outcomesBefore)
          return `${outcomesBefore} lines were answered before the time was over, not ${expects.outcomesBefore}`
      }
      for (const probe of expects.probes) facts.exercised.add(probe)
      if (expects.outcomes !== undefined) facts.compared.add(call)
      const wrong = difference(expects, { body, headers: response.headers, status: response.status })
      return wrong === null
        ? null
        : `${call.request.method} ${call.route}, ${expects.probes.slice(0, 3).join("; ")}: ${wrong}`
    }
    return { answered }
  }
}
