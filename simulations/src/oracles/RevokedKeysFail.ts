import type { Call } from "../world/KnownFacts.ts"
import { accessOf } from "./AccessReference.ts"
import type { Oracle } from "./Oracle.ts"
import { isViaSession, sessionRoute } from "./SessionReference.ts"
import { WaitingKeys } from "./WaitingKeys.ts"

/**
 * From the moment a revocation is acknowledged no request with the key succeeds; before it is asked for, none fails for it. Where the
 * store is seen: a request is refused exactly when the key was revoked by the instant at which it was looked up, and
 * one that has waited for a change looks its key up before it reads on. [AUTH-5, CHG-6]
 */
export const revokedKeysFail: Oracle = {
  name: "revoked keys fail",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each request with a key")
    const revoked = new Set<string>()
    const brands = new Map<string, string>()
    const access = accessOf(facts)
    const verdicts = new WeakMap<Call, boolean>()
    const waiting = new WaitingKeys(facts, checks)
    return {
      stored: (done) => {
        const { answer, args, call, method } = done
        if (method === "keys.create") brands.set(answer.id, args[0].brandId)
        if (method === "keys.revoke" && answer === true) revoked.add(args[1])
        if (method === "brands.startDeletion")
          for (const [id, brandId] of brands) if (brandId === args[0]) revoked.add(id)
        if (method === "keys.findByHash" && call !== null && call.key !== null)
          verdicts.set(call, revoked.has(call.key.id))
        return waiting.stored(done)
      },
      answered: ({ at, call, response }) => {
        const { key, sentAt } = call
        const { status } = response
        // `sessions hold` judges what sessions open.
        if (isViaSession(call) || call.route === sessionRoute) return null
        if (key === null) {
          // What other operators' tokens open `access decided` judges.
          const isValid = call.expects?.status !== 401 && access.grantOf(call) === undefined
          return isValid && status === 401 ? "the operator's token was refused" : null
        }
        // `access decided` judges keys that expire, or work from some addresses.
        if (access.isLimited(call)) return null
        rule.judged++
        const isRefused = verdicts.get(call)
        if (isRefused === undefined && facts.isStoreSeen && status < 300)
          return `a request with key ${key.id} was answered ${status} without a look at the key`
        if (isRefused !== undefined && status < 500 && (status === 401) !== isRefused)
          return `key ${key.id} is ${isRefused ? "" : "not "}revoked, and was answered ${status}`
        if (key.revokedAt !== null && sentAt > key.revokedAt) {
          if (status === 401) facts.coverageMarks.add("a revoked key was refused")
          return status === 401 || status >= 500 ? null : `key ${key.id} was revoked, and answered ${status}`
        }
        return status === 401 && (key.revokingAt === null || at < key.revokingAt)
          ? `key ${key.id} is valid, and was refused`
          : null
      }
    }
  }
}
