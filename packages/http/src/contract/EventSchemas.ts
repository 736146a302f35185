/** What webhooks are sent: the envelope of each event type, for the document's `webhooks`. [EVT-1, EVT-4, PII-1] */
import { envelopeVersion, testEvent } from "@lead-signals/domain"
import { Schema } from "effect"
import { flag, id, integer, piiText, piiTextOrNull, text, time } from "./Fields.ts"
import { EngagementBody, LeadCompanyBody, PostAuthorDetailBody, SourceBody } from "./LeadSchemas.ts"

const EventEngagementBody = Schema.Struct({
  ...EngagementBody.fields,
  postAuthorDetail: Schema.NullOr(PostAuthorDetailBody),
  source: Schema.NullOr(SourceBody)
}).annotations({ identifier: "EventEngagement", description: "An engagement, always in detail" })

const Lead2Body = Schema.Struct({
  id: integer({ example: 41 }),
  extId: piiText({ description: "External id" }),
  name: piiText(),
  username: piiTextOrNull(),
  headline: piiTextOrNull(),
  title1: piiTextOrNull({ description: "Job title" }),
  liProfileUrl: piiTextOrNull(),
  profileImgUrl: piiTextOrNull(),
  leadCompany: Schema.NullOr(LeadCompanyBody)
}).annotations({ identifier: "Lead2", description: "The lead as webhooks show it" })

const envelope = <A, I>(identifier: string, event: string, description: string, data: Schema.Schema<A, I>) =>
  Schema.Struct({
    id: text({
      description: "The event's id, as in webhook-id: the same on every retry",
      example: "wh_5f0c"
    }),
    event: Schema.Literal(event),
    version: Schema.Literal(envelopeVersion),
    createdAt: time,
    brandId: id,
    data
  }).annotations({ identifier, description })

const LeadCreatedEnvelope = envelope(
  "LeadCreatedEvent",
  "lead2.created",
  "Once per person and brand, ever",
  Schema.Struct({ lead2: Lead2Body, engagements: Schema.Array(EventEngagementBody) })
)

const ActivityDetectedEnvelope = envelope(
  "ActivityDetectedEvent",
  "activity.detected",
  "Once for every engagement",
  Schema.Struct({
    isFirstActivity: flag({ description: "True on the event of the person's first engagement" }),
    lead2: Lead2Body,
    engagements: Schema.Array(EventEngagementBody).annotations({
      description: "Exactly the one that fired it"
    })
  })
)

const TestEnvelope = envelope(
  "TestEvent",
  testEvent,
  "Sent when the operator asks for it; tells of no lead",
  Schema.Struct({ webhookId: id, message: text() })
)

export const envelopes = [LeadCreatedEnvelope, ActivityDetectedEnvelope, TestEnvelope]

const header = (description: string) => ({
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
})

const described = (event: string, operationId: string, schema: string, summary: string) => ({
  [event]: {
    post: {
      tags: ["webhooks"],
      operationId,
      summary,
      description:
        "Signed by Standard Webhooks. Answer 2xx within 15 s; anything else is retried for about three days, 410 disables the webhook. Events can come more than once and in any order: webhook-id tells a repetition.",
      parameters: [
        { name: "webhook-id", ...header("The event's id") },
        { name: "webhook-timestamp", ...header("Unix seconds of this attempt") },
        {
          name: "webhook-signature",
          ...header("One or two `v1,<base64>` with a space between: HMAC-SHA-256 over `id.timestamp.body`")
        }
      ],
      requestBody: {
        required: true,
        description: "The event, as the bytes that are signed",
        content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
      },
      responses: { "2XX": { description: "The event was taken" } }
    }
  }
})

/** For the document's `webhooks`. */
export const webhooks = {
  ...described("lead2.created", "onLeadCreated", "LeadCreatedEvent", "A person was seen for the first time"),
  ...described("activity.detected", "onActivityDetected", "ActivityDetectedEvent", "A person engaged"),
  ...described(testEvent, "onTest", "TestEvent", "A test")
}
