/** A signal: what a brand watches, and what is caught there. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import { Company } from "./Company.ts"
import type { Instant } from "./Instant.ts"
import { OptionalText, RequiredText } from "./Text.ts"

export const sourceTypes = [
  "li-company-url",
  "li-company-mention",
  "li-profile-url",
  "post-url",
  "posts-with-keywords"
] as const

export type SourceType = (typeof sourceTypes)[number]

const hasCompany = (type: SourceType): boolean => type !== "post-url" && type !== "posts-with-keywords"

/**
 * The tracked entry. `value` is kept exactly as the brand configured it; a numeric company id goes with
 * li-company-mention only, and post-url and posts-with-keywords have no company. [ENG-8]
 */
export const Source = Schema.Struct({
  type: Schema.Literal(...sourceTypes).annotations({ description: `one of ${sourceTypes.join(", ")}` }),
  value: RequiredText,
  liCompanyId: OptionalText,
  company: Schema.optionalWith(Schema.NullOr(Company), { default: () => null })
}).pipe(
  Schema.filter((source) => [
    ...(source.liCompanyId !== null && source.type !== "li-company-mention"
      ? [{ path: ["liCompanyId"], message: "goes with the source type li-company-mention only" }]
      : []),
    ...(source.liCompanyId !== null && !/^[0-9]+$/.test(source.liCompanyId)
      ? [{ path: ["liCompanyId"], message: "takes a numeric company id: decimal digits, as a string" }]
      : []),
    ...(source.company !== null && !hasCompany(source.type)
      ? [{ path: ["company"], message: `does not go with the source type ${source.type}` }]
      : [])
  ])
)
export type Source = typeof Source.Type

/** What an operator says of a new signal. */
export const NewSignal = Schema.Struct({ name: RequiredText, signalType: RequiredText, source: Source })
export type NewSignal = typeof NewSignal.Type

export interface Signal extends NewSignal {
  /** Decimal digits of an integer of at least 1. */
  readonly id: string
  readonly brandId: BrandId
  readonly createdAt: Instant
}
