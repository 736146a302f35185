/** A company as a collector observed it: the employer of a lead, or the page that a signal watches. [ENG-10] */
import { Schema } from "effect"
import { optionalText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

const CompanyId = Schema.Int.pipe(Schema.between(1, Number.MAX_SAFE_INTEGER)).annotations({
  description: `an integer from 1 to ${Number.MAX_SAFE_INTEGER}`
})

const OptionalCount = Schema.optionalWith(
  Schema.NullOr(
    Schema.Number.pipe(
      Schema.filter((n) => Number.isFinite(n) && n >= 0, {
        description: "a number of at least 0",
        jsonSchema: { minimum: 0 }
      })
    )
  ),
  { default: () => null }
)

/**
 * The schema of a company as it was observed; only `id` is required, an integer from 1 to 2^53 - 1. Answers show `id` as a
 * number in `leadCompany` and as a string in a company object, and `domain` in `leadCompany` alone. [ENG-10]
 */
export const Company = Schema.Struct({
  id: CompanyId,
  name: optionalText(textLimits.name),
  domain: optionalText(textLimits.name),
  url: optionalText(textLimits.url),
  homepageUrl: optionalText(textLimits.url),
  logoUrl: optionalText(textLimits.url),
  industry: optionalText(textLimits.label),
  staffCountRange: optionalText(textLimits.label),
  staffCount: OptionalCount,
  location: optionalText(textLimits.label),
  country: optionalText(textLimits.label),
  city: optionalText(textLimits.label),
  username: optionalText(textLimits.username),
  description: optionalText(textLimits.description)
})
export type Company = typeof Company.Type
