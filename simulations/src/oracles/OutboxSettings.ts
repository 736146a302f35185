/** How a webhook is set up and changed, and what a change does to its deliveries, by the specification alone. [OPER-2, DELIV-1, DELIV-4, ORD-1] */
import type { Json, Stored } from "../world/KnownFacts.ts"
import { inOrder, type OutboxWebhook, release, type Sending, waits } from "./OutboxRecords.ts"
import { bodyOf } from "./Requests.ts"

/** How long the secret before a rotation also signs. [DELIV-1] */
const overlapMillis = 24 * 3_600_000

/** The settings of a webhook that is created without others. */
const usualSending: Sending = {
  ordering: "none",
  maxDelay: null,
  format: "envelope",
  maxBatch: 1,
  maxWait: 0
}

const sendingOf = (requested: Json, before: Sending): Sending => ({
  ordering: requested.ordering ?? before.ordering,
  maxDelay: requested.maxDelay === undefined ? before.maxDelay : requested.maxDelay,
  format: requested.format ?? before.format,
  maxBatch: requested.maxBatch ?? before.maxBatch,
  maxWait: requested.maxWait ?? before.maxWait
})

/** The webhook that the store was told to create; `trueNow` is when. */
export const createdWebhook = ({ answer, args, call }: Stored, trueNow: number): OutboxWebhook => {
  const requested = bodyOf(call)
  const enabled = requested.enabled ?? true
  return {
    id: answer.id,
    brandId: args[0].brandId,
    url: requested.url,
    events: inOrder(requested.events),
    description: requested.description ?? null,
    enabled,
    disabledReason: enabled ? null : "The operator disabled it.",
    reasonNames: null,
    failingSince: null,
    sending: sendingOf(requested, usualSending),
    changedAt: trueNow,
    fullAt: 0,
    createdAt: args[0].createdAt,
    current: answer.secrets.current,
    previous: null,
    deliveries: [],
    unseen: new Map()
  }
}

/** Notes the secret that a rotation made. Answers what is wrong with it, or null. [DELIV-1] */
export const rotateSecret = (webhook: OutboxWebhook, current: string, now: number): string | null => {
  if (current === webhook.current) return `webhook ${webhook.id} keeps its secret in a rotation`
  webhook.previous = { secret: webhook.current, until: now + overlapMillis }
  webhook.current = current
  return null
}

/** What waits loses its place. [ORD-1] */
const endOrder = (webhook: OutboxWebhook, now: number): void => {
  for (const delivery of webhook.deliveries) {
    if (delivery.state !== "pending" || !delivery.isOrdered) continue
    release(delivery, now)
    delivery.isOrdered = false
  }
}

/** [DELIV-4] */
const startFresh = (webhook: OutboxWebhook, now: number): void => {
  for (const delivery of webhook.deliveries) {
    if (delivery.state !== "pending") continue
    delivery.failures = 0
    delivery.firstFailedAt = null
    if (delivery.lease === null) {
      const { from, to } = delivery.due!
      // One that waits can be due as it was created, which lies ahead of a clock that was set back, when those before it have ended.
      const latest = waits(delivery) ? Math.max(now, delivery.createdAt) : now
      delivery.due = { from: Math.min(from, now), to: Math.min(to, latest) }
      if (delivery.againAt !== null) delivery.againAt = 0
    } else delivery.lease.isOfEarlier = true
  }
}

/** Makes the changes that an operator has asked for. */
export const changeWebhook = (webhook: OutboxWebhook, requested: Json, now: number): void => {
  const wasEnabled = webhook.enabled
  const enabled: boolean = requested.enabled ?? wasEnabled
  const isOther = requested.url !== undefined && requested.url !== webhook.url
  // A target that was set right, or is another, has not failed yet.
  if (isOther || (enabled && !wasEnabled)) webhook.failingSince = null
  webhook.url = requested.url ?? webhook.url
  if (requested.events !== undefined) webhook.events = inOrder(requested.events)
  if (requested.description !== undefined) webhook.description = requested.description
  webhook.sending = sendingOf(requested, webhook.sending)
  if (webhook.sending.ordering === "none") endOrder(webhook, now)
  webhook.enabled = enabled
  if (enabled || wasEnabled) {
    webhook.disabledReason = enabled ? null : "The operator disabled it."
    webhook.reasonNames = null
  }
  if (enabled && !wasEnabled) startFresh(webhook, now)
}
