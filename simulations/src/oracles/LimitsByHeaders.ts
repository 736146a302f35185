/** The limits of a host whose store nobody sees, by what its answers say. Such a host is neither killed nor has a wrong clock. */
import type { Answered, KnownFacts, KnownKey } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"

const windowMillis = 60_000

interface Window {
  admitted: number
  /** A key that was refused in it. */
  refused: KnownKey | null
  readonly remaining: Set<number>
}

/** Weaker than the count over a store that is seen: it knows no windows but those that answers name. */
export const limitsByHeaders = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("what is left of a window, by the answers of a host")
  const windows = new Map<string, Window>()
  const lastOpened = new Map<string, number>()
  return {
    conclude: (): string | null => {
      for (const { admitted, refused } of windows.values()) {
        if (refused !== null && admitted < refused.requestsPerMinute)
          return `key ${refused.id} was refused after ${admitted} of ${refused.requestsPerMinute} requests`
      }
      return null
    },
    answered: ({ at, call, response }: Answered): string | null => {
      const { key } = call
      if (key === null || response.status === 401) return null
      const reset = response.headers["x-ratelimit-reset"]
      if (reset === undefined)
        return response.status >= 500 ? null : `no X-RateLimit headers with ${response.status}`
      rule.judged++
      if (Number(response.headers["x-ratelimit-limit"]) !== key.requestsPerMinute)
        return `X-RateLimit-Limit is not the ${key.requestsPerMinute} of key ${key.id}`
      const name = `${key.id} ${reset}`
      const opened = lastOpened.get(key.id)
      if (
        !windows.has(name) &&
        opened !== undefined &&
        Math.abs(Number(reset) - opened) < windowMillis / 1000 - 1
      )
        return `two windows of key ${key.id} overlap: one ends at ${opened}, the other at ${reset}`
      lastOpened.set(key.id, Number(reset))
      const window = windows.get(name) ?? { admitted: 0, refused: null, remaining: new Set<number>() }
      windows.set(name, window)
      const remaining = Number(response.headers["x-ratelimit-remaining"])
      if (response.status === 429) {
        facts.coverageMarks.add("a key was over its limit")
        const after = Number(response.headers["retry-after"])
        if (!(after >= 1 && after <= windowMillis / 1000))
          return `Retry-After is ${response.headers["retry-after"]}`
        const left = Number(reset) - at / 1000
        if (Math.abs(after - left) > 2) return `Retry-After says ${after} s, and the window ends in ${left} s`
        if (remaining !== 0) return `refused with ${remaining} left`
        // The refused among requests that came at once may be answered before the last that was admitted.
        window.refused = key
        return null
      }
      window.admitted++
      if (window.admitted > key.requestsPerMinute)
        return `key ${key.id} was let through ${window.admitted} times`
      if (remaining < 0 || remaining >= key.requestsPerMinute) return `X-RateLimit-Remaining is ${remaining}`
      if (window.remaining.has(remaining)) return `key ${key.id} was told twice that ${remaining} were left`
      window.remaining.add(remaining)
      const opens = Number(reset) * 1000 - windowMillis
      // It has turned to its window between these two instants.
      return opens < call.handledAt - windowMillis || opens > at + 1000
        ? `a window of a request at ${Math.floor(at / 1000)} opened at ${opens / 1000}`
        : null
    }
  }
}
