import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/** The id of a brand: decimal digits. */
export type BrandId = string

/** A tenant: keys, signals, campaigns and leads belong to exactly one brand. */
export interface Brand {
  /** Never given twice in one store, not even after the brand is deleted. */
  readonly id: BrandId
  /** The operator's name for the brand: 1 to 256 characters. Two brands may have the same name. */
  readonly name: string
  /** When the operator created the brand. */
  readonly createdAt: Instant
  /**
   * The brand's secret, hex of 32 random bytes: it keys the hashes that outlive an erasure. No view shows it. [PII-3]
   */
  readonly suppressionSecret: string
  /**
   * When the brand's deletion began; null for a brand that is not being deleted. From then on only the deletion and the
   * list of brands still find the brand. [DEL-1]
   */
  readonly deletionStartedAt: Instant | null
}

/** The schema of a new brand: a `name` of 1 to 256 characters. */
export const NewBrand = Schema.Struct({ name: requiredText(textLimits.name) })

/** The schema of a new name for a brand, a signal or a campaign: 1 to 256 characters. */
export const Renaming = Schema.Struct({ name: requiredText(textLimits.name) })
