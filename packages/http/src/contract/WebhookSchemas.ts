/** What the operator sends and is answered about webhooks and their deliveries. */
import {
  attemptErrors,
  DeliveryQueries,
  eventTypes,
  testEvent,
  webhookFormats,
  webhookOrderings
} from "@lead-signals/domain"
import { Schema } from "effect"
import { meta, pagination, warnings, warningsMeta } from "./Envelopes.ts"
import {
  field,
  flag,
  id,
  integer,
  meantTimeOrNull,
  numberOrNull,
  oneOf,
  oneOfOrNull,
  piiTextOrNull,
  text,
  textOrNull,
  time,
  timeOrNull
} from "./Fields.ts"

/* What is sent */

/** Any shape that the filters take; read by the domain's rule. [TIME-1] */
export const Recovery = Schema.Struct({
  since: Schema.String.annotations({ description: "a timestamp, like 2026-01-31T10:00:00Z" })
})

/** The body of POST …/leads/:id/resend. [DELIV-8] */
export const Resend = Schema.Struct({
  webhookId: Schema.String.annotations({ description: "the id of a webhook of this brand, as a string" }),
  event: Schema.Literal(...eventTypes).annotations({ description: `one of ${eventTypes.join(", ")}` })
})

/* What is answered */

const webhookFields = {
  id,
  url: text("URL that receives the events", "https://example.com/hooks/leads"),
  events: field(Schema.Array(Schema.Literal(...eventTypes)), "The event types that the webhook receives"),
  description: textOrNull(
    "What the webhook is for, in the operator's words; null when not given",
    "To the CRM"
  ),
  enabled: flag("While false, its deliveries are held"),
  disabledReason: textOrNull("Why it is disabled, as a sentence", "The receiver answered 410 Gone."),
  failingSince: timeOrNull,
  ordering: oneOf(
    webhookOrderings,
    "lead: events of one lead arrive one after the other; none: in any order"
  ),
  maxDelay: numberOrNull(
    "Seconds for which a failing event holds its lead's later ones back; null: as long as its retries last",
    600
  ),
  format: oneOf(webhookFormats, "The form of the bodies"),
  maxBatch: integer("Events that one post may carry", 1),
  maxWait: integer("Seconds that an event may wait for others to be sent with", 0),
  createdAt: time
}

/** A webhook, as `webhookView` renders it: without its secrets. */
export const WebhookBody = Schema.Struct(webhookFields).annotations({
  identifier: "Webhook",
  description: "failingSince: the first failed attempt since the last that succeeded"
})

const secret = text(
  "The signing secret: whsec_ and base64. Only in this response",
  "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
)

/** A new webhook with its first signing secret. */
export const CreatedWebhookBody = Schema.Struct({ ...webhookFields, secret }).annotations({
  identifier: "CreatedWebhook",
  description: "A new webhook, with its secret"
})

/** The new secret, and until when posts are signed with both. */
export const RotatedSecretBody = Schema.Struct({ secret, previousSecretExpiresAt: time }).annotations({
  identifier: "RotatedSecret",
  description: "Until then the previous secret also signs"
})

const attemptFields = {
  at: time,
  durationMillis: integer("How long it took, in milliseconds", 180),
  status: numberOrNull("The HTTP status of the answer; null when there was none", 503),
  error: oneOfOrNull(attemptErrors, "Why there was no answer; null when there was one")
}

const LastAttemptBody = Schema.NullOr(Schema.Struct(attemptFields)).annotations({
  description: "The latest attempt; null before the first has ended"
})

const deliveryFields = {
  id: text("wh_…: the envelope's id, and webhook-id", "wh_5f0c"),
  webhookId: id,
  event: oneOf([...eventTypes, testEvent], "The event's type"),
  leadId: numberOrNull("Null on a test", 41),
  engagementId: textOrNull("The engagement that fired the event", "e-1"),
  state: oneOf(
    DeliveryQueries.reportedStates,
    "held: pending while the webhook is disabled; dead: every attempt failed"
  ),
  attempts: integer("Number of attempts so far", 2),
  createdAt: time,
  nextAttemptAt: meantTimeOrNull(
    "While pending: the time of the next attempt; while an attempt is under way, the time at which another process would take over"
  ),
  finishedAt: timeOrNull,
  lastAttempt: field(LastAttemptBody, "How the latest attempt ended; null before the first has"),
  resendOf: textOrNull("The delivery that this one sends again", "wh_1d2e"),
  resentAs: textOrNull("The delivery that sent this one again, the latest", "wh_77aa")
}

const DeliveryBody = Schema.Struct(deliveryFields).annotations({
  identifier: "Delivery",
  description: "An event on its way to a webhook"
})

const AttemptHeadersBody = Schema.Struct({
  "content-type": text("The media type of the body", "application/json"),
  "user-agent": text("Names the service", "Lead-Signals/1.0 (webhooks)"),
  "webhook-id": text("The delivery's id; in a batch the batch's, wb_…", "wh_5f0c"),
  "webhook-timestamp": text("When the attempt began, in seconds since 1970", "1767607200")
})

const AttemptBody = Schema.Struct({
  number: integer("Which attempt it was, from 1", 1),
  ...attemptFields,
  headers: field(AttemptHeadersBody, "The headers of the request, without webhook-signature"),
  response: piiTextOrNull(
    "The first 1 KiB of the response, without personal data that it repeats from the payload",
    "busy"
  )
}).annotations({ identifier: "Attempt", description: "One attempt of a delivery" })

/** A delivery with its body and attempts: the one answer that shows what a receiver got. [DELIV-9] */
export const DeliveryDetailBody = Schema.Struct({
  ...deliveryFields,
  body: piiTextOrNull(
    "The request's body, the same at every attempt; null before the first attempt, and when the delivery is delivered or dead",
    '{"id":"wh_5f0c","event":"webhook.test"}'
  ),
  log: field(Schema.Array(AttemptBody), "Every attempt, in order")
}).annotations({ identifier: "DeliveryDetail", description: "A delivery with its attempts" })

/** The answer of calls that queue one delivery: a test, a resend. */
export const QueuedBody = Schema.Struct({
  data: field(
    Schema.Struct({ deliveryId: text("Id of the new delivery, the post's webhook-id", "wh_5f0c") }),
    "The requested data"
  ),
  meta: warningsMeta
}).annotations({ identifier: "Queued", description: "A new delivery, with a new id" })

/** A page of a webhook's deliveries; `total` counts those of the requested state. [DELIV-9] */
export const DeliveryListAnswer = Schema.Struct({
  data: field(Schema.Array(DeliveryBody), "The deliveries of the page, newest first"),
  meta: meta(
    Schema.Struct({
      pagination: pagination("How many deliveries match, on all pages"),
      warnings: warnings("Unknown parameters, which were ignored")
    })
  )
}).annotations({ identifier: "DeliveryListAnswer", description: "A page of deliveries" })

/** The data of POST …/recover: deliveries that are queued anew, 0 where none had failed since. [DELIV-8] */
export const RecoveredBody = Schema.Struct({ queued: integer("Number of queued deliveries", 12) })
