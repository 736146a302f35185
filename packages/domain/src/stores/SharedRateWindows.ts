/** Makes the port of rate windows of windows that several processes share, which may be unavailable for a while. [RATE-5, RATE-6] */
import { type Clock, Effect } from "effect"
import type { RateDecision, RateStep } from "../decisions/RateLimit.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { RateWindows } from "../ports/RateWindows.ts"
import type { RequestReserve } from "./LocalRateWindows.ts"

/** Milliseconds from a failure of the shared windows to the next request that tries them. */
const retryAfterMillis = 5000

/** Where a process counts requests. */
export interface SharedWindows {
  /** The requests that the process has counted in the shared windows in advance. */
  readonly reserve: RequestReserve
  /** Counts a request in the shared windows. */
  readonly spend: (
    keyId: string,
    step: RateStep,
    clock: Clock.Clock
  ) => Effect.Effect<RateDecision, StoreUnavailable>
  /** Counts a request in the memory of the process, while the shared windows are unavailable. */
  readonly spendAlone: (keyId: string, step: RateStep, now: Instant) => RateDecision
  /** The lines that are logged once when the shared windows become unavailable, and once when they are available again. */
  readonly messages: { readonly lost: string; readonly found: string }
}

/**
 * The rate windows of a process that shares them. A request is counted in the reserve, else in the shared windows, and in memory after these have failed: then one
 * request every 5 s tries them again, and the others do not wait for it.
 */
export class SharedRateWindows {
  private readonly windows: SharedWindows
  /** When the shared windows last failed; null while they are available. */
  private failedAt: Instant | null = null

  /** The windows count as available until a request fails. */
  constructor(windows: SharedWindows) {
    this.windows = windows
  }

  /** As `RateWindows.step`; never fails. */
  readonly step: (typeof RateWindows.Service)["step"] = (keyId, step) =>
    Effect.clockWith((clock) => {
      const { reserve, spend, spendAlone } = this.windows
      const now = clock.unsafeCurrentTimeMillis()
      const decision = reserve.spend(keyId, step, now)
      if (decision !== null) return Effect.succeed(decision)
      const { failedAt } = this
      if (failedAt !== null && now >= failedAt && now - failedAt < retryAfterMillis)
        return Effect.sync(() => spendAlone(keyId, step, clock.unsafeCurrentTimeMillis()))
      if (failedAt !== null) this.failedAt = now
      return Effect.matchEffect(spend(keyId, step, clock), {
        onFailure: (failure) =>
          Effect.as(this.noteFailure(now, failure), spendAlone(keyId, step, clock.unsafeCurrentTimeMillis())),
        onSuccess: (spent) => Effect.as(this.noteSuccess, spent)
      })
    })

  /** Notes that the shared windows failed at `now`, and logs the first failure of several. */
  noteFailure(now: Instant, { reason }: StoreUnavailable): Effect.Effect<void> {
    const isNew = this.failedAt === null
    this.failedAt = now
    return isNew ? Effect.logWarning(this.windows.messages.lost, { reason }) : Effect.void
  }

  private readonly noteSuccess = Effect.suspend(() => {
    if (this.failedAt === null) return Effect.void
    this.failedAt = null
    return Effect.logInfo(this.windows.messages.found)
  })
}
