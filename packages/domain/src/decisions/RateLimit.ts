/**
 * The rate limit of API keys. A window of 60 s begins with a key's first request and holds `limit` requests. A refused
 * request spends nothing. [RATE-1 … RATE-4]
 */
import type { Instant } from "../model/Instant.ts"

/** How long a window lasts, in milliseconds. [RATE-3] */
export const windowMillis = 60_000
/** The limit of a key for which the operator names none. [RATE-1] */
export const defaultRequestsPerMinute = 60

/** The window that a key's requests count against. */
export interface RateWindow {
  /** The time of the key's first request in it. */
  readonly startedAt: Instant
  /** Requests that passed in it, from 1 to the key's limit. */
  readonly used: number
}

/** Whether a request may pass, and the numbers of the X-RateLimit headers. [RATE-2] */
export interface RateDecision {
  /** False when the window was used up before this request, which then spent nothing. */
  readonly allowed: boolean
  /** Requests that the window holds. */
  readonly limit: number
  /** Requests that the window still holds after this one, at least 0. */
  readonly remaining: number
  /** When the window ends. */
  readonly resetAt: Instant
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number
}

/** Counts a request: answers the window after it, and the decision. */
export type RateStep = (
  window: RateWindow | null,
  now: Instant
) => { readonly window: RateWindow; readonly decision: RateDecision }

/** Whether `now` is in the window. A window from the future is void: a clock that was set back must not lock a key out for longer than a window. */
const isOpen = (window: RateWindow, now: Instant): boolean =>
  now >= window.startedAt && now < window.startedAt + windowMillis

/**
 * Counts one request at `now` against the key's window. Answers the window after the request, and whether the request
 * may pass. A window that is null, over or from the future is replaced by a new one. [RATE-3]
 */
export const spend = (window: RateWindow | null, limit: number, now: Instant): ReturnType<RateStep> => {
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

/** The window that began last; of two that began at the same time, the one with more requests used. Null where both are. */
export const laterWindow = (a: RateWindow | null, b: RateWindow | null): RateWindow | null => {
  if (a === null || b === null) return a ?? b
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt ? a : b
  return a.used >= b.used ? a : b
}
