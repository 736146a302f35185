import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { requiredText, textLimits } from "./Text.ts"

/** Decimal digits. */
export type BrandId = string

/** A tenant: keys, signals, campaigns and leads belong to exactly one brand. */
export interface Brand {
  readonly id: BrandId
  readonly name: string
  readonly createdAt: Instant
  /** Hex of 32 random bytes, made with the brand: keys the hashes that outlive an erasure. Never leaves the core. [PII-3] */
  readonly suppressionSecret: string
  /** Null unless the brand is being deleted: for everything but the rest of its deletion it is gone then. */
  readonly deletionStartedAt: Instant | null
}

/** What an operator says of a new brand. */
export const NewBrand = Schema.Struct({ name: requiredText(textLimits.name) })

/** The new name of a brand, a signal or a campaign. */
export const Renaming = Schema.Struct({ name: requiredText(textLimits.name) })
