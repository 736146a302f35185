/**
 * Each call is let through or refused as its credential says: its scopes, its brands, its addresses, and until when it is valid. An answer
 * shows nothing of a brand that its token does not reach. [AUTH-9, AUTH-10, AUTH-11, OPER-10, OPER-11, OPER-12, AUD-4]
 */
import type { Answered, Call, Json, KnownFacts } from "../world/KnownFacts.ts"
import { accessOf, type Refusal } from "./AccessReference.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { operationOf } from "./Requests.ts"
import { isViaSession } from "./SessionReference.ts"

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const decisions = checks.rule("each call with a credential")
  const lists = checks.rule("each list for a token with brands")
  const uses = checks.rule("when a token is said to be used")
  const access = accessOf(facts)

  const isClockSteady = (call: Call): boolean =>
    !facts.incidents.touched(["clock", "pause"], call.handledAt, facts.now(), call.handledBy)

  const isClockSet = (call: Call): boolean =>
    facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)

  const wrongRefusal = (
    { body, call, response }: Answered,
    { code, names, status }: Refusal
  ): string | null => {
    const error = body?.error
    const what = `${operationOf(call)} with ${access.grantOf(call)!.kind} ${access.grantOf(call)!.id}`
    if (response.status !== status) return `${what} was answered ${response.status}, not ${status}`
    if (error?.code !== code) return `${what} was refused as ${error?.code}, not as ${code}`
    return error.message.includes(names)
      ? null
      : `${what} was refused without a word of ${names}: ${error.message}`
  }

  /** What a token that is limited to brands is shown is of these alone. */
  const foreignIn = ({ body, call, response }: Answered): string | null => {
    const brandIds = access.brandIdsOf(call)
    if (brandIds === null || response.status !== 200) return null
    const operation = operationOf(call)
    const idOf =
      operation === "GET /operator/brands"
        ? (each: Json) => each.id
        : operation === "GET /operator/audit"
          ? (each: Json) => each.brandId
          : null
    if (idOf === null) return null
    lists.judged++
    facts.coverageMarks.add("a token was shown its brands alone")
    const foreign = (body.data as ReadonlyArray<Json>).find((each) => !brandIds.includes(idOf(each)))
    return foreign === undefined
      ? null
      : `${operation} shows brand ${idOf(foreign)} to a token of ${brandIds.join()}`
  }

  const mark = ({ status }: Refusal, call: Call): void => {
    const { coverageMarks } = facts
    const { expiresAt, kind } = access.grantOf(call)!
    if (status === 403) coverageMarks.add(`a ${kind} lacked a scope, or a brand`)
    if (status === 404) coverageMarks.add("a token named a brand that it does not reach")
    if (status === 401 && expiresAt !== null && expiresAt <= call.handledByClock)
      coverageMarks.add(`an expired ${kind} was refused`)
    if (status === 401 && access.lookUpOf(call)?.isRevoked === true)
      coverageMarks.add(`a revoked ${kind} was refused at once`)
  }

  const judged = (fact: Answered): string | null => {
    const { call, response } = fact
    const { status } = response
    const grant = access.grantOf(call)
    if (grant === undefined || status >= 500 || (status === 429 && grant.kind === "key")) return null
    const lookUp = access.lookUpOf(call)
    // `sessions hold` judges what sessions open.
    if (isViaSession(call) && access.isUnclear(call, fact.byClock)) return null
    // `live events` judges each look of a stream.
    if (response.stream !== undefined) return null
    // What nobody may ask is refused without a look at the credential, and a host of its own shows no looks.
    if (lookUp === undefined && (!facts.isStoreSeen || call.meaning.means === "bad")) return null
    if (lookUp === undefined && status < 300 && !isViaSession(call))
      return `${operationOf(call)} with ${grant.kind} ${grant.id} was answered ${status} without a look at it`
    const at = lookUp?.now ?? call.handledByClock
    const refusal = access.refusalOf(call, at)
    if (grant.expiresAt !== null && !isClockSteady(call)) {
      decisions.weaken(
        "the clock was set, or the service stood still, while a credential was looked up that expires"
      )
      return null
    }
    decisions.judged++
    if (refusal !== null) {
      // A wrong request can be found wrong first.
      if (call.meaning.means === "bad" && status === call.expects?.status) return null
      mark(refusal, call)
      return wrongRefusal(fact, refusal)
    }
    if (grant.expiresAt !== null && Math.abs(grant.expiresAt - at) <= 1)
      facts.coverageMarks.add("a credential was used in its last millisecond")
    if (status === 401 || status === 403)
      return `${operationOf(call)} with ${grant.kind} ${grant.id}, which opens it, was answered ${status}`
    return foreignIn(fact)
  }

  return {
    stored: (done) => {
      access.stored(done)
      const { args, call, method, process } = done
      // Where one of another kind is sent, or one that is misspelt, the call expects a refusal. [AUTH-7]
      if (
        method === "keys.findByHash" &&
        call?.request.unusual?.authorization !== undefined &&
        call.expects?.status === 401
      )
        return `${operationOf(call)}: what can be no key is looked up`
      if (method !== "accessTokens.markUsed" || call === null) return null
      const grant = access.grantOf(call)
      if (grant !== undefined && grant.id !== args[0])
        return `token ${args[0]} is said to be used, by ${grant.id}`
      // A clock that was set back meanwhile reads less than when the credential was looked up.
      const isLater = args[1] > process.now
      if (isLater && isClockSet(call)) uses.weaken("the clock was set meanwhile")
      else uses.judged++
      return args[1] % 60_000 === 0 && (!isLater || isClockSet(call))
        ? null
        : `a token's last use is ${args[1]} at ${process.now}`
    },
    answered: (fact) => {
      access.learn(fact)
      return judged(fact)
    }
  }
}

/** [AUTH-9, AUTH-10, AUTH-11, OPER-10, OPER-11, OPER-12, AUD-4] */
export const accessDecided: Oracle = {
  name: "access decided",
  instantiate: instance
}
