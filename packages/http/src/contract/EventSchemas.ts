/** What webhooks are sent: the envelope of each event type, for the document's `webhooks`. [EVT-1, EVT-4, PII-1] */
import {
  type activityDetectedView,
  envelopeVersion,
  type leadCreatedView,
  testEvent,
  type testView
} from "@lead-signals/domain"
import { Schema } from "effect"
import { documents } from "./DocumentedView.ts"
import { EventEngagementBody } from "./EngagementSchemas.ts"
import { field, flag, id, oneOf, text, time } from "./Fields.ts"
import { Lead2Body } from "./LeadSchemas.ts"

/** Webhooks render every engagement in detail, for which the view's type leaves both ways open. */
type InDetail<View extends { readonly engagements: ReadonlyArray<object> }> = Omit<View, "engagements"> & {
  readonly engagements: ReadonlyArray<Required<View["engagements"][number]>>
}

interface EnvelopeWords<Event extends string> {
  readonly identifier: string
  readonly event: Event
  readonly description: string
  /** What the data is. */
  readonly ofData: string
}

/** The schema of an event's envelope with this data. */
const envelope = <const Event extends string, A, I>(
  { description, event, identifier, ofData }: EnvelopeWords<Event>,
  data: Schema.Schema<A, I>
) =>
  Schema.Struct({
    id: text("The event's id, as in webhook-id: the same on every retry", "wh_5f0c"),
    event: oneOf([event], "The event's type"),
    version: oneOf([envelopeVersion], "Version of the envelope; a new one is announced before it is sent"),
    createdAt: time,
    brandId: id,
    data: field(data, ofData)
  }).annotations({ identifier, description })

const lead2 = field(Lead2Body, "The lead")

const LeadCreatedEnvelope = envelope(
  {
    identifier: "LeadCreatedEvent",
    event: "lead2.created",
    description: "Once per person and brand, ever",
    ofData: "The lead and their known engagements"
  },
  documents<InDetail<ReturnType<typeof leadCreatedView>>>()(
    Schema.Struct({
      lead2,
      engagements: field(
        Schema.Array(EventEngagementBody),
        "At most 20, newest first, as they are when the event is first sent"
      )
    })
  )
)

const ActivityDetectedEnvelope = envelope(
  {
    identifier: "ActivityDetectedEvent",
    event: "activity.detected",
    description: "Once for every engagement",
    ofData: "The lead, and the engagement that fired it"
  },
  documents<InDetail<ReturnType<typeof activityDetectedView>>>()(
    Schema.Struct({
      isFirstActivity: flag("True on the event of the person's first engagement"),
      lead2,
      engagements: field(Schema.Array(EventEngagementBody), "Exactly the one that fired it")
    })
  )
)

const TestEnvelope = envelope(
  {
    identifier: "TestEvent",
    event: testEvent,
    description: "Sent on the operator's request; concerns no lead",
    ofData: "Test data, of nobody"
  },
  documents<ReturnType<typeof testView>>()(
    Schema.Struct({
      webhookId: id,
      message: text("A sentence that says that this is a test", "This is a test of the webhook.")
    })
  )
)

/**
 * One schema for each event type, in the order of the document. The type `WebhookEvent` is their union, and docs/events has each as a
 * JSON Schema.
 */
export const envelopes = [LeadCreatedEnvelope, ActivityDetectedEnvelope, TestEnvelope]

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const described = (event: string, operationId: string, schema: string, summary: string) => ({
  [event]: {
    post: {
      tags: ["webhooks"],
      operationId,
      summary,
      description:
        "Signed by Standard Webhooks. Answer 2xx within 15 s; anything else is retried for about three days, 410 disables the webhook. Events can come more than once and in any order: a repetition has the same webhook-id.",
      parameters: [
        header("webhook-id", "The event's id", "wh_5f0c"),
        header("webhook-timestamp", "Unix seconds of this attempt", "1767607200"),
        header(
          "webhook-signature",
          "One or two `v1,<base64>` with a space between: HMAC-SHA-256 over `id.timestamp.body`",
          "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
        )
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
