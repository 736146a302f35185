/** The operator's calls on webhooks: create, change, test, list deliveries, send again. */
import { Clock, Effect, Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import { type DeliveredEvent, type DeliveryId, testEvent } from "../model/Delivery.ts"
import { InvalidParameter, NotFound, type StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import { type EventType, eventTypes } from "../model/LeadEvent.ts"
import {
  defaultSending,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookId
} from "../model/Webhook.ts"
import type { BrandStore } from "../ports/BrandStore.ts"
import { Deliveries } from "../ports/Deliveries.ts"
import { LeadStore } from "../ports/LeadStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Entropy } from "../ports/Entropy.ts"
import { WebhookTargets } from "../ports/WebhookTargets.ts"
import * as DeliveryQueries from "../queries/DeliveryQueries.ts"
import * as WebhookSecrets from "../credentials/WebhookSecrets.ts"
import { orNotFound } from "./Found.ts"
import { freshDeliveryIds } from "./FreshIds.ts"
import * as Brands from "./Brands.ts"

/** The event types, each once, in the order of `eventTypes`. */
const inOrder = (events: ReadonlyArray<EventType>): ReadonlyArray<EventType> =>
  eventTypes.filter((event) => events.includes(event))

const freshSecret = Effect.flatMap(Entropy, (entropy) =>
  Effect.map(entropy.bytes(WebhookSecrets.randomBytesNeeded), WebhookSecrets.fromRandom)
)

const disabledByOperator = "The operator disabled it."

/**
 * Creates a webhook. Only this answer and that of a rotation show its secret. Fails with `InvalidParameter`
 * when `WebhookTargets` refuses the URL, with `NotFound` when there is no such brand, and with `StoreUnavailable`.
 * [DELIV-1, DELIV-6]
 */
export const create = (brandId: BrandId, { enabled, events, url, ...settings }: NewWebhook) =>
  Effect.gen(function* () {
    const [webhookStore, targets] = yield* Effect.all([WebhookStore, WebhookTargets])
    const { id } = yield* Brands.get(brandId)
    return yield* webhookStore.create({
      ...defaultSending,
      ...settings,
      brandId: id,
      url: yield* targets.check(url),
      events: inOrder(events),
      enabled,
      disabledReason: enabled ? null : disabledByOperator,
      failingSince: null,
      secrets: { current: yield* freshSecret, previous: null },
      createdAt: yield* Clock.currentTimeMillis
    })
  })

/**
 * Answers the webhook. Fails with `NotFound` when the brand is gone or has no such webhook, and with
 * `StoreUnavailable`.
 */
export const get = (brandId: BrandId, id: WebhookId) =>
  Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* webhookStore.get(brandId, id), "webhook")
  })

/** The webhook after an operator's change. */
const changed = (webhook: Webhook, { enabled, events, url, ...settings }: WebhookChange): Webhook => {
  const isEnabled = enabled ?? webhook.enabled
  return {
    ...webhook,
    ...settings,
    url: url ?? webhook.url,
    events: events === undefined ? webhook.events : inOrder(events),
    enabled: isEnabled,
    // Disabling a disabled webhook keeps the first reason.
    disabledReason: isEnabled ? null : webhook.enabled ? disabledByOperator : webhook.disabledReason,
    // Earlier failures were those of another URL, or came before the owner enabled the webhook again.
    failingSince:
      (isEnabled && !webhook.enabled) || (url !== undefined && url !== webhook.url)
        ? null
        : webhook.failingSince
  }
}

/**
 * Changes the fields that `change` names, and answers the webhook. The URL is checked again when it changes and when
 * the webhook is enabled. Enabling a webhook makes its pending deliveries due at once, with no failures counted. Fails
 * with `InvalidParameter` when the target is refused, with `NotFound`, and with `StoreUnavailable`. [DELIV-4, DELIV-6]
 */
export const change = (brandId: BrandId, id: WebhookId, change: WebhookChange) =>
  Effect.gen(function* () {
    const [webhookStore, targets] = yield* Effect.all([WebhookStore, WebhookTargets])
    const known = yield* get(brandId, id)
    const checkedUrl =
      change.url !== undefined || change.enabled === true
        ? yield* targets.check(change.url ?? known.url)
        : null
    const checked = change.url === undefined || checkedUrl === null ? change : { ...change, url: checkedUrl }
    const found = yield* webhookStore.update(brandId, id, (before) => changed(before, checked))
    return yield* orNotFound(found, "webhook")
  })

/**
 * Deletes the webhook with its deliveries and their log. Fails with `NotFound` when the brand is gone or has no
 * such webhook, also on a second call, and with `StoreUnavailable`.
 */
export const remove = (brandId: BrandId, id: WebhookId) =>
  Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    yield* Brands.get(brandId)
    if (!(yield* webhookStore.delete(brandId, id))) return yield* new NotFound({ resource: "webhook" })
  })

/**
 * Gives the webhook a fresh secret and answers it; the previous secret also signs for 24 h. Fails with `NotFound`
 * when the brand is gone or has no such webhook, and with `StoreUnavailable`. [DELIV-1]
 */
