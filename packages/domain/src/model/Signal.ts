/** A signal: one thing that a brand watches, such as a company's page or a post. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import { Company } from "./Company.ts"
import type { Instant } from "./Instant.ts"
import { optionalDigits, requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/** The kinds of tracked entry that a signal can watch. [ENG-8] */
export const sourceTypes = [
  "li-company-url",
  "li-company-mention",
  "li-profile-url",
  "post-url",
  "posts-with-keywords"
] as const

/** One of `sourceTypes`. */
export type SourceType = (typeof sourceTypes)[number]

/** Whether the value of a source of this type is a URL; otherwise it is words. */
const hasUrl = (type: SourceType): boolean => type !== "li-company-mention" && type !== "posts-with-keywords"

/** An http or https URL with a host and without white space. The letters may be of any script, as in addresses of networks. */
const url = /^https?:\/\/[^\s\p{Cc}/?#@:[\]]+(?::[0-9]{1,5})?(?:[/?#][^\s\p{Cc}]*)?$/iu

/** Whether a source of this type can name a company. */
const hasCompany = (type: SourceType): boolean => type !== "post-url" && type !== "posts-with-keywords"

/**
 * The schema of a signal's tracked entry. `value` has 1 to 4,096 characters and is kept exactly as the brand
 * configured it: a URL for li-company-url, li-profile-url and post-url, words for the others. A numeric company id
 * goes with li-company-mention only, and post-url and posts-with-keywords have no company. [ENG-8, OPER-7]
 */
export const Source = Schema.Struct({
  type: Schema.Literal(...sourceTypes).annotations({ description: `one of ${sourceTypes.join(", ")}` }),
  value: requiredText(textLimits.url),
  liCompanyId: optionalDigits(textLimits.externalId, "a numeric company id"),
  company: Schema.optionalWith(Schema.NullOr(Company), { default: () => null })
}).pipe(
  Schema.filter((source) => [
    ...(source.liCompanyId !== null && source.type !== "li-company-mention"
      ? [{ path: ["liCompanyId"], message: "goes with the source type li-company-mention only" }]
      : []),
    ...(source.company !== null && !hasCompany(source.type)
      ? [{ path: ["company"], message: `does not go with the source type ${source.type}` }]
      : []),
    ...(hasUrl(source.type) && !url.test(source.value)
      ? [
          {
            path: ["value"],
            message: `takes an http or https URL for the source type ${source.type}, like https://network.example/company/rival`
          }
        ]
      : []),
    ...(!hasUrl(source.type) && source.value.trim() === ""
      ? [{ path: ["value"], message: `takes words for the source type ${source.type}` }]
      : [])
  ])
)
export type Source = typeof Source.Type

/** The schema of a new signal: a `name` and a `signalType` of 1 to 256 characters each, and what to watch. */
export const NewSignal = Schema.Struct({
  name: requiredText(textLimits.name),
  signalType: requiredText(textLimits.label),
  source: Source
})
export type NewSignal = typeof NewSignal.Type

/** A tracked entry of a brand, as the store keeps it: name, type and source are those of `NewSignal`. */
export interface Signal extends NewSignal {
  /** Decimal digits of an integer of at least 1. */
  readonly id: string
  /** The brand that owns the signal. */
  readonly brandId: BrandId
  /** When the operator created the signal. */
  readonly createdAt: Instant
}
