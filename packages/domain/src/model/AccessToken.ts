import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { InstantFromText } from "./InstantFromText.ts"
import { requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/**
 * The scopes of an operator's token, in the order in which tokens list them. `read` allows reading brands, leads and figures; `ingest` recording
 * observations and the readings of campaigns; `webhooks` reading and changing webhooks and deliveries; `metrics` reading the service's own
 * metrics and nothing of a brand; `admin` everything else. No scope includes another. [OPER-10]
 */
export const operatorScopes = ["read", "ingest", "webhooks", "metrics", "admin"] as const
/** One of `operatorScopes`. */
export type OperatorScope = (typeof operatorScopes)[number]

/** A token of an operator as a store keeps it: everything but its value. [OPER-11] */
export interface AccessToken {
  /** Decimal digits, never given twice in one store. */
  readonly id: string
  /** Who or what uses the token: 1 to 256 characters. */
  readonly name: string
  /** The first 12 characters of the value, by which an operator recognises the token. */
  readonly start: string
  /** What the token may do: at least one, in the order of `operatorScopes`. */
  readonly scopes: ReadonlyArray<OperatorScope>
  /** The brands that the token reaches, at least one; null reaches every brand, later ones too. [OPER-12] */
  readonly brandIds: ReadonlyArray<BrandId> | null
  /** When it was created. */
  readonly createdAt: Instant
  /** The instant from which it is refused; null for a token that does not expire. */
  readonly expiresAt: Instant | null
  /** When a call last used it, to the minute; null until the first use. */
  readonly lastUsedAt: Instant | null
  /** When it was revoked; null while it is not. */
  readonly revokedAt: Instant | null
}

/** The maximum number of brands that a token can be limited to. */
export const maxBrandsOfToken = 100

const BrandIds = Schema.Array(Schema.String.pipe(Schema.pattern(/^[0-9]{1,16}$/)))
  .pipe(Schema.minItems(1), Schema.maxItems(maxBrandsOfToken))
  .annotations({ description: `an array of 1 to ${maxBrandsOfToken} ids of brands, or null` })

/**
 * The schema of a new token: `name` of 1 to 256 characters, and one or more `scopes`, in any order. Without `brandIds` it reaches
 * every brand, and without `expiresAt` it does not expire.
 */
export const NewAccessToken = Schema.Struct({
  name: requiredText(textLimits.name),
  scopes: Schema.Array(
    Schema.Literal(...operatorScopes).annotations({ description: `one of ${operatorScopes.join(", ")}` })
  )
    .pipe(Schema.minItems(1))
    .annotations({ description: `an array of one or more of ${operatorScopes.join(", ")}` }),
  brandIds: Schema.optionalWith(Schema.NullOr(BrandIds), { default: () => null }),
  expiresAt: Schema.optionalWith(Schema.NullOr(InstantFromText), { default: () => null })
})
export type NewAccessToken = typeof NewAccessToken.Type
