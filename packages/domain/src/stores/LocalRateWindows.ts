/**
 * The parts of rate windows that a process keeps for itself, for stores whose windows several processes share: requests that it has
 * counted in advance, and windows that it counts alone while the shared ones can't be written. [RATE-5, RATE-6]
 */
import type { RateDecision, RateStep, RateWindow } from "../decisions/RateLimit.ts"
import type { Instant } from "../model/Instant.ts"

/** The number of keys, more than a process sees in a minute, above which a process forgets all that it has of windows. */
const maxKeys = 10_000

/** Milliseconds for which a process reports the remaining requests as of its last look; other processes may have spent some since. */
const maxAgeMillis = 1000

const put = <A>(map: Map<string, A>, keyId: string, value: A): void => {
  if (map.size >= maxKeys) map.clear()
  map.set(keyId, value)
}

/** A shared window, of which one process may still spend `left` requests that count as used there. */
export interface ReservedWindow extends RateWindow {
  /** Requests that were counted in advance and not spent yet. */
  readonly left: number
  /** When they were counted. */
  readonly takenAt: Instant
}

/**
 * Requests of busy keys that a process has counted in the shared windows in advance, so that it need not go there for each. Other processes
 * can't spend them. `timeFor` corrects the time of a request for the window; without it the time stays as it is.
 */
export class RequestReserve {
  private readonly windows = new Map<string, ReservedWindow>()
  private readonly timeFor: (window: RateWindow | null, now: Instant) => Instant

  /** An empty reserve; `timeFor` answers at which time a request counts in the window. */
  constructor(timeFor: (window: RateWindow | null, now: Instant) => Instant = (_, now) => now) {
    this.timeFor = timeFor
  }

  /** The key's window as the process last saw it; null where it knows none. */
  get(keyId: string): ReservedWindow | null {
    return this.windows.get(keyId) ?? null
  }

  /** Keeps the window of a key, as the process has written it. */
  put(keyId: string, window: ReservedWindow): void {
    put(this.windows, keyId, window)
  }

  /** Spends one request from the reserve; null where the shared window must decide. */
  spend(keyId: string, step: RateStep, now: Instant): RateDecision | null {
    const reserved = this.windows.get(keyId)
    if (reserved === undefined || reserved.left === 0) return null
    if (now < reserved.takenAt || now - reserved.takenAt >= maxAgeMillis) return null
    const before = { startedAt: reserved.startedAt, used: reserved.used - reserved.left }
    const { decision, window } = step(before, this.timeFor(before, now))
    if (window.startedAt !== reserved.startedAt || window.used !== before.used + 1) return null
    this.windows.set(keyId, { ...reserved, left: reserved.left - 1 })
    return decision
  }

  /** The shared window without the requests that the process has counted in it and not spent. Null for null. */
  withoutReserve(keyId: string, window: RateWindow | null): RateWindow | null {
    const reserved = this.windows.get(keyId)
    if (window === null || reserved?.startedAt !== window.startedAt) return window
    return { startedAt: window.startedAt, used: window.used - reserved.left }
  }
}

/** Windows that a process counts alone, in its memory. */
export class WindowsInMemory {
  private readonly windows = new Map<string, RateWindow>()

  /** The key's window; null where the process has counted none. */
  get(keyId: string): RateWindow | null {
    return this.windows.get(keyId) ?? null
  }

  /** Forgets the key's window, which another place counts from now on. */
  delete(keyId: string): void {
    this.windows.delete(keyId)
  }

  /** Spends one request of the key's window, which is `known` where the process has counted none itself. */
  spend(
    keyId: string,
    step: RateStep,
    now: Instant,
    known: () => RateWindow | null = () => null
  ): RateDecision {
    const { decision, window } = step(this.windows.get(keyId) ?? known(), now)
    put(this.windows, keyId, window)
    return decision
  }
}
