/**
 * No answer goes by unseen: of each that succeeds and has a body, some rule has compared the whole body with what it must be. This rule stands
 * behind all others, and finds what no rule of them looks at.
 */
import type { Answered, KnownBrand, KnownFacts } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"
import { operationOf } from "./Requests.ts"

/** Whose bodies no rule can know, with the reason. */
const unknowable: Readonly<Record<string, string>> = {
  "GET /metrics": "the simulated host collects no metrics"
}

const isDue = (facts: KnownFacts, { body, call, response }: Answered): boolean =>
  facts.isStoreSeen && response.status < 300 && body !== null && unknowable[operationOf(call)] === undefined

const isTenant = ({ tenants }: KnownFacts, brand: KnownBrand | null): boolean =>
  brand !== null && tenants.includes(brand)

/** It must come last: it finds what the others have left. */
export const answersCompared: Oracle = {
  name: "answers compared",
  instantiate: (facts, checks) => {
    const rule = checks.rule("the body of each answer")
    return {
      answered: (fact) => {
        const { call } = fact
        if (!isDue(facts, fact)) return null
        if (facts.compared.has(call)) rule.judged++
        else if (call.key !== null && call.meaning.means === "look" && isTenant(facts, call.brand))
          rule.weaken("the brand is being deleted: nobody knows what it still has")
        else return `no rule has compared what ${operationOf(call)} is answered`
        return null
      }
    }
  }
}
