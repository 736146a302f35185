/** What reading answers with, as schemas: the shapes of the domain's views. */
import { engagementTypes, sourceTypes } from "@lead-signals/domain"
import { Schema } from "effect"
import {
  flag,
  id,
  integer,
  numberOrNull,
  oneOfOrNull,
  piiInteger,
  piiNumberOrNull,
  piiText,
  piiTextOrNull,
  text,
  textOrNull,
  time,
  timeOrNull
} from "./Fields.ts"

const CompanyBody = Schema.Struct({
  id: piiText({ description: "Decimal digits: leadCompany.id as text", example: "12" }),
  name: piiTextOrNull(),
  url: piiTextOrNull({ description: "The company's page on the network" }),
  homepageUrl: piiTextOrNull(),
  logoUrl: piiTextOrNull(),
  industry: piiTextOrNull(),
  staffCountRange: piiTextOrNull({ example: "51-200" }),
  staffCount: piiNumberOrNull(),
  location: piiTextOrNull(),
  country: piiTextOrNull(),
  city: piiTextOrNull(),
  username: piiTextOrNull({ description: "Vanity name of the company's page" }),
  description: piiTextOrNull()
}).annotations({ identifier: "Company", description: "A company: an employer, or a page that is watched" })

export const LeadCompanyBody = Schema.Struct({
  id: piiInteger({ example: 12 }),
  name: piiTextOrNull(),
  domain: piiTextOrNull({ example: "northwind.example" })
}).annotations({ identifier: "LeadCompany", description: "The lead's employer, in short" })

export const PostAuthorDetailBody = Schema.Struct({
  name: piiTextOrNull(),
  firstName: piiTextOrNull(),
  lastName: piiTextOrNull(),
  headline: piiTextOrNull(),
  username: piiTextOrNull(),
  linkedinProfileUrl: piiTextOrNull({ description: "The author's profile URL" }),
  profileImageUrl: piiTextOrNull(),
  company: Schema.NullOr(CompanyBody),
  leadId: textOrNull({ description: "The author's own lead id, while the author is a lead of the brand" })
}).annotations({ identifier: "PostAuthorDetail", description: "The author of the post engaged with" })

export const SourceBody = Schema.Struct({
  id: textOrNull({ description: "Id of the tracked entry" }),
  type: oneOfOrNull(sourceTypes),
  value: piiTextOrNull({ description: "Exactly what the brand configured" }),
  liCompanyId: textOrNull({ description: "Numeric company id; on li-company-mention only" }),
  company: Schema.NullOr(CompanyBody)
}).annotations({ identifier: "Source", description: "What the signal was watching" })

export const EngagementBody = Schema.Struct({
  id: text(),
  type: oneOfOrNull(engagementTypes),
  reactionType: textOrNull({ description: "Set only on a reaction", example: "LIKE" }),
  commentText: piiTextOrNull({ description: "Plain text; set only on a comment" }),
  postUrl: piiTextOrNull(),
  postContent: piiTextOrNull(),
  postPostedAt: timeOrNull,
  postAuthor: piiTextOrNull({ description: "Display name of the post's author" }),
  postAuthorDetail: Schema.optional(Schema.NullOr(PostAuthorDetailBody)),
  source: Schema.optional(Schema.NullOr(SourceBody)),
  signal: Schema.NullOr(Schema.Struct({ id, name: text(), signalType: text() })),
  emittedAt: timeOrNull,
  trackedAt: time
}).annotations({
  identifier: "Engagement",
  description: "postAuthorDetail and source are there when includeEngagementDetail was applied"
})

const { postAuthor, postContent, postPostedAt, postUrl } = EngagementBody.fields
const { company: _company, leadId: _leadId, ...ofAuthor } = PostAuthorDetailBody.fields

export const AuthoredPostBody = Schema.Struct({
  postUrl,
  postContent,
  postPostedAt,
  postAuthor,
  postAuthorDetail: Schema.NullOr(
    Schema.Struct({ extId: piiTextOrNull({ description: "External id" }), ...ofAuthor })
  )
}).annotations({
  identifier: "AuthoredPost",
  description: "A post that the lead wrote, with which others were seen engaging"
})

const EngagementsMeta = Schema.Struct({
  truncated: flag({ description: "Whether the lead has more engagements than are shown" })
}).annotations({ identifier: "EngagementsMeta" })

const leadFields = {
  id: integer({ example: 41 }),
  extId: piiText({ description: "External id" }),
  name: piiText(),
  headline: piiTextOrNull(),
  username: piiTextOrNull({ description: "Vanity name of the profile" }),
  title1: piiTextOrNull({ description: "Job title" }),
  liProfileUrl: piiTextOrNull(),
  profileImgUrl: piiTextOrNull(),
  leadCompany: Schema.NullOr(LeadCompanyBody),
  signalId: text({ description: "Of the signal that first caught the lead", example: "7" }),
  signalIds: Schema.Array(Schema.String).annotations({
    description: "Of all signals that caught it, ascending"
  }),
  qualified: flag(),
  exported: flag(),
  isEmployee: flag(),
  score1: numberOrNull(),
  createdAt: time,
  updatedAt: time
}

export const LeadBody = Schema.Struct({
  ...leadFields,
  engagements: Schema.optional(Schema.Array(EngagementBody)),
  engagementsMeta: Schema.optional(EngagementsMeta)
}).annotations({
  identifier: "Lead",
  description:
    "engagements (at most 20, newest first) and engagementsMeta are there with includeEngagements=true"
})

export const LeadDetailBody = Schema.Struct({
  ...leadFields,
  company: Schema.NullOr(CompanyBody),
  engagements: Schema.Array(EngagementBody),
  engagementsMeta: EngagementsMeta
}).annotations({ identifier: "LeadDetail" })

const warnings = Schema.optional(
  Schema.Array(Schema.String).annotations({
    description: "Parameters that were not known and so were ignored"
  })
)

export const LeadListAnswer = Schema.Struct({
  data: Schema.Array(LeadBody),
  meta: Schema.Struct({
    pagination: Schema.Struct({
      page: integer(),
      pageSize: integer({ description: "The size applied, after the cap" }),
      pageCount: integer(),
      total: integer({ description: "Matching leads on all pages" })
    }),
    sort: text({ description: "The ordering applied", example: "createdAt:desc" }),
    engagements: Schema.Struct({ detailIncluded: flag() }),
    warnings
  })
}).annotations({ identifier: "LeadListAnswer" })

const Meta = Schema.optional(Schema.Struct({ warnings }))

export const LeadDetailAnswer = Schema.Struct({ data: LeadDetailBody, meta: Meta }).annotations({
  identifier: "LeadDetailAnswer"
})

export const MetricsBody = Schema.Struct({
  campaignId: text(),
  impressions: numberOrNull(),
  reactions: numberOrNull(),
  comments: numberOrNull(),
  reposts: numberOrNull(),
  engagementRate: numberOrNull({
    description: "(reactions + comments + reposts) / impressions, as a fraction; 0 where impressions is 0"
  }),
  snapshotDate: textOrNull({ description: "YYYY-MM-DD", example: "2026-01-31" })
}).annotations({
  identifier: "Metrics",
  description: "Cumulative totals over all posts of the campaign; all null where no snapshot lies in the span"
})

export const MetricsAnswer = Schema.Struct({ data: MetricsBody, meta: Meta }).annotations({
  identifier: "MetricsAnswer"
})
