/** Who looks after a brand's webhooks: tries them, renews their secrets, switches them off and on, sends again. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import { type Json, type KnownWebhook, type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { bodyOf, type Caller, persistently, type ActorContext, succeeding } from "./ActorContext.ts"

const route = "/operator/brands/{brandId}/webhooks/{id}"
const paramsOf = ({ brandId, id }: KnownWebhook) => ({ brandId, id })

/** Has the webhook's secret renewed, and notes the new one. An answer that was lost makes it rotate again. */
export const rotate = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { data } = yield* succeeding(context, caller, {
      method: "POST",
      route: `${route}/rotate-secret`,
      params: paramsOf(webhook),
      brand,
      meaning: { means: "rotate", webhook }
    })
    webhook.secrets.push({ secret: data.secret, since: context.world.kernel.now })
    context.facts.coverageMarks.add("a secret was renewed")
  })

/** The webhook must be enabled, and a test of a disabled one is refused. */
export const test = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.asVoid(
    persistently(context, caller, {
      method: "POST",
      route: `${route}/test`,
      params: paramsOf(webhook),
      brand,
      meaning: { means: "make" }
    })
  )

/** Sends an event of a lead again. 400 is right where the webhook does not take the event, 404 where the lead may be gone. */
export const resend = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  { event, person }: Extract<Action, { do: "resend" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    const { status } = yield* persistently(context, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/leads/{id}/resend",
      params: { brandId: brand.id, id },
      body: { webhookId: webhook.id, event },
      brand,
      meaning: { means: "resend", webhook, maxEvents: 1 }
    })
    const isTaken = webhook.events.includes(event)
    const isErased = status === 404 && context.facts.erasing.has(personOf(brand, person))
    // The outbox says whether the event was pruned.
    const isPruned = status === 404 && context.facts.plan.retention !== undefined
    if (status !== (isTaken ? 202 : 400) && !isErased && !isPruned) {
      context.facts.violate("calls succeed", `a re-send of ${event} was answered ${status}`)
    }
    if (status === 202) context.facts.coverageMarks.add("an event was sent again on purpose")
  })

/** The first page of the webhook's deliveries, newest first. */
export const listDeliveries = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  query: string
): Effect.Effect<Json> =>
  Effect.map(
    succeeding(
      context,
      { ...caller, label: `${caller.label} look` },
      {
        route: `${route}/deliveries`,
        params: paramsOf(webhook),
        query,
        brand,
        meaning: { means: "look" }
      }
    ),
    ({ data }) => data
  )

/** Sends again the `nth` of the newest 100 deliveries, counted round; nothing where there is none. */
export const redeliver = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  nth: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const deliveries = yield* listDeliveries(context, caller, brand, webhook, "pageSize=100")
    if (deliveries.length === 0) return
    const { status } = yield* persistently(context, caller, {
      method: "POST",
      route: `${route}/deliveries/{deliveryId}/resend`,
      params: { ...paramsOf(webhook), deliveryId: deliveries[nth % deliveries.length].id },
      brand,
      meaning: { means: "resend", webhook, maxEvents: 1 }
    })
    if (status === 202) context.facts.coverageMarks.add("a delivery was sent again on purpose")
  })

/** Sends again what died since the instant, and nobody has sent again. Answers how many deliveries that queued. */
export const recoverSince = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  since: string
): Effect.Effect<number> =>
  Effect.map(
    succeeding(context, caller, {
      method: "POST",
      route: `${route}/recover`,
      params: paramsOf(webhook),
      body: { since },
      brand,
      meaning: { means: "resend", webhook, maxEvents: Number.POSITIVE_INFINITY }
    }),
    ({ data }) => data.queued
  )

/** Sends again what died since `agoMillis` before now, or, where that is even, since the very end of one that died. */
export const recover = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  agoMillis: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    let since = new Date(context.world.kernel.now - agoMillis).toISOString()
    if (agoMillis % 2 === 0) {
      const dead = yield* listDeliveries(context, caller, brand, webhook, "state=dead")
      since = dead[(agoMillis / 2) % Math.max(1, dead.length)]?.finishedAt ?? since
    }
    yield* recoverSince(context, caller, brand, webhook, since)
  })

/** Enables or disables a webhook, and notes when that may have begun to count. */
export const setEnabled = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  enabled: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { kernel } = context.world
    const sentAt = kernel.now
    const response = yield* persistently(context, caller, {
      method: "PATCH",
      route,
      params: paramsOf(webhook),
      body: { enabled },
      brand,
      meaning: { means: "enable", webhook, enabled }
    })
    const data = bodyOf(response)?.data
    if (response.status !== 200 || data.enabled !== enabled) {
      context.facts.violate("calls succeed", `enabled=${enabled} was answered ${response.text}`)
    }
    // Another may have enabled it meanwhile.
    if (!enabled && webhook.enabledAt < sentAt) webhook.disabledAt = kernel.now
  })

/** Off, and on again after a while: what happened meanwhile is sent then. */
export const toggle = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook,
  offMillis: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* setEnabled(context, { ...caller, label: `${caller.label} off` }, brand, webhook, false)
    context.facts.coverageMarks.add("a webhook was switched off")
    yield* Effect.sleep(offMillis)
    yield* setEnabled(context, { ...caller, label: `${caller.label} on` }, brand, webhook, true)
  })
