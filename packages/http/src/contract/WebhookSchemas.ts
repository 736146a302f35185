/** What the operator sends and is answered about webhooks and their deliveries. */
import { attemptErrors, DeliveryQueries, eventTypes, testEvent } from "@lead-signals/domain"
import { Schema } from "effect"
import {
  flag,
  id,
  integer,
  numberOrNull,
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

export const Resend = Schema.Struct({
  webhookId: Schema.String.annotations({ description: "the id of a webhook of this brand, as a string" }),
  event: Schema.Literal(...eventTypes).annotations({ description: `one of ${eventTypes.join(", ")}` })
})

/* What is answered */

const webhookFields = {
  id,
  url: text({ example: "https://example.com/hooks/leads" }),
  events: Schema.Array(Schema.Literal(...eventTypes)),
  description: textOrNull(),
  enabled: flag({ description: "While false, its deliveries are held" }),
  disabledReason: textOrNull({ description: "Why it is disabled, as a sentence" }),
  failingSince: timeOrNull,
  createdAt: time
}

export const WebhookBody = Schema.Struct(webhookFields).annotations({
  identifier: "Webhook",
  description: "failingSince: the first failed attempt since the last that succeeded"
})

const secret = text({ description: "What signs: whsec_ and base64. Here, and not shown again" })

export const CreatedWebhookBody = Schema.Struct({ ...webhookFields, secret }).annotations({
  identifier: "CreatedWebhook"
})

export const RotatedSecretBody = Schema.Struct({ secret, previousSecretExpiresAt: time }).annotations({
  identifier: "RotatedSecret",
  description: "Until then the secret before it signs, too"
})

const deliveryFields = {
  id: text({ description: "wh_…: the envelope's id, and webhook-id", example: "wh_5f0c" }),
  webhookId: id,
  event: Schema.Literal(...eventTypes, testEvent),
  leadId: numberOrNull({ description: "Null on a test" }),
  engagementId: textOrNull({ description: "The engagement that fired the event" }),
  state: Schema.Literal(...DeliveryQueries.shownStates).annotations({
    description: "held: pending while the webhook is disabled; dead: every attempt failed"
  }),
  attempts: integer({ description: "How many have been made" }),
  createdAt: time,
  nextAttemptAt: Schema.NullOr(Schema.String).annotations({
    jsonSchema: {
      type: ["string", "null"],
      format: "date-time",
      description: "While pending; while an attempt is under way, when another process would take over"
    }
  }),
  finishedAt: timeOrNull,
  resendOf: textOrNull({ description: "The delivery that this one sends again" }),
  resentAs: textOrNull({ description: "The delivery that sent this one again, the latest" })
}

export const DeliveryBody = Schema.Struct(deliveryFields).annotations({ identifier: "Delivery" })

const AttemptBody = Schema.Struct({
  number: integer(),
  at: time,
  durationMillis: integer(),
  status: numberOrNull({ description: "The HTTP status of the answer; null when there was none" }),
  error: oneOfOrNull(attemptErrors, { description: "Why there was no answer; null when there was one" }),
  response: piiTextOrNull({
    description: "The first 1 KiB of the answer, less what it repeats of the payload's personal data"
  })
}).annotations({ identifier: "Attempt" })

export const DeliveryDetailBody = Schema.Struct({
  ...deliveryFields,
  log: Schema.Array(AttemptBody).annotations({ description: "Every attempt, in order" })
}).annotations({ identifier: "DeliveryDetail" })

export const QueuedBody = Schema.Struct({ data: Schema.Struct({ deliveryId: text() }) }).annotations({
  identifier: "Queued",
  description: "A new delivery, with a new id"
})

export const DeliveryListAnswer = Schema.Struct({
  data: Schema.Array(DeliveryBody),
  meta: Schema.Struct({
    pagination: Schema.Struct({
      page: integer(),
      pageSize: integer({ description: "The size applied, after the cap" }),
      pageCount: integer(),
      total: integer()
    }),
    warnings: Schema.optional(Schema.Array(Schema.String))
  })
}).annotations({ identifier: "DeliveryListAnswer" })

export const RecoveredBody = Schema.Struct({ queued: integer({ description: "How many" }) })
