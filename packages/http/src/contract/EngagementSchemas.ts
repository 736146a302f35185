/** Engagements with their posts, authors and signals, as the domain's views render them. */
import { engagementTypes, sourceTypes } from "@lead-signals/domain"
import { Schema } from "effect"
import { CompanyBody } from "./CompanySchemas.ts"
import {
  field,
  flag,
  id,
  oneOfOrNull,
  optionalField,
  piiTextOrNull,
  text,
  textOrNull,
  time,
  timeOrNull
} from "./Fields.ts"
import { authorUrls, personFields } from "./PersonFields.ts"

const lastName = piiTextOrNull("Last name", "Example")

/**
 * The author of an engagement's post. `leadId` and `company` are those of the author's own lead of the brand, and null where there is none. [ENG-7]
 */
export const PostAuthorDetailBody = Schema.Struct({
  name: piiTextOrNull("Display name of the author", "Bo Example"),
  firstName: piiTextOrNull("First name", "Bo"),
  lastName,
  headline: piiTextOrNull("Headline of the profile", "Founder of Rival"),
  username: piiTextOrNull("Vanity name of the profile", "bo-example"),
  ...authorUrls,
  company: field(Schema.NullOr(CompanyBody), "The author's employer; null when it is not known"),
  leadId: textOrNull("The author's own lead id, while the author is a lead of the brand", "57")
}).annotations({ identifier: "PostAuthorDetail", description: "The author of the post engaged with" })

/** The thing that a signal watches, in engagements and in the signal itself. `type` can have further values later. */
export const SourceBody = Schema.Struct({
  id: textOrNull("Id of the tracked entry", "12"),
  type: oneOfOrNull(sourceTypes, "What kind of entry it is"),
  value: piiTextOrNull("Exactly what the brand configured", "https://network.example/company/rival"),
  liCompanyId: textOrNull("Numeric company id; on li-company-mention only", "880"),
  company: field(Schema.NullOr(CompanyBody), "The watched company; null for other kinds of entries")
}).annotations({ identifier: "Source", description: "What the signal was watching" })

/** The field `signalType`, with the same words in signals and in the signals of engagements. */
export const signalType = text(
  "What kind of thing the signal watches, as the brand names it",
  "competitor-posts"
)
/** The field of a signal's name, with the same words in signals and in the signals of engagements. */
export const signalName = text("Name of the signal", "Rivals")

const postFields = {
  postUrl: piiTextOrNull("URL of the post engaged with", "https://network.example/posts/1"),
  postContent: piiTextOrNull("Text of the post engaged with", "We have launched."),
  postPostedAt: timeOrNull,
  postAuthor: piiTextOrNull("Display name of the post's author", "Bo Example")
}

const ofAuthor = "The author of the post in full; present when detail was requested"
const ofSource = "What the signal was watching"

const engagementFields = {
  id: text("Its id", "e-1"),
  type: oneOfOrNull(engagementTypes, "Kind of the engagement; null when it is not known"),
  reactionType: textOrNull("Set only on a reaction", "LIKE"),
  commentText: piiTextOrNull("Plain text; set only on a comment", "Where can I get it?"),
  ...postFields,
  postAuthorDetail: optionalField(Schema.NullOr(PostAuthorDetailBody), ofAuthor),
  source: optionalField(Schema.NullOr(SourceBody), ofSource),
  signal: field(
    Schema.NullOr(Schema.Struct({ id, name: signalName, signalType })),
    "The signal that caught it; null when there is no such signal any more"
  ),
  emittedAt: timeOrNull,
  trackedAt: time
}

/** An engagement of the read API. The two details are absent, not null, unless the request wanted them. [ENG-3] */
export const EngagementBody = Schema.Struct(engagementFields).annotations({
  identifier: "Engagement",
  description: "postAuthorDetail and source are present when includeEngagementDetail was applied"
})

/** An engagement of a webhook's event, which always has both details. [EVT-4] */
export const EventEngagementBody = Schema.Struct({
  ...engagementFields,
  postAuthorDetail: field(Schema.NullOr(PostAuthorDetailBody), ofAuthor),
  source: field(Schema.NullOr(SourceBody), ofSource)
}).annotations({ identifier: "EventEngagement", description: "An engagement, always in detail" })

const { headline, username } = personFields

/** A post in the export of its author, who is a lead: without the engagements of others. [PII-5] */
export const AuthoredPostBody = Schema.Struct({
  ...postFields,
  postAuthorDetail: field(
    Schema.NullOr(
      Schema.Struct({
        extId: piiTextOrNull("External id", "ACoAAB12"),
        name: piiTextOrNull("Display name", "Ada Example"),
        firstName: piiTextOrNull("First name", "Ada"),
        lastName,
        headline,
        username,
        ...authorUrls
      })
    ),
    "The author, as seen with the post; null when it is not known"
  )
}).annotations({
  identifier: "AuthoredPost",
  description: "A post that the lead wrote, with which others were seen engaging"
})

/** Beside a lead's engagements, of which 20 are shown. [ENG-1] */
export const EngagementsMeta = Schema.Struct({
  truncated: flag("Whether the lead has more engagements than these")
}).annotations({
  identifier: "EngagementsMeta",
  description: "Metadata of a lead's engagements"
})
