import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { requiredText, textLimits } from "./Text.ts"

/** An API key as a store keeps it: everything but its value. [AUTH-4, AUTH-8] */
export interface ApiKey {
  /** Decimal digits, never given twice in one store. */
  readonly id: string
  /** The brand that the key reads. A key reaches the data of no other brand. [AUTH-3] */
  readonly brandId: BrandId
  /** The operator's note of what the key is for: 1 to 256 characters. [AUTH-4] */
  readonly label: string
  /** The first 12 characters of the value, by which an operator recognises the key. [AUTH-8] */
  readonly start: string
  /** Requests in one rate window of 60 s, from 1 to `maxRequestsPerMinute`. [RATE-1] */
  readonly requestsPerMinute: number
  /** When the operator created the key. */
  readonly createdAt: Instant
  /** When a request last used the key, to the minute; null until the first use. [AUTH-8] */
  readonly lastUsedAt: Instant | null
  /** When the operator revoked the key; null while it is valid. [AUTH-5] */
  readonly revokedAt: Instant | null
}

/** Requests that a key may make in a minute at most. [RATE-1] */
export const maxRequestsPerMinute = 1_000_000

/**
 * The schema of a new key: `label` of 1 to 256 characters, `requestsPerMinute` from 1 to `maxRequestsPerMinute`.
 * Without a limit the key gets the host's default. [RATE-1]
 */
export const NewKey = Schema.Struct({
  label: requiredText(textLimits.name),
  requestsPerMinute: Schema.optional(
    Schema.Int.pipe(Schema.between(1, maxRequestsPerMinute)).annotations({
      description: `an integer from 1 to ${maxRequestsPerMinute}`
    })
  )
})
