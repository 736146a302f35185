/** When keys and tokens were last used: noted with each request, to the minute, and shown with them. [AUTH-8, OPER-11] */
import type { Answered, Call, KnownFacts } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import type { Checks } from "./Checks.ts"

/** How long a store may take to write a key's last use, which a kill can take with it. */
const writeMillis = 2000
const minuteMillis = 60_000

const minuteOf = (at: number): number => at - (at % minuteMillis)

const streamRoute = "/operator/brands/{brandId}/events"

/** What is used: a key or a token. */
interface Used {
  readonly what: "key" | "token"
  readonly markUsed: StoreMethod
  /** The id of the one that the call bears, where that is known. */
  readonly idOf: (call: Call) => string | null
}

/** For keys and for tokens, which differ in where they are found in a call. Where the clock was set during a call, its use is judged in part. */
export const usesOf = (facts: KnownFacts, checks: Checks, { idOf, markUsed, what }: Used) => {
  const rule = checks.rule(`when a ${what} was last used`)
  /** The minutes in which each key was used, as the store was told, and when in true time. */
  const uses = new Map<string, Array<{ readonly minute: number; readonly at: number }>>()
  /** The minute in which the key of a request was looked up. */
  const lookedUp = new WeakMap<Call, number>()

  const isClockSteady = (call: Call): boolean =>
    !facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)

  return {
    /** A stream looks its credential up again and again, the last time perhaps in vain: its beginning is the use that it has to note. */
    lookUp: (call: Call, now: number): void => {
      if (call.route !== streamRoute || !lookedUp.has(call)) lookedUp.set(call, minuteOf(now))
    },

    /** The store was told of a use. */
    note: (call: Call, keyId: string, minute: number, now: number): string | null => {
      const own = idOf(call)
      if (own !== null && keyId !== own) return `${what} ${keyId} is said to be used, by one of ${own}`
      const known = uses.get(keyId) ?? []
      uses.set(keyId, known)
      known.push({ minute, at: facts.now() })
      if (minute % minuteMillis !== 0) return `a ${what}'s last use is ${minute}, which is no minute`
      if (!isClockSteady(call)) {
        rule.weaken("the clock was set during the request")
        return null
      }
      rule.judged++
      return minute >= minuteOf(call.handledByClock) && minute <= now
        ? null
        : `a use at ${now} is noted for ${minute}`
    },

    /** What is shown is what the store was told last, or what a kill has left of it. */
    rendered: (keyId: string, rendered: number | null): string | null => {
      const known = uses.get(keyId) ?? []
      const newer = known.filter(({ minute }) => rendered === null || minute > rendered)
      if (rendered !== null && !known.some(({ minute }) => minute === rendered))
        return `${what} ${keyId} was not used at ${rendered}`
      if (newer.length === 0) rule.judged++
      else if (newer.every(({ at }) => facts.incidents.touched(["kill"], at, at + writeMillis)))
        rule.weaken("the process was killed before the use was written")
      else return `${what} ${keyId} was used after ${rendered}`
      return null
    },

    /** A request with a key that was answered has noted its use. */
    answered: ({ call, response }: Answered): string | null => {
      const id = idOf(call)
      const minute = lookedUp.get(call)
      if (id === null || minute === undefined || response.status === 401 || response.status >= 500)
        return null
      if (call.struck.has(markUsed)) rule.weaken("the store failed as the use was noted")
      else if (!isClockSteady(call)) rule.weaken("the clock was set during the request")
      else {
        rule.judged++
        // The last uses are the newest, unless a clock was set back.
        if ((uses.get(id) ?? []).findLast((use) => use.minute >= minute) === undefined)
          return `${what} ${id} is used, and the use is not noted`
      }
      return null
    }
  }
}

/** The uses of keys, or those of tokens. */
export type KeyUses = ReturnType<typeof usesOf>
