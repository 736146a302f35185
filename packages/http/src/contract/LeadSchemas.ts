/** Leads, as the domain's views render them, and the answers that carry them. */
import type { lead2View, leadDetailView, leadListView } from "@lead-signals/domain"
import { Schema } from "effect"
import { CompanyBody, LeadCompanyBody } from "./CompanySchemas.ts"
import { documents } from "./DocumentedView.ts"
import { AuthoredPostBody, EngagementBody, EngagementsMeta } from "./EngagementSchemas.ts"
import { meta, pagination, warnings, warningsMeta } from "./Envelopes.ts"
import { field, flag, integer, numberOrNull, optionalField, text, time } from "./Fields.ts"
import { personFields } from "./PersonFields.ts"

/** What REST and webhooks have of a lead. */
const commonFields = {
  id: integer("The lead's id within the service; it is never given to another", 41),
  ...personFields,
  leadCompany: field(
    Schema.NullOr(LeadCompanyBody),
    "The lead's employer, in short; null when it is not known"
  )
}

const { extId, headline, id, leadCompany, liProfileUrl, name, profileImgUrl, title1, username } = commonFields

/** A lead in webhooks: fewer fields than `LeadBody`, and no flags. [EVT-4] */
export const Lead2Body = documents<ReturnType<typeof lead2View>>()(
  Schema.Struct({
    id,
    extId,
    name,
    username,
    headline,
    title1,
    liProfileUrl,
    profileImgUrl,
    leadCompany
  })
).annotations({
  identifier: "Lead2",
  description: "The lead as webhooks show it"
})

/** What the operator can set. */
export const amendableFields = {
  qualified: flag("Whether the brand called the lead qualified"),
  exported: flag("Whether the brand has taken the lead over into another system"),
  isEmployee: flag("Whether the lead works for the brand itself"),
  score1: numberOrNull("How well the lead fits, higher is better; null until it is scored", 4.5)
}

const leadFields = {
  ...commonFields,
  signalId: text("Of the signal that first caught the lead", "7"),
  signalIds: field(Schema.Array(Schema.String), "Of all signals that caught it, ascending", ["7"]),
  ...amendableFields,
  createdAt: time,
  updatedAt: time
}

const ofMeta = "Whether the lead has more engagements than these"
const company = field(Schema.NullOr(CompanyBody), "The lead's employer in full; null when it is not known")

/** A lead in lists and in the change feed. [LIST-1] */
export const LeadBody = Schema.Struct({
  ...leadFields,
  engagements: optionalField(
    Schema.Array(EngagementBody),
    "At most 20, newest first; present with includeEngagements=true"
  ),
  engagementsMeta: optionalField(EngagementsMeta, ofMeta)
}).annotations({
  identifier: "Lead",
  description:
    "engagements (at most 20, newest first) and engagementsMeta are present with includeEngagements=true"
})

/** A lead by its id: with the company in full, and always with engagements. [DET-1] */
export const LeadDetailBody = documents<ReturnType<typeof leadDetailView>>()(
  Schema.Struct({
    ...leadFields,
    company,
    engagements: field(Schema.Array(EngagementBody), "At most 20, newest first"),
    engagementsMeta: field(EngagementsMeta, ofMeta)
  })
).annotations({ identifier: "LeadDetail", description: "A lead in full" })

/** The answer of GET /signals/leads and of the operator's list. [LIST-1, PAGE-1] */
export const LeadListAnswer = documents<ReturnType<typeof leadListView>>()(
  Schema.Struct({
    data: field(Schema.Array(LeadBody), "The leads of the page, in the requested order"),
    meta: meta(
      Schema.Struct({
        pagination: pagination("Matching leads on all pages"),
        sort: text("The ordering applied", "createdAt:desc"),
        engagements: field(
          Schema.Struct({
            detailIncluded: flag("Whether postAuthorDetail and source are in the engagements")
          }),
          "Metadata of the engagements"
        ),
        warnings: warnings("Unknown parameters, which were ignored")
      })
    )
  })
).annotations({ identifier: "LeadListAnswer", description: "A page of leads" })

/** The answer of GET /signals/leads/:id; `meta` is there only with warnings. [DET-1] */
export const LeadDetailAnswer = Schema.Struct({
  data: field(LeadDetailBody, "The lead"),
  meta: warningsMeta
}).annotations({ identifier: "LeadDetailAnswer", description: "One lead" })

/** The data of a person's export: unlike other answers without a bound on engagements. [PII-5] */
export const ExportBody = Schema.Struct({
  lead: field(LeadBody, "The lead"),
  company,
  engagements: field(Schema.Array(EngagementBody), "All of them, newest first"),
  posts: field(
    Schema.Array(AuthoredPostBody),
    "Posts that the lead wrote and others were seen engaging with, each once"
  )
}).annotations({ identifier: "LeadExport", description: "Everything held about a person" })
