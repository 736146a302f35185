/**
 * How many requests a key may make: a window of 60 s starts with the key's first request, holds `limit` requests, and a
 * refused request spends nothing. [RATE-1 … RATE-4]
 */
import type { Instant } from "../model/Instant.ts"

export const windowMillis = 60_000
export const defaultRequestsPerMinute = 60

export interface RateWindow {
  readonly startedAt: Instant
  readonly used: number
}

export interface RateDecision {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the window ends. */
  readonly resetAt: Instant
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number
}

/** A clock that was set back may not keep a key out for longer than a window: a window from the future is void. */
const isOpen = (window: RateWindow, now: Instant): boolean =>
  now >= window.startedAt && now < window.startedAt + windowMillis

/** One request at `now`: the key's window after it, and whether it may pass. */
export const spend = (
  window: RateWindow | null,
  limit: number,
  now: Instant
): { readonly window: RateWindow; readonly decision: RateDecision } => {
  const current = window !== null && isOpen(window, now) ? window : { startedAt: now, used: 0 }
  const allowed = current.used < limit
  const used = allowed ? current.used + 1 : current.used
  const resetAt = current.startedAt + windowMillis
  return {
    window: { startedAt: current.startedAt, used },
    decision: {
      allowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetAt,
      retryAfterSeconds: Math.max(1, Math.ceil((resetAt - now) / 1000))
    }
  }
}
