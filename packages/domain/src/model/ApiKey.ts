import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { InstantFromText } from "./InstantFromText.ts"
import { requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/**
 * The scopes of an API key, in the order in which keys list them. `leads` allows reading leads with their engagements, `metrics` the figures of
 * campaigns. [AUTH-10]
 */
export const keyScopes = ["leads", "metrics"] as const
/** One of `keyScopes`. */
export type KeyScope = (typeof keyScopes)[number]

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
  /** What the key reads: at least one, in the order of `keyScopes`. [AUTH-10] */
  readonly scopes: ReadonlyArray<KeyScope>
  /** Addresses and ranges (CIDR) from which the key works, at least one; null for every address. [AUTH-11] */
  readonly allowedAddresses: ReadonlyArray<string> | null
  /** When the operator created the key. */
  readonly createdAt: Instant
  /** The instant from which the key is refused; null for a key that does not expire. [AUTH-9] */
  readonly expiresAt: Instant | null
  /** When a request last used the key, to the minute; null until the first use. [AUTH-8] */
  readonly lastUsedAt: Instant | null
  /** When the operator revoked the key; null while it is valid. [AUTH-5] */
  readonly revokedAt: Instant | null
}

/** The greatest `requestsPerMinute` of a key. [RATE-1] */
export const maxRequestsPerMinute = 1_000_000

/** The maximum number of addresses and ranges that a key can be limited to. [AUTH-11] */
export const maxAllowedAddresses = 100

const AllowedAddresses = Schema.Array(Schema.String.pipe(Schema.maxLength(64)))
  .pipe(Schema.minItems(1), Schema.maxItems(maxAllowedAddresses))
  .annotations({
    description: `an array of 1 to ${maxAllowedAddresses} addresses or ranges like 192.0.2.0/24, or null`
  })

/**
 * The schema of a new key: `label` of 1 to 256 characters, and optional fields. Without `requestsPerMinute`, 1 to `maxRequestsPerMinute`, the
 * key gets the host's default; without `scopes` it has all of them; without `expiresAt` it does not expire; without `allowedAddresses` it works
 * from every address. The HTTP adapter checks the form of the addresses. [RATE-1, AUTH-9, AUTH-10, AUTH-11]
 */
export const NewKey = Schema.Struct({
  label: requiredText(textLimits.name),
  requestsPerMinute: Schema.optional(
    Schema.Int.pipe(Schema.between(1, maxRequestsPerMinute)).annotations({
      description: `an integer from 1 to ${maxRequestsPerMinute}`
    })
  ),
  scopes: Schema.optionalWith(
    Schema.Array(Schema.Literal(...keyScopes).annotations({ description: `one of ${keyScopes.join(", ")}` }))
      .pipe(Schema.minItems(1))
      .annotations({ description: `an array of one or more of ${keyScopes.join(", ")}` }),
    { default: () => keyScopes }
  ),
  expiresAt: Schema.optionalWith(Schema.NullOr(InstantFromText), { default: () => null }),
  allowedAddresses: Schema.optionalWith(Schema.NullOr(AllowedAddresses), { default: () => null })
})
