/** What the operator calls about webhooks and their deliveries. */
import {
  attemptErrors,
  DeliveryQueries,
  eventTypes,
  NewWebhook,
  testEvent,
  WebhookChange
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { OperatorAccess } from "./Access.ts"
import {
  InvalidParameterFailure,
  NotFoundFailure,
  PayloadTooLargeFailure,
  RequestTimeoutFailure,
  UnavailableFailure,
  UnsupportedMediaTypeFailure
} from "./Failures.ts"
import {
  flag,
  id,
  integer,
  numberOrNull,
  oneOfOrNull,
  parameter,
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

const WebhookBody = Schema.Struct(webhookFields).annotations({
  identifier: "Webhook",
  description: "failingSince: the first failed attempt since the last that succeeded"
})

const secret = text({ description: "What signs: whsec_ and base64. Here, and not shown again" })

const CreatedWebhookBody = Schema.Struct({ ...webhookFields, secret }).annotations({
  identifier: "CreatedWebhook"
})

const RotatedSecretBody = Schema.Struct({ secret, previousSecretExpiresAt: time }).annotations({
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

const DeliveryBody = Schema.Struct(deliveryFields).annotations({ identifier: "Delivery" })

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

const DeliveryDetailBody = Schema.Struct({
  ...deliveryFields,
  log: Schema.Array(AttemptBody).annotations({ description: "Every attempt, in order" })
}).annotations({ identifier: "DeliveryDetail" })

const QueuedBody = Schema.Struct({ data: Schema.Struct({ deliveryId: text() }) }).annotations({
  identifier: "Queued",
  description: "A new delivery, with a new id"
})

const data = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: schema })

const DeliveryListAnswer = Schema.Struct({
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

/* The calls */

const brandPath = Schema.Struct({ brandId: Schema.String })
const webhookPath = Schema.Struct({ brandId: Schema.String, id: Schema.String })
const deliveryPath = Schema.Struct({ brandId: Schema.String, id: Schema.String, deliveryId: Schema.String })

const collection = "/operator/brands/:brandId/webhooks"
const item = `${collection}/:id` as const
const created = { status: 201 }
const accepted = { status: 202 }

export const WebhookApi = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("createWebhook", collection)
      .setPath(brandPath)
      .setPayload(NewWebhook)
      .addSuccess(data(CreatedWebhookBody), created)
      .annotate(OpenApi.Summary, "Create a webhook; its secret is only in this answer")
  )
  .add(
    HttpApiEndpoint.get("listWebhooks", collection)
      .setPath(brandPath)
      .addSuccess(Schema.Struct({ data: Schema.Array(WebhookBody) }))
      .annotate(OpenApi.Summary, "The brand's webhooks")
  )
  .add(
    HttpApiEndpoint.get("webhook", item)
      .setPath(webhookPath)
      .addSuccess(data(WebhookBody))
      .annotate(OpenApi.Summary, "One webhook")
  )
  .add(
    HttpApiEndpoint.patch("changeWebhook", item)
      .setPath(webhookPath)
      .setPayload(WebhookChange)
      .addSuccess(data(WebhookBody))
      .annotate(OpenApi.Summary, "Change a webhook, disable or enable it")
      .annotate(
        OpenApi.Description,
        "Enabling one that was disabled starts it fresh: what was held for it is sent now."
      )
  )
  .add(
    HttpApiEndpoint.del("deleteWebhook", item)
      .setPath(webhookPath)
      .annotate(OpenApi.Summary, "Delete a webhook with its deliveries and their log")
  )
  .add(
    HttpApiEndpoint.post("rotateWebhookSecret", `${item}/rotate-secret`)
      .setPath(webhookPath)
      .addSuccess(data(RotatedSecretBody))
      .annotate(OpenApi.Summary, "Make a new secret; the one before it signs along for 24 h")
  )
  .add(
    HttpApiEndpoint.post("testWebhook", `${item}/test`)
      .setPath(webhookPath)
      .addSuccess(QueuedBody, accepted)
      .annotate(OpenApi.Summary, `Send a ${testEvent} event, whatever the webhook subscribes to`)
  )
  .add(
    HttpApiEndpoint.post("recoverWebhook", `${item}/recover`)
      .setPath(webhookPath)
      .setPayload(Recovery)
      .addSuccess(data(Schema.Struct({ queued: integer({ description: "How many" }) })), accepted)
      .annotate(OpenApi.Summary, "Send everything again that died since a time and was not sent again yet")
  )
  .add(
    HttpApiEndpoint.get("listDeliveries", `${item}/deliveries`)
      .setPath(webhookPath)
      .setUrlParams(
        Schema.Struct({
          state: parameter({ type: "string", enum: DeliveryQueries.shownStates }, "Only those in this state"),
          page: parameter({ type: "integer", minimum: 1, default: 1 }, "From 1"),
          pageSize: parameter({ type: "integer", minimum: 1, default: 25 }, "At most 100; more is capped")
        })
      )
      .addSuccess(DeliveryListAnswer)
      .annotate(OpenApi.Summary, "The webhook's deliveries, the newest first")
  )
  .add(
    HttpApiEndpoint.get("delivery", `${item}/deliveries/:deliveryId`)
      .setPath(deliveryPath)
      .addSuccess(data(DeliveryDetailBody))
      .annotate(OpenApi.Summary, "One delivery with every attempt")
  )
  .add(
    HttpApiEndpoint.post("resendDelivery", `${item}/deliveries/:deliveryId/resend`)
      .setPath(deliveryPath)
      .addSuccess(QueuedBody, accepted)
      .annotate(OpenApi.Summary, "Send the same event again, as a new delivery with a new id")
  )
  .add(
    HttpApiEndpoint.post("resendLead", "/operator/brands/:brandId/leads/:id/resend")
      .setPath(webhookPath)
      .setPayload(Resend)
      .addSuccess(QueuedBody, accepted)
      .annotate(
        OpenApi.Summary,
        "Send a lead's lead2.created, or its latest activity.detected, to a webhook that subscribes to it"
      )
  )
  .addError(InvalidParameterFailure)
  .addError(NotFoundFailure)
  .addError(PayloadTooLargeFailure)
  .addError(RequestTimeoutFailure)
  .addError(UnsupportedMediaTypeFailure)
  .addError(UnavailableFailure)
  .middleware(OperatorAccess)
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Where events are sent, and what became of them")
