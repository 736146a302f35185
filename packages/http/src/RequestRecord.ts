/** What is gathered about a request while it is served: for its response headers and its line in the log. */
import { elapsedMillisOf, Entropy, type RateLimit } from "@lead-signals/domain"
import { Effect, Encoding, FiberRef } from "effect"

/** What is known of a request by the time of its answer. */
export interface RequestRecord {
  /** Sent back as X-Request-Id. [ERR-4] */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** The same moment in elapsed milliseconds, from which its duration counts. */
  readonly begunAt: number
  readonly method: string
  /** The pattern of the route, never the target itself, which can hold personal data. */
  route: string | null
  keyId: string | null
  /** Names of the known parameters of its query. */
  parameters: ReadonlyArray<string>
  rate: RateLimit.RateDecision | null
}

const requestIdBytes = 12

/** The record of a request that begins now. */
export const recordWithId = (id: string, method: string): Effect.Effect<RequestRecord> =>
  Effect.clockWith((clock) =>
    Effect.succeed({
      id,
      startedAt: clock.unsafeCurrentTimeMillis(),
      begunAt: elapsedMillisOf(clock),
      method,
      route: null,
      keyId: null,
      parameters: [],
      rate: null
    })
  )

/** The same with a fresh id. */
export const recordFrom = (entropy: typeof Entropy.Service, method: string): Effect.Effect<RequestRecord> =>
  Effect.flatMap(entropy.bytes(requestIdBytes), (bytes) =>
    recordWithId(Encoding.encodeBase64Url(bytes), method)
  )

/** The same with the entropy of the context. */
export const newRecord = (method: string): Effect.Effect<RequestRecord, never, Entropy> =>
  Effect.flatMap(Entropy, (entropy) => recordFrom(entropy, method))

/** The record of the request that a handler of the platform's router serves; null outside of one. */
export const currentRecord: FiberRef.FiberRef<RequestRecord | null> =
  FiberRef.unsafeMake<RequestRecord | null>(null)
