import { processesOf } from "../plan/Plan.ts"
import type { KnownKey } from "../world/KnownFacts.ts"
import { isClockRight, isEveryCallEnded } from "./Circumstances.ts"
import type { Oracle } from "./Oracle.ts"

const windowMillis = 60_000

interface Window {
  admitted: number
  /** A key that was refused in it. */
  refused: KnownKey | null
  readonly remaining: Set<number>
}

/**
 * No window of a key admits more than its limit, nobody is refused who has something left, and what is left counts down.
 * [RATE-1, RATE-2, RATE-3, RATE-4]
 */
export const limitsHold: Oracle = {
  name: "limits hold",
  instantiate: (facts) => {
    const windows = new Map<string, Window>()
    const lastOpened = new Map<string, number>()
    // A call that was cut off has spent its request, and nobody saw it.
    const isAllSeen = isEveryCallEnded(facts.plan)
    let powerLosses = 0
    /** A loss of power takes the windows. [RATE-5] */
    const forgetLost = (): void => {
      if (facts.powerLostAt.length === powerLosses) return
      powerLosses = facts.powerLostAt.length
      windows.clear()
      lastOpened.clear()
    }
    /** Several processes take requests of a large limit ahead, and each tells what it last read to be left. [RATE-5] */
    const isCountedDown = ({ requestsPerMinute }: KnownKey): boolean =>
      requestsPerMinute < 200 || processesOf(facts.plan).length === 1
    return {
      conclude: () => {
        if (!isAllSeen || !isClockRight(facts)) return null
        for (const { admitted, refused } of windows.values()) {
          if (refused !== null && admitted < refused.requestsPerMinute) {
            return `key ${refused.id} was refused after ${admitted} of ${refused.requestsPerMinute} requests`
          }
        }
        return null
      },
      answered: ({ at, call, response }) => {
        const { key } = call
        if (key === null || response.status === 401) return null
        const reset = response.headers["x-ratelimit-reset"]
        if (reset === undefined)
          return response.status >= 500 ? null : `no X-RateLimit headers with ${response.status}`
        if (Number(response.headers["x-ratelimit-limit"]) !== key.requestsPerMinute) {
          return `X-RateLimit-Limit is not the ${key.requestsPerMinute} of key ${key.id}`
        }
        // A clock that jumps voids windows.
        if (!isClockRight(facts)) return null
        forgetLost()
        const opened = lastOpened.get(key.id)
        const isNew = !windows.has(`${key.id} ${reset}`)
        if (isNew && opened !== undefined && Math.abs(Number(reset) - opened) < windowMillis / 1000 - 1) {
          return `two windows of key ${key.id} overlap: one ends at ${opened}, the other at ${reset}`
        }
        lastOpened.set(key.id, Number(reset))
        const name = `${key.id} ${reset}`
        const window = windows.get(name) ?? {
          admitted: 0,
          refused: null,
          remaining: new Set<number>()
        }
        windows.set(name, window)
        const remaining = Number(response.headers["x-ratelimit-remaining"])
        if (response.status === 429) {
          facts.coverageMarks.add("a key was over its limit")
          const after = Number(response.headers["retry-after"])
          if (!(after >= 1 && after <= windowMillis / 1000))
            return `Retry-After is ${response.headers["retry-after"]}`
          const left = Number(reset) - at / 1000
          if (!facts.coverageMarks.has("the service stood still") && Math.abs(after - left) > 2) {
            return `Retry-After says ${after} s, and the window ends in ${left} s`
          }
          if (remaining !== 0) return `refused with ${remaining} left`
          // Of requests that came at once the refused may be answered before the last that was admitted.
          window.refused = key
          return null
        }
        window.admitted++
        if (window.admitted > key.requestsPerMinute)
          return `key ${key.id} was let through ${window.admitted} times`
        if (remaining < 0 || remaining >= key.requestsPerMinute)
          return `X-RateLimit-Remaining is ${remaining}`
        if (window.remaining.has(remaining) && isCountedDown(key))
          return `key ${key.id} was told twice that ${remaining} were left`
        window.remaining.add(remaining)
        const opens = Number(reset) * 1000 - windowMillis
        // It has turned to its window between these two instants.
        return opens < call.handledAt - windowMillis || opens > at + 1000
          ? `a window of a request at ${Math.floor(at / 1000)} opened at ${opens / 1000}`
          : null
      }
    }
  }
}
