/** When keys were last used: noted with each request, to the minute, and shown with the keys. [AUTH-8] */
import type { Answered, Call, KnownFacts } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"

/** How long a store may take to write a key's last use, which a kill can take with it. */
const writeMillis = 2000
const minuteMillis = 60_000

const minuteOf = (at: number): number => at - (at % minuteMillis)

export const keyUses = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("when a key was last used")
  /** The minutes in which each key was used, as the store was told, and when in true time. */
  const uses = new Map<string, Array<{ readonly minute: number; readonly at: number }>>()
  /** The minute in which the key of a request was looked up. */
  const lookedUp = new WeakMap<Call, number>()

  const isClockSteady = (call: Call): boolean =>
    !facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)

  return {
    lookUp: (call: Call, now: number): void => void lookedUp.set(call, minuteOf(now)),

    /** The store was told of a use. */
    note: (call: Call, keyId: string, minute: number, now: number): string | null => {
      if (call.key !== null && keyId !== call.key.id)
        return `key ${keyId} is said to be used, by one of ${call.key.id}`
      const known = uses.get(keyId) ?? []
      uses.set(keyId, known)
      known.push({ minute, at: facts.now() })
      if (minute % minuteMillis !== 0) return `a key's last use is ${minute}, which is no minute`
      if (!isClockSteady(call)) return null
      return minute >= minuteOf(call.handledByClock) && minute <= now
        ? null
        : `a use at ${now} is noted for ${minute}`
    },

    /** What is shown is what the store was told last, or what a kill has left of it. */
    rendered: (keyId: string, rendered: number | null): string | null => {
      const known = uses.get(keyId) ?? []
      const newer = known.filter(({ minute }) => rendered === null || minute > rendered)
      if (rendered !== null && !known.some(({ minute }) => minute === rendered))
        return `key ${keyId} was not used at ${rendered}`
      if (newer.length === 0) rule.judged++
      else if (newer.every(({ at }) => facts.incidents.touched(["kill"], at, at + writeMillis)))
        rule.weaken("the process was killed before the use was written")
      else return `key ${keyId} was used after ${rendered}`
      return null
    },

    /** A request with a key that was answered has noted its use. */
    answered: ({ call, response }: Answered): string | null => {
      const { key } = call
      const minute = lookedUp.get(call)
      if (key === null || minute === undefined || response.status === 401 || response.status >= 500)
        return null
      if (call.struck.has("keys.markUsed")) rule.weaken("the store failed as the use was noted")
      else if (!isClockSteady(call)) rule.weaken("the clock was set during the request")
      else {
        rule.judged++
        if (!(uses.get(key.id) ?? []).some((use) => use.minute >= minute))
          return `key ${key.id} is used, and the use is not noted`
      }
      return null
    }
  }
}
