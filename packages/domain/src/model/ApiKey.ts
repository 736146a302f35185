import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"

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
