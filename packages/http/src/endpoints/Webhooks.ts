/** The operator's calls about webhooks. */
import {
  formatInstant,
  LeadQueries,
  NewWebhook,
  Parameters,
  testEvent,
  Timestamp,
  WebhookChange,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect, Either } from "effect"
import { accepted, created, data, list } from "../contract/Envelopes.ts"
import {
  CreatedWebhookBody,
  QueuedBody,
  Recovery,
  RecoveredBody,
  Resend,
  RotatedSecretBody,
  WebhookBody
} from "../contract/WebhookSchemas.ts"
import { listOfBrand } from "./BrandList.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand, ofLead, ofWebhook } from "./Paths.ts"
import { queuedView, webhookView } from "./Views.ts"

const collection = "/operator/brands/:brandId/webhooks"
const item = `${collection}/:id` as const

/** The fields of a new webhook and of a change. */
const settingWords = {
  url: ["URL that receives the events: public, and https", "https://example.com/hooks/leads"],
  events: ["The event types that the webhook receives"],
  description: ["What the webhook is for, in the operator's words; null when not given", "To the CRM"],
  enabled: ["Whether the service sends to it; while false, its deliveries are held"],
  ordering: ["lead: events of one lead arrive one after the other; none: in any order"],
  maxDelay: [
    "Seconds for which a failing event holds its lead's later ones back; null: as long as its retries last",
    600
  ],
  format: ["The form of the bodies"],
  maxBatch: ["Events that one post may carry", 1],
  maxWait: ["Seconds that an event may wait for others to be sent with", 0]
} as const

/** /operator/brands/:brandId/webhooks, with secrets, tests, recoveries and resends. All need the scope webhooks. */
export const webhooks = {
  createWebhook: operatorEndpoint(
    HttpApiEndpoint.post("createWebhook", collection)
      .setPath(ofBrand)
      .setPayload(NewWebhook)
      .addSuccess(data(CreatedWebhookBody), created),
    {
      scope: "webhooks",
      summary: "Create a webhook; only this response has its secret",
      description:
        "The URL must be public and https, unless the operator allows its network. Only this response, and that of a rotation, has a secret.",
      body: "The webhook to create",
      fields: settingWords,
      answer: "The new webhook, with its secret",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const webhook = yield* Webhooks.create(path.brandId, yield* body)
          return { data: { ...webhookView(webhook), secret: webhook.secrets.current } }
        })
    }
  ),
  listWebhooks: operatorEndpoint(
    HttpApiEndpoint.get("listWebhooks", collection).setPath(ofBrand).addSuccess(list(WebhookBody)),
    {
      scope: "webhooks",
      summary: "The brand's webhooks",
      description: "In order of creation.",
      answer: "The brand's webhooks",
      handle: ({ path }) =>
        listOfBrand(
          path.brandId,
          (id) => Effect.flatMap(WebhookStore, (store) => store.list(id)),
          webhookView
        )
    }
  ),
  webhook: operatorEndpoint(
    HttpApiEndpoint.get("webhook", item).setPath(ofWebhook).addSuccess(data(WebhookBody)),
    {
      scope: "webhooks",
      summary: "One webhook",
      description: "Without its secret.",
      answer: "The webhook",
      handle: ({ path }) =>
        Effect.map(Webhooks.get(path.brandId, path.id), (webhook) => ({ data: webhookView(webhook) }))
    }
  ),
  changeWebhook: operatorEndpoint(
    HttpApiEndpoint.patch("changeWebhook", item)
      .setPath(ofWebhook)
      .setPayload(WebhookChange)
      .addSuccess(data(WebhookBody)),
    {
      scope: "webhooks",
      summary: "Change a webhook, disable or enable it",
      description: "Enabling a disabled webhook resets its failures and sends the deliveries that were held.",
      body: "The changes",
      fields: settingWords,
      answer: "The webhook as it is now",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const change = yield* body
          return { data: webhookView(yield* Webhooks.change(path.brandId, path.id, change)) }
        })
    }
  ),
  deleteWebhook: operatorEndpoint(HttpApiEndpoint.del("deleteWebhook", item).setPath(ofWebhook), {
    scope: "webhooks",
    summary: "Delete a webhook with its deliveries and their log",
    description: "With its deliveries. Attempts under way may still arrive.",
    answer: "It is deleted",
    handle: ({ path }) => Webhooks.remove(path.brandId, path.id)
  }),
  rotateWebhookSecret: operatorEndpoint(
    HttpApiEndpoint.post("rotateWebhookSecret", `${item}/rotate-secret`)
      .setPath(ofWebhook)
      .addSuccess(data(RotatedSecretBody)),
    {
      scope: "webhooks",
      summary: "Make a new secret; the previous one also signs for 24 h",
      description: "The previous secret also signs for 24 h.",
      answer: "The new secret",
      handle: ({ path }) =>
        Effect.map(Webhooks.rotateSecret(path.brandId, path.id), ({ secrets }) => ({
          data: {
            secret: secrets.current,
            // A rotation keeps the secret before it.
            previousSecretExpiresAt: formatInstant(secrets.previous!.until)
          }
        }))
    }
  ),
  testWebhook: operatorEndpoint(
    HttpApiEndpoint.post("testWebhook", `${item}/test`).setPath(ofWebhook).addSuccess(QueuedBody, accepted),
    {
      scope: "webhooks",
      summary: `Send a ${testEvent} event, whatever the webhook subscribes to`,
      description: "The event concerns nobody, and is retried like any other.",
      answer: "It is queued",
      handle: ({ path }) => Effect.map(Webhooks.test(path.brandId, path.id), queuedView)
    }
  ),
  recoverWebhook: operatorEndpoint(
    HttpApiEndpoint.post("recoverWebhook", `${item}/recover`)
      .setPath(ofWebhook)
      .setPayload(Recovery)
      .addSuccess(data(RecoveredBody), accepted),
    {
      scope: "webhooks",
      summary: "Send dead deliveries again, from a time on",
      description:
        "Queues again the deliveries that died at the time or later, each with a new id, without those that were recovered before.",
      body: "The start time",
      fields: {
        since: ["Start time, inclusive: any timestamp that the filters take", "2026-01-31T10:00:00Z"]
      },
      answer: "The number of queued deliveries",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { since } = yield* body
          const instant = yield* Either.mapLeft(Timestamp.parse(since), (takes) =>
            Parameters.invalid("since", takes)
          )
          return { data: { queued: yield* Webhooks.recover(path.brandId, path.id, instant) } }
        })
    }
  )
}

/** After the deliveries in the document. */
export const leadResend = {
  resendLead: operatorEndpoint(
    HttpApiEndpoint.post("resendLead", "/operator/brands/:brandId/leads/:id/resend")
      .setPath(ofLead)
      .setPayload(Resend)
      .addSuccess(QueuedBody, accepted),
    {
      scope: "webhooks",
      summary:
        "Send a lead's lead2.created, or its latest activity.detected, to a webhook that subscribes to it",
      description: "Queues the lead's newest event of the type for one webhook.",
      body: "The event and the webhook",
      fields: { webhookId: ["Id of the webhook", "1"], event: ["The event's type"] },
      answer: "It is queued",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const leadId = yield* LeadQueries.readLeadId(path.id)
          return queuedView(yield* Webhooks.resendLead(path.brandId, leadId, yield* body))
        })
    }
  )
}
