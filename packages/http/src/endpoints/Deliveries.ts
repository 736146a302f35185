/** The operator's calls about a webhook's deliveries. */
import { DeliveryQueries, Page, warningsView, Webhooks } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect, Schema } from "effect"
import { accepted, data } from "../contract/Envelopes.ts"
import { parameter } from "../contract/Fields.ts"
import { DeliveryDetailBody, DeliveryListAnswer, QueuedBody } from "../contract/WebhookSchemas.ts"
import { warningsOf } from "../contract/Suggestions.ts"
import * as Target from "../Target.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofDelivery, ofWebhook } from "./Paths.ts"
import { deliveryDetailView, deliveryView, queuedView } from "./Views.ts"

const collection = "/operator/brands/:brandId/webhooks/:id/deliveries"
const item = `${collection}/:deliveryId` as const

/** /operator/brands/:brandId/webhooks/:id/deliveries. All need the scope webhooks. [DELIV-9] */
export const deliveries = {
  listDeliveries: operatorEndpoint(
    HttpApiEndpoint.get("listDeliveries", collection)
      .setPath(ofWebhook)
      .setUrlParams(
        Schema.Struct({
          state: parameter(
            { type: "string", enum: DeliveryQueries.reportedStates },
            "Only those in this state"
          ),
          page: parameter({ type: "integer", minimum: 1, default: 1 }, "From 1"),
          pageSize: parameter({ type: "integer", minimum: 1, default: 25 }, "At most 100; more is capped")
        })
      )
      .addSuccess(DeliveryListAnswer),
    {
      scope: "webhooks",
      summary: "The webhook's deliveries, newest first",
      description:
        "Newest first, each with the number of its attempts, the latest of them, and the time of the next.",
      answer: "A page of deliveries",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const query = yield* DeliveryQueries.readList(Target.parametersOf(request.url))
          const found = yield* Webhooks.listDeliveries(path.brandId, path.id, query)
          return {
            data: found.deliveries.map(deliveryView(found.webhook)),
            meta: {
              pagination: Page.pagination(query.page, found.total),
              ...warningsView(warningsOf(query.ignored))
            }
          }
        })
    }
  ),
  delivery: operatorEndpoint(
    HttpApiEndpoint.get("delivery", item).setPath(ofDelivery).addSuccess(data(DeliveryDetailBody)),
    {
      scope: "webhooks",
      summary: "One delivery with every attempt",
      description:
        "With every attempt so far. Each has the headers of its request but `webhook-signature`, which is not kept. The body is there while the delivery is pending.",
      answer: "The delivery",
      handle: ({ path }) =>
        Effect.map(Webhooks.getDelivery(path.brandId, path.id, path.deliveryId), ({ webhook, ...found }) => ({
          data: deliveryDetailView(webhook)(found)
        }))
    }
  ),
  resendDelivery: operatorEndpoint(
    HttpApiEndpoint.post("resendDelivery", `${item}/resend`)
      .setPath(ofDelivery)
      .addSuccess(QueuedBody, accepted),
    {
      scope: "webhooks",
      summary: "Send the same event again, as a new delivery with a new id",
      description: "Queues the event again, with a new id.",
      answer: "It is queued",
      handle: ({ path }) =>
        Effect.map(Webhooks.resendDelivery(path.brandId, path.id, path.deliveryId), queuedView)
    }
  )
}
