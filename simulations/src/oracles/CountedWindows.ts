/**
 * A naive count of the requests of each key. Of a limit of 200 or more a process may take one in two hundred ahead, for at most a
 * second: others can't spend these, and nobody can once the process was killed. [RATE-3, RATE-5]
 */
import type { KnownFacts, KnownKey, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"

const windowMillis = 60_000
const killedAhead = "a process was killed that had taken requests of a large limit ahead"
const aheadOf = 200
/** How long a process goes by what was left when it last looked. */
const aheadMillis = 1000

interface Window {
  startedAt: number
  used: number
  /** In true time: when it was opened, and when it was last looked at. */
  readonly openedAt: number
  at: number
  /** The processes that counted in it. */
  readonly processes: Set<number>
  /** Requests that were let in within the last second, in true time. */
  recent: ReadonlyArray<{ readonly process: number; readonly at: number }>
}

/** What the store decided on a request. */
export interface Decision {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetAt: number
  readonly now: number
}

/** Hears what the store counts, and judges the headers and refusals of answers by it. */
export class CountedWindows {
  private readonly windows = new Map<string, Window>()
  /** By how much each process's clock was ahead of the true time as it last counted a request of the key, and when that was. */
  private readonly offsets = new Map<string, Map<number, { readonly millis: number; readonly at: number }>>()
  /** Keys whose windows a failover may have set back. */
  private readonly setBack = new Set<string>()
  private readonly rule
  private readonly shared
  private powerLosses = 0

  constructor(
    private readonly facts: KnownFacts,
    checks: Checks
  ) {
    this.rule = checks.rule("what is left of a window")
    this.shared = checks.rule("what is left of a large window that several processes share")
  }

  /** A failover may have set every window back. */
  tailLost(): void {
    for (const id of this.windows.keys()) this.setBack.add(id)
  }

  /** Counts a request; answers what must be said of it. */
  count(key: KnownKey, fact: Stored): Decision {
    this.forgetLost()
    const { answer, process, serviceNow: now } = fact
    const { id, requestsPerMinute: limit } = key
    const at = this.facts.now()
    const window = this.windowAt(id, now)
    const kills = this.facts.incidents.count("kill", window.at, at)
    const others = [...window.processes].filter((each) => each !== process.index).length
    const isClockShared = this.isClockShared(id, fact)
    window.at = at
    window.processes.add(process.index)
    const isAllowed = window.used < limit
    const used = window.used + (isAllowed ? 1 : 0)
    const counted = { isAllowed, remaining: limit - used, resetAt: window.startedAt + windowMillis, now }
    const isAsCounted =
      answer.allowed === isAllowed &&
      answer.remaining === counted.remaining &&
      answer.resetAt === counted.resetAt
    const ahead = Math.floor(limit / aheadOf)
    const lost = counted.remaining - answer.remaining
    if (!isAsCounted && this.setBack.has(id))
      return this.adopt(id, window, fact, "a failover set the window back")
    this.setBack.delete(id)
    if (!isAsCounted && ahead > 0 && !isClockShared)
      return this.adopt(id, window, fact, "processes with differing clocks share a large window")
    const recent = window.recent.filter((each) => at - each.at <= aheadMillis)
    if (!isAsCounted && ahead > 0 && others > 0) {
      const killed = this.facts.incidents.count("kill", window.openedAt, at)
      const min = -recent.filter((each) => each.process !== process.index).length
      const isWithin = lost >= min && lost <= (others + killed) * ahead
      const isRefusedEarly = isAllowed && !answer.allowed
      const isRefusable = limit - window.used <= (others + killed) * ahead
      if (
        isWithin &&
        answer.resetAt === counted.resetAt &&
        (answer.allowed === isAllowed || (isRefusedEarly && isRefusable))
      ) {
        this.shared.judged++
        if (answer.allowed) this.admit(window, used, recent, process.index, at)
        return { ...counted, isAllowed: answer.allowed, remaining: answer.remaining }
      }
    }
    const isTaken = answer.resetAt === counted.resetAt && limit - window.used <= kills * ahead
    if (kills > 0 && isAllowed && !answer.allowed && isTaken) {
      this.rule.weaken(killedAhead)
      window.used = limit
      return { ...counted, isAllowed: false, remaining: 0 }
    }
    if (isAllowed) this.admit(window, used, recent, process.index, at)
    if (kills > 0 && lost > 0 && lost <= kills * ahead) {
      this.rule.weaken(killedAhead)
      window.used += lost
      return { ...counted, remaining: limit - window.used }
    }
    return counted
  }

  private admit(window: Window, used: number, recent: Window["recent"], process: number, at: number): void {
    window.used = used
    window.recent = [...recent, { process, at }]
  }

  private windowAt(id: string, now: number): Window {
    const known = this.windows.get(id)
    if (known !== undefined && now >= known.startedAt && now < known.startedAt + windowMillis) return known
    const at = this.facts.now()
    const opened: Window = { startedAt: now, used: 0, openedAt: at, at, processes: new Set(), recent: [] }
    this.windows.set(id, opened)
    return opened
  }

  /** Takes the store's word for the window. */
  private adopt(id: string, window: Window, { answer, serviceNow: now }: Stored, reason: string): Decision {
    this.rule.weaken(reason)
    this.setBack.delete(id)
    window.startedAt = answer.resetAt - windowMillis
    window.used = answer.limit - answer.remaining
    return { isAllowed: answer.allowed, remaining: answer.remaining, resetAt: answer.resetAt, now }
  }

  /** Whether the clocks of all processes that counted requests of the key lately show the same, and did so meanwhile. */
  private isClockShared(id: string, { process }: Stored): boolean {
    const at = this.facts.now()
    const millis = process.now - at
    const offsets = this.offsets.get(id) ?? new Map<number, { millis: number; at: number }>()
    this.offsets.set(id, offsets)
    offsets.set(process.index, { millis, at })
    const lately = [...offsets].filter(([, each]) => at - each.at <= 2 * windowMillis)
    return (
      lately.length === 1 ||
      (lately.every(([, each]) => each.millis === millis) &&
        lately.every(
          ([index]) => !this.facts.incidents.touched(["clock", "drift"], at - 2 * windowMillis, at, index)
        ))
    )
  }

  /** A loss of power takes the windows. [RATE-5] */
  private forgetLost(): void {
    if (this.facts.powerLostAt.length === this.powerLosses) return
    this.powerLosses = this.facts.powerLostAt.length
    this.windows.clear()
  }
}
