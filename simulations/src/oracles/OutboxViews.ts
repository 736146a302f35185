/** What the operator must see of webhooks and deliveries, spelled out key by key from the interface. */
import type { Json } from "../world/KnownFacts.ts"
import { type KnownDelivery, type OutboxWebhook, waits } from "./OutboxRecords.ts"
import type { OutboxReference } from "./OutboxReference.ts"

const iso = (at: number): string => new Date(at).toISOString()
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

/** A webhook as the API shows it, without its secret. */
export const renderedWebhook = (webhook: OutboxWebhook): Json => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  enabled: webhook.enabled,
  disabledReason: webhook.disabledReason,
  failingSince: isoOrNull(webhook.failingSince),
  ordering: webhook.sending.ordering,
  maxDelay: webhook.sending.maxDelay,
  format: webhook.sending.format,
  maxBatch: webhook.sending.maxBatch,
  maxWait: webhook.sending.maxWait,
  createdAt: iso(webhook.createdAt)
})

/** Learns why the webhook was disabled, as its owner is told. Answers what the words do not name, or null. [DELIV-4] */
export const learnReason = (webhook: OutboxWebhook | undefined, stored: Json): string | null => {
  if (webhook === undefined || webhook.reasonNames === null) return null
  const reason: string | null = stored?.disabledReason ?? null
  const missing = webhook.reasonNames.find((name) => reason?.includes(name) !== true)
  if (missing !== undefined) return `webhook ${webhook.id} is disabled: "${reason}" does not name ${missing}`
  webhook.disabledReason = reason
  webhook.reasonNames = null
  return null
}

/** The state that an operator sees. [DELIV-8] */
const renderedState = ({ state }: KnownDelivery, isEnabled: boolean): string =>
  state === "pending" && !isEnabled ? "held" : state

const renderedLastAttempt = ({ log }: KnownDelivery): Json => {
  const last = log.at(-1)
  if (last === undefined) return null
  const { at, durationMillis, error, status } = last
  return { at: iso(at), durationMillis, status, error }
}

/** A delivery in a list; `isEnabled` tells held ones from pending ones. */
export const renderedDelivery = (delivery: KnownDelivery, isEnabled: boolean): Json => {
  const state = renderedState(delivery, isEnabled)
  return {
    id: delivery.id,
    webhookId: delivery.webhook.id,
    event: delivery.event,
    leadId: delivery.leadId,
    engagementId: delivery.engagementId,
    state,
    attempts: delivery.attempts,
    createdAt: iso(delivery.createdAt),
    nextAttemptAt: state === "pending" && !delivery.isDeferred ? isoOrNull(delivery.due?.from ?? null) : null,
    finishedAt: isoOrNull(delivery.finishedAt),
    lastAttempt: renderedLastAttempt(delivery),
    resendOf: delivery.resendOf?.id ?? null,
    resentAs: delivery.resentAs?.id ?? null
  }
}

/** The attempts of a delivery. The signature is not in their headers. */
export const renderedLog = ({ id, log }: KnownDelivery): Json =>
  log.map(({ at, batchId, durationMillis, error, format, number, response, status }) => ({
    number,
    at: iso(at),
    durationMillis,
    headers: {
      "content-type":
        format === "envelope"
          ? "application/json"
          : `application/cloudevents${batchId === null ? "" : "-batch"}+json`,
      "user-agent": "Lead-Signals/1.0 (webhooks)",
      "webhook-id": batchId ?? id,
      "webhook-timestamp": String(Math.floor(at / 1000))
    },
    status,
    error,
    response
  }))

/**
 * Learns from a delivery as the store answers it what only the store can know: its id, those of its relatives, and when exactly it
 * is due. Answers what can't be, or null.
 */
export const learn = (outbox: OutboxReference, known: KnownDelivery, stored: Json): string | null => {
  const relatives = [
    [known, stored.id],
    [known.resendOf, stored.resendOf],
    [known.resentAs, stored.resentAs]
  ] as const
  for (const [relative, id] of relatives) {
    if ((relative === null) !== (id === null)) return `delivery ${stored.id} is of ${id}`
    if (relative !== null && !outbox.ids.learn(relative, id))
      return `${id} stands where ${relative.id} must stand`
  }
  const { due } = known
  // A store may say that it waits once a lease has passed over it.
  if (stored.dueAt === null && waits(known)) {
    known.isDeferred = true
    return null
  }
  known.isDeferred = false
  if ((due === null) !== (stored.dueAt === null)) return `${stored.id} is due at ${stored.dueAt}`
  if (due === null) return null
  if (stored.dueAt < due.from || stored.dueAt > due.to)
    return `${stored.id} is due at ${iso(stored.dueAt)}, not between ${iso(due.from)} and ${iso(due.to)}`
  due.from = stored.dueAt
  due.to = stored.dueAt
  return null
}

/** A page of the deliveries of that state, the newest first. */
export const pageOf = (
  webhook: OutboxWebhook,
  isEnabled: boolean,
  {
    page,
    pageSize,
    state
  }: { readonly state: string | null; readonly page: number; readonly pageSize: number }
): { readonly found: ReadonlyArray<KnownDelivery>; readonly total: number } => {
  const matching =
    state === null
      ? webhook.deliveries
      : webhook.deliveries.filter((delivery) => renderedState(delivery, isEnabled) === state)
  const end = Math.max(0, matching.length - (page - 1) * pageSize)
  return { found: matching.slice(Math.max(0, end - pageSize), end).reverse(), total: matching.length }
}
