/** What is gathered about a request while it is served: for its response headers and its line in the log. */
import type { RateLimit } from "@lead-signals/domain"
import { Effect, FiberRef } from "effect"

export interface RequestRecord {
  /** Sent back as X-Request-Id. [ERR-4] */
  readonly id: string
  /** The pattern of the route, never the target itself, which can hold personal data. */
  route: string | null
  keyId: string | null
  rate: RateLimit.RateDecision | null
}

const current = FiberRef.unsafeMake<RequestRecord | null>(null)

export const within =
  (record: RequestRecord) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(work, current, record)

/** Notes something about the request that is being served. */
export const note = (change: Partial<Pick<RequestRecord, "route" | "keyId" | "rate">>): Effect.Effect<void> =>
  Effect.map(FiberRef.get(current), (record) => {
    if (record !== null) Object.assign(record, change)
  })
