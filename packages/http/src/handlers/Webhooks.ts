/** Answers what the operator calls about webhooks and their deliveries. */
import {
  type Attempt,
  type Delivery,
  DeliveryQueries,
  formatInstant,
  formatInstantOrNull,
  LeadQueries,
  NewWebhook,
  Page,
  Parameters,
  Subscribing,
  Timestamp,
  type Webhook,
  warningsView,
  WebhookChange
} from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Either } from "effect"
import { data, json, noContent } from "../Answers.ts"
import * as Body from "../Body.ts"
import { RoutedApi } from "../contract/Api.ts"
import { Recovery, Resend } from "../contract/WebhookApi.ts"
import * as Target from "../Target.ts"
import { listed } from "./Listed.ts"

const created = 201
const accepted = 202

/* What is shown: each key is named, so that no secret can come along. */

const webhookView = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  enabled: webhook.enabled,
  disabledReason: webhook.disabledReason,
  failingSince: formatInstantOrNull(webhook.failingSince),
  createdAt: formatInstant(webhook.createdAt)
})

const deliveryView =
  ({ enabled }: Webhook) =>
  (delivery: Delivery) => {
    const state = DeliveryQueries.shownState(delivery.state, enabled)
    return {
      id: delivery.id,
      webhookId: delivery.webhookId,
      event: delivery.event,
      leadId: delivery.leadId,
      engagementId: delivery.engagementId,
      state,
      attempts: delivery.attempts,
      createdAt: formatInstant(delivery.createdAt),
      nextAttemptAt: state === "pending" ? formatInstantOrNull(delivery.dueAt) : null,
      finishedAt: formatInstantOrNull(delivery.finishedAt),
      resendOf: delivery.resendOf,
      resentAs: delivery.resentAs
    }
  }

const attemptView = ({ at, durationMillis, error, number, response, status }: Attempt) => ({
  number,
  at: formatInstant(at),
  durationMillis,
  status,
  error,
  response
})

/* Reading the calls */

const readNewWebhook = Body.read(NewWebhook)
const readChange = Body.read(WebhookChange)
const readRecovery = Body.read(Recovery)
const readResend = Body.read(Resend)

const queued = (deliveryId: string) => data({ deliveryId }, accepted)

export const webhooks = HttpApiBuilder.group(RoutedApi, "webhooks", (handlers) =>
  handlers
    .handleRaw("createWebhook", ({ path }) =>
      Effect.gen(function* () {
        const webhook = yield* Subscribing.createWebhook(path.brandId, yield* readNewWebhook)
        return data({ ...webhookView(webhook), secret: webhook.secrets.current }, created)
      })
    )
    .handleRaw("listWebhooks", ({ path }) =>
      listed(path.brandId, (directory, id) => directory.webhooks(id), webhookView)
    )
    .handleRaw("webhook", ({ path }) =>
      Effect.map(Subscribing.webhook(path.brandId, path.id), (webhook) => data(webhookView(webhook)))
    )
    .handleRaw("changeWebhook", ({ path }) =>
      Effect.gen(function* () {
        const change = yield* readChange
        return data(webhookView(yield* Subscribing.changeWebhook(path.brandId, path.id, change)))
      })
    )
    .handleRaw("deleteWebhook", ({ path }) =>
      Effect.as(Subscribing.deleteWebhook(path.brandId, path.id), noContent)
    )
    .handleRaw("rotateWebhookSecret", ({ path }) =>
      Effect.map(Subscribing.rotateSecret(path.brandId, path.id), ({ secrets }) =>
        data({
          secret: secrets.current,
          previousSecretExpiresAt: formatInstantOrNull(secrets.previous?.until ?? null)
        })
      )
    )
    .handleRaw("testWebhook", ({ path }) =>
      Effect.map(Subscribing.testWebhook(path.brandId, path.id), queued)
    )
    .handleRaw("recoverWebhook", ({ path }) =>
      Effect.gen(function* () {
        const { since } = yield* readRecovery
        const instant = yield* Either.mapLeft(Timestamp.parse(since), (takes) =>
          Parameters.invalid("since", takes)
        )
        return data({ queued: yield* Subscribing.recover(path.brandId, path.id, instant) }, accepted)
      })
    )
    .handleRaw("listDeliveries", ({ path, request }) =>
      Effect.gen(function* () {
        const query = yield* DeliveryQueries.readList(Target.parametersOf(request.url))
        const { deliveries, total, webhook } = yield* Subscribing.listDeliveries(path.brandId, path.id, query)
        return json({
          data: deliveries.map(deliveryView(webhook)),
          meta: {
            pagination: Page.pagination(query.page, total),
            ...warningsView(query.warnings)
          }
        })
      })
    )
    .handleRaw("delivery", ({ path }) =>
      Effect.gen(function* () {
        const { attempts, delivery, webhook } = yield* Subscribing.delivery(
          path.brandId,
          path.id,
          path.deliveryId
        )
        return data({ ...deliveryView(webhook)(delivery), log: attempts.map(attemptView) })
      })
    )
    .handleRaw("resendDelivery", ({ path }) =>
      Effect.map(Subscribing.resendDelivery(path.brandId, path.id, path.deliveryId), queued)
    )
    .handleRaw("resendLead", ({ path }) =>
      Effect.gen(function* () {
        const leadId = yield* LeadQueries.readLeadId(path.id)
        return queued(yield* Subscribing.resendLead(path.brandId, leadId, yield* readResend))
      })
    )
)
