/** Who looks after a brand's webhooks: tries them, renews their secrets, switches them off and on, sends again. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { KnownWebhook, StagedBrand } from "../world/Ledger.ts"
import { bodyOf, type Caller, persistently, type Stage, succeeding } from "./Stage.ts"

const route = "/operator/brands/{brandId}/webhooks/{id}"
const paramsOf = ({ brandId, id }: KnownWebhook) => ({ brandId, id })

export const rotate = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { data } = yield* succeeding(stage, caller, {
      method: "POST",
      route: `${route}/rotate-secret`,
      params: paramsOf(webhook),
      brand,
      meaning: { means: "rotate", webhook }
    })
    webhook.secrets.push({ secret: data.secret, since: stage.world.kernel.now })
    stage.ledger.marks.add("a secret was renewed")
  })

/** The webhook must be enabled, and a test of a disabled one is refused. */
export const test = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.asVoid(
    persistently(stage, caller, {
      method: "POST",
      route: `${route}/test`,
      params: paramsOf(webhook),
      brand,
      meaning: { means: "make" }
    })
  )

export const resend = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook,
  { event, person }: Extract<Action, { do: "resend" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    const { status } = yield* persistently(stage, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/leads/{id}/resend",
      params: { brandId: brand.id, id },
      body: { webhookId: webhook.id, event },
      brand,
      meaning: { means: "resend", webhook, mostEvents: 1 }
    })
    const isTaken = webhook.events.includes(event)
    const isErased = status === 404 && stage.ledger.erasing.has(person)
    if (status !== (isTaken ? 202 : 400) && !isErased) {
      stage.ledger.violate("calls succeed", `a re-send of ${event} was answered ${status}`)
    }
    if (status === 202) stage.ledger.marks.add("an event was sent again on purpose")
  })

export const redeliver = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook,
  nth: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { data } = yield* succeeding(
      stage,
      { ...caller, label: `${caller.label} look` },
      {
        route: `${route}/deliveries`,
        params: paramsOf(webhook),
        query: "pageSize=100",
        brand,
        meaning: { means: "look" }
      }
    )
    if (data.length === 0) return
    const { status } = yield* persistently(stage, caller, {
      method: "POST",
      route: `${route}/deliveries/{deliveryId}/resend`,
      params: { ...paramsOf(webhook), deliveryId: data[nth % data.length].id },
      brand,
      meaning: { means: "resend", webhook, mostEvents: 1 }
    })
    if (status === 202) stage.ledger.marks.add("a delivery was sent again on purpose")
  })

export const recover = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook,
  agoMillis: number
): Effect.Effect<void> =>
  Effect.asVoid(
    succeeding(stage, caller, {
      method: "POST",
      route: `${route}/recover`,
      params: paramsOf(webhook),
      body: { since: new Date(stage.world.kernel.now - agoMillis).toISOString() },
      brand,
      meaning: { means: "resend", webhook, mostEvents: Number.POSITIVE_INFINITY }
    })
  )

export const setEnabled = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook,
  enabled: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { kernel } = stage.world
    const sentAt = kernel.now
    const response = yield* persistently(stage, caller, {
      method: "PATCH",
      route,
      params: paramsOf(webhook),
      body: { enabled },
      brand,
      meaning: { means: "enable", webhook, enabled }
    })
    const data = bodyOf(response)?.data
    if (response.status !== 200 || data.enabled !== enabled) {
      stage.ledger.violate("calls succeed", `enabled=${enabled} was answered ${response.text}`)
    }
    // Another may have enabled it meanwhile.
    if (!enabled && webhook.enabledAt < sentAt) webhook.disabledAt = kernel.now
  })

/** Off, and on again after a while: what happened meanwhile is sent then. */
export const toggle = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  webhook: KnownWebhook,
  offMillis: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* setEnabled(stage, { ...caller, label: `${caller.label} off` }, brand, webhook, false)
    stage.ledger.marks.add("a webhook was switched off")
    yield* Effect.sleep(offMillis)
    yield* setEnabled(stage, { ...caller, label: `${caller.label} on` }, brand, webhook, true)
  })