export const rotateSecret = (brandId: BrandId, id: WebhookId) =>
  Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    const secret = yield* freshSecret
    yield* Brands.get(brandId)
    const found = yield* webhookStore.update(brandId, id, (before, now) => ({
      ...before,
      secrets: WebhookSecrets.rotate(before.secrets, secret, now)
    }))
    return yield* orNotFound(found, "webhook")
  })

/**
 * Queues a test event and answers its delivery id. Fails with `InvalidParameter` when the webhook is disabled, because the
 * test would wait until the webhook is enabled, with `NotFound`, and with `StoreUnavailable`. [DELIV-8]
 */
export const test = (brandId: BrandId, id: WebhookId) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, id)
    if (!known.enabled) {
      return yield* new InvalidParameter({
        parameter: "id",
        message: "id takes an enabled webhook: enable it first."
      })
    }
    return yield* orNotFound(
      yield* deliveries.queue(known, { what: "test" }, yield* freshDeliveryIds),
      "webhook"
    )
  })

/**
 * Answers a page of the webhook's deliveries, newest first, with their total and the webhook. Fails with `NotFound`
 * when the brand is gone or has no such webhook, and with `StoreUnavailable`. [DELIV-8]
 */
export const listDeliveries = (brandId: BrandId, id: WebhookId, query: DeliveryQueries.DeliveryQuery) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, id)
    const state = DeliveryQueries.storedState(query.state, known.enabled)
    const page =
      state === undefined
        ? { total: 0, deliveries: [] }
        : yield* deliveries.list(known.id, { state, page: query.page })
    return { webhook: known, ...page }
  })

/**
 * Answers one delivery with all its attempts, in order, and the webhook. Fails with `NotFound` when the brand, the
 * webhook or the delivery is not there, and with `StoreUnavailable`. [DELIV-5]
 */
export const getDelivery = (brandId: BrandId, id: WebhookId, deliveryId: DeliveryId) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, id)
    const found = yield* orNotFound(yield* deliveries.get(known.id, deliveryId), "delivery")
    return { webhook: known, ...found }
  })

/** Fails with `InvalidParameter` unless the event is a test or the webhook subscribes to its type. [EVT-7] */
const subscribed = (
  { events }: Webhook,
  event: DeliveredEvent,
  parameter: string
): Effect.Effect<void, InvalidParameter> =>
  event === testEvent || events.includes(event)
    ? Effect.void
    : new InvalidParameter({
        parameter,
        message: `${parameter} takes a webhook that subscribes to ${event}; this one subscribes to ${events.join(", ")}.`
      })

/**
 * Queues the event or test of the delivery as a new delivery, whose body is made anew, and answers the new id. Fails
 * with `InvalidParameter` when the webhook no longer subscribes to the event's type, with `NotFound`, and with
 * `StoreUnavailable`. [DELIV-8]
 */
export const resendDelivery = (brandId: BrandId, id: WebhookId, deliveryId: DeliveryId) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, id)
    const found = yield* orNotFound(yield* deliveries.get(known.id, deliveryId), "delivery")
    yield* subscribed(known, found.delivery.event, "id")
    const again = { what: "again", deliveryId } as const
    return yield* orNotFound(yield* deliveries.queue(known, again, yield* freshDeliveryIds), "delivery")
  })

/**
 * Queues the lead's newest event of the type as a new delivery and answers its id. Fails with `InvalidParameter` when
 * the webhook does not subscribe to the type, with `NotFound` when the brand has no such webhook or lead, or the lead's events of the
 * type were all pruned, and with `StoreUnavailable`. [EVT-7, EVT-9, RET-5]
 */
export const resendLead = (
  brandId: BrandId,
  leadId: LeadId,
  { event, webhookId }: { readonly event: EventType; readonly webhookId: WebhookId }
) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, webhookId)
    yield* subscribed(known, event, "webhookId")
    const newest = { what: "newest-event", leadId, event } as const
    const queued = yield* deliveries.queue(known, newest, yield* freshDeliveryIds)
    if (Option.isSome(queued)) return queued.value
    const lead = yield* (yield* LeadStore).get(brandId, leadId, "none")
    return yield* new NotFound({ resource: Option.isSome(lead) ? "event" : "lead" })
  })

/** The maximum number of deliveries that one transaction queues. */
const recoveredAtOnce = 500

/**
 * Queues all dead letters again that died at or after `since`, of the event types that the webhook still subscribes to, and
 * answers how many. A second call queues none of them again. Fails with `NotFound` when the brand is
 * gone or has no such webhook. When it fails with `StoreUnavailable`, some may have been queued. [DELIV-8]
 */
export const recover = (
  brandId: BrandId,
  id: WebhookId,
  since: Instant
): Effect.Effect<number, NotFound | StoreUnavailable, BrandStore | Deliveries | WebhookStore | Entropy> =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const known = yield* get(brandId, id)
    const ids = yield* freshDeliveryIds
    let recovered = 0
    for (;;) {
      const piece = yield* deliveries.recover(
        known.id,
        { since, events: known.events, limit: recoveredAtOnce },
        ids
      )
      recovered += piece
      if (piece < recoveredAtOnce) return recovered
    }
  })
