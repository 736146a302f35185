import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { requiredText, textLimits } from "./Text.ts"

/** What is known of an API key after its creation: its value is not. [AUTH-4, AUTH-8] */
export interface ApiKey {
  /** Decimal digits. */
  readonly id: string
  readonly brandId: BrandId
  readonly label: string
  /** The value's first 12 characters. */
  readonly start: string
  readonly requestsPerMinute: number
  readonly createdAt: Instant
  /** To the minute; null until the first use. */
  readonly lastUsedAt: Instant | null
  readonly revokedAt: Instant | null
}

/** The greatest limit that a key can have. */
export const maxRequestsPerMinute = 1_000_000

/** What an operator says of a new key; without a limit it has the host's default. [RATE-1] */
export const NewKey = Schema.Struct({
  label: requiredText(textLimits.name),
  requestsPerMinute: Schema.optional(
    Schema.Int.pipe(Schema.between(1, maxRequestsPerMinute)).annotations({
      description: `an integer from 1 to ${maxRequestsPerMinute}`
    })
  )
})
