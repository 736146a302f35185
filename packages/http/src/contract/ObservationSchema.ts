/** The documented form of an observation: the domain's schema, with what its fields mean. */
import { Observation } from "@lead-signals/domain"
import { CompanyBody, LeadCompanyBody } from "./CompanySchemas.ts"
import { EngagementBody, PostAuthorDetailBody } from "./EngagementSchemas.ts"
import { integer, text } from "./Fields.ts"
import { type FieldDescriptions, sameAs } from "./FieldDescriptions.ts"
import { LeadBody } from "./LeadSchemas.ts"

/** One observation as the document shows it. It decodes as the domain's `Observation` does: unknown fields are dropped. */
export const ObservationBody = Observation.annotations({
  identifier: "Observation",
  jsonSchema: {
    description:
      "One person, one engagement, and the signal that caught it. signalId, person.extId, person.name and engagement.id are required; fields that are not named here are left out"
  }
})

/** The fields of a company in a request, where its id is a number. */
export const companyDescriptions = <const Path extends string>(path: Path) => ({
  ...sameAs(path, CompanyBody.fields),
  ...sameAs(path, {
    id: integer("Id of the company on the network", 12),
    domain: LeadCompanyBody.fields.domain,
    url: text("URL of the company's page on the network", "https://network.example/company/northwind")
  })
})

const { headline, username } = LeadBody.fields
const { lastName, name, profileImageUrl } = PostAuthorDetailBody.fields
const externalId = ["External id of the person on the network", "ACoAAB12"] as const

/** The description of every field, by its path. Most are those of the field that answers render. */
export const observationDescriptions: FieldDescriptions<typeof Observation.Type> = {
  signalId: ["Id of the signal", "7"],
  person: ["The person who engaged"],
  ...sameAs("person", LeadBody.fields),
  "person.extId": externalId,
  "person.company": ["The employer or the watched company in full; null when it is not known"],
  ...companyDescriptions("person.company"),
  engagement: ["The engagement"],
  ...sameAs("engagement", EngagementBody.fields),
  "engagement.id": ["Id of the engagement: the same one again changes nothing", "e-1"],
  "engagement.reactionType": ["Which reaction; null on anything else", "LIKE"],
  "engagement.commentText": [
    "Text of the comment, plain; null on any other engagement",
    "Where can I get it?"
  ],
  "engagement.postPostedAt": [
    "When the post appeared: ISO 8601, UTC; null when that is not known",
    "2026-01-04T08:00:00.000Z"
  ],
  "engagement.postAuthorDetail": ["The author of the post in full; present when detail was requested"],
  ...sameAs("engagement.postAuthorDetail", { headline, lastName, name, profileImageUrl, username }),
  "engagement.postAuthorDetail.extId": externalId,
  "engagement.postAuthorDetail.firstName": ["First name", "Ada"],
  "engagement.postAuthorDetail.linkedinProfileUrl": [
    "URL of the author's profile",
    "https://network.example/in/bo-example"
  ],
  "engagement.emittedAt": [
    "When the person engaged: ISO 8601, UTC; null when that is not known",
    "2026-01-05T09:58:00.000Z"
  ],
  "engagement.trackedAt": ["When it was seen: ISO 8601, UTC", "2026-01-05T10:00:00.000Z"]
}
