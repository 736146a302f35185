/**
 * An observation: one person, one engagement, and the signal that caught it, as a collector sends it. Only signalId,
 * person.extId, person.name and engagement.id are required; every other missing field is read as null.
 */
import { Schema } from "effect"
import { Company } from "./Company.ts"
import { InstantFromText } from "./InstantFromText.ts"
import { type ProfileText, profileTexts } from "./Profile.ts"
import { optionalMarkup, optionalText, requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

const OptionalInstant = Schema.optionalWith(Schema.NullOr(InstantFromText), { default: () => null })

const observedTexts = Object.fromEntries(
  Object.entries(profileTexts).map(([field, maxLength]) => [field, optionalText(maxLength)])
) as { readonly [Field in ProfileText]: ReturnType<typeof optionalText> }

/**
 * The schema of the person of an observation: an external id and the fields of a profile. `extId` and `name` are required; a
 * missing or null field changes nothing of what is known of the person. `textLimits` and `profileTexts` have the maximum lengths.
 */
export const ObservedPerson = Schema.Struct({
  extId: requiredText(textLimits.externalId),
  name: requiredText(textLimits.name),
  ...observedTexts,
  company: Schema.optionalWith(Schema.NullOr(Company), { default: () => null })
})
export type ObservedPerson = typeof ObservedPerson.Type

/**
 * The schema of the author of the post engaged with, without company and leadId, which are looked up when read.
 * [ENG-7]
 */
export const PostAuthor = Schema.Struct({
  extId: optionalText(textLimits.externalId),
  name: optionalText(textLimits.name),
  firstName: optionalText(textLimits.name),
  lastName: optionalText(textLimits.name),
  headline: optionalText(textLimits.headline),
  username: optionalText(textLimits.username),
  linkedinProfileUrl: optionalText(textLimits.url),
  profileImageUrl: optionalText(textLimits.url)
})
export type PostAuthor = typeof PostAuthor.Type

/** The kinds of engagement that an observation may name. */
export const engagementTypes = ["comment", "reaction", "repost"] as const
/** One of `engagementTypes`. */
export type EngagementType = (typeof engagementTypes)[number]

/**
 * The schema of the engagement of an observation. Only `id` is required: 1 to 512 characters, unique within the
 * brand. Times are read as TIME-1 says and must lie in the years 0000 to 9999. [ENG-2, EVT-8]
 */
export const ObservedEngagement = Schema.Struct({
  id: requiredText(textLimits.externalId),
  type: Schema.optionalWith(
    Schema.NullOr(Schema.Literal(...engagementTypes)).annotations({
      description: `one of ${engagementTypes.join(", ")}, or null`
    }),
    { default: () => null }
  ),
  reactionType: optionalText(textLimits.label),
  /** With its markup, as it was collected; `CommentText.sanitise` removes the markup when the engagement is recorded. */
  commentText: optionalMarkup(textLimits.comment),
  postUrl: optionalText(textLimits.url),
  postContent: optionalText(textLimits.post),
  postPostedAt: OptionalInstant,
  postAuthor: optionalText(textLimits.name),
  postAuthorDetail: Schema.optionalWith(Schema.NullOr(PostAuthor), { default: () => null }),
  emittedAt: OptionalInstant,
  /** Null means now: the time of the commit. */
  trackedAt: OptionalInstant
})
export type ObservedEngagement = typeof ObservedEngagement.Type

/**
 * The schema of an observation. Decoding drops keys that it does not name, such as `raw`, so no answer or webhook can
 * show them. [ENG-9]
 */
export const Observation = Schema.Struct({
  signalId: Schema.String.pipe(
    Schema.filter((id) => /^[1-9][0-9]{0,15}$/.test(id), {
      description: "a signal's id: decimal digits, as a string"
    })
  ),
  person: ObservedPerson,
  engagement: ObservedEngagement
})
export type Observation = typeof Observation.Type

/** The outcome of one observation. */
export interface Outcome {
  /** The engagement's id; null where a rejected value has none that can be read. */
  readonly engagementId: string | null
  /**
   * `recorded`: committed. `duplicate`: the engagement's id is known, nothing changed [EVT-8]. `suppressed`: the
   * person was erased, nothing is kept [PII-3]. `rejected`: the value is no observation, or its signal is unknown;
   * `message` says which.
   */
  readonly outcome: "recorded" | "duplicate" | "suppressed" | "rejected"
  /** The lead that the engagement belongs to; null when the observation was suppressed or rejected. */
  readonly leadId: number | null
  /** Why it was rejected, and what to send instead; absent otherwise. */
  readonly message?: string
  /** Paths of fields that were sent and ignored; absent where there are none, or the caller did not request them. [OBS-11] */
  readonly unknownFields?: ReadonlyArray<string>
}
