/** What the operator is shown: each key is named, so that neither a hash nor a secret can come along. */
import {
  type AccessToken,
  type ApiKey,
  type Attempt,
  attemptHeaders,
  type AuditEntry,
  type Brand,
  companyView,
  type DeliveryId,
  DeliveryQueries,
  type FoundDelivery,
  formatInstant,
  formatInstantOrNull,
  type Instant,
  type ListedDelivery,
  type Signal,
  type Parameters,
  warningsView,
  type Webhook
} from "@lead-signals/domain"
import { warningsOf } from "../contract/Suggestions.ts"

/** The `meta` of an answer without pages: present only with warnings. */
export const metaOf = (ignored: Parameters.IgnoredParameters) =>
  ignored.names.length === 0 ? {} : { meta: warningsView(warningsOf(ignored)) }

/** Renders a campaign, and the fields that a brand has in common with it. */
export const namedView = ({
  createdAt,
  id,
  name
}: {
  readonly id: string
  readonly name: string
  readonly createdAt: Instant
}) => ({ id, name, createdAt: formatInstant(createdAt) })

/** Renders `BrandBody`, without the secret that hashes erased persons. */
export const brandView = (brand: Brand) => ({
  ...namedView(brand),
  deletionStartedAt: formatInstantOrNull(brand.deletionStartedAt)
})

/** Renders `KeyBody`, without the hash. */
export const keyView = (key: ApiKey) => ({
  id: key.id,
  label: key.label,
  start: key.start,
  requestsPerMinute: key.requestsPerMinute,
  createdAt: formatInstant(key.createdAt),
  lastUsedAt: formatInstantOrNull(key.lastUsedAt),
  revokedAt: formatInstantOrNull(key.revokedAt),
  expiresAt: formatInstantOrNull(key.expiresAt),
  scopes: key.scopes,
  allowedAddresses: key.allowedAddresses
})

/** Renders `AccessTokenBody`, without the hash. */
export const accessTokenView = (token: AccessToken) => ({
  id: token.id,
  name: token.name,
  start: token.start,
  scopes: token.scopes,
  brandIds: token.brandIds,
  createdAt: formatInstant(token.createdAt),
  expiresAt: formatInstantOrNull(token.expiresAt),
  lastUsedAt: formatInstantOrNull(token.lastUsedAt),
  revokedAt: formatInstantOrNull(token.revokedAt)
})

/** `name` is the actor's, where it has one. */
export const auditEntryView = (entry: AuditEntry, name: string | null) => ({
  id: entry.id,
  at: formatInstant(entry.at),
  actor: { ...entry.actor, name },
  viaSession: entry.viaSession,
  operation: entry.operation,
  brandId: entry.brandId,
  subjectId: entry.subjectId,
  status: entry.status
})

/** Renders `SignalBody`. The source has the signal's id, as in engagements. */
export const signalView = ({ createdAt, id, name, signalType, source }: Signal) => ({
  id,
  name,
  signalType,
  source: {
    id,
    type: source.type,
    value: source.value,
    liCompanyId: source.liCompanyId,
    company: companyView(source.company)
  },
  createdAt: formatInstant(createdAt)
})

/** Renders `WebhookBody`, without the secrets. */
export const webhookView = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  enabled: webhook.enabled,
  disabledReason: webhook.disabledReason,
  failingSince: formatInstantOrNull(webhook.failingSince),
  ordering: webhook.ordering,
  maxDelay: webhook.maxDelay,
  format: webhook.format,
  maxBatch: webhook.maxBatch,
  maxWait: webhook.maxWait,
  createdAt: formatInstant(webhook.createdAt)
})

/** Renders an element of `DeliveryListAnswer`. A pending delivery of a disabled webhook is held, without a next attempt. */
export const deliveryView =
  ({ enabled }: Webhook) =>
  ({ lastAttempt, ...delivery }: ListedDelivery) => {
    const state = DeliveryQueries.reportedState(delivery.state, enabled)
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
      lastAttempt:
        lastAttempt === null
          ? null
          : {
              at: formatInstant(lastAttempt.at),
              durationMillis: lastAttempt.durationMillis,
              status: lastAttempt.status,
              error: lastAttempt.error
            },
      resendOf: delivery.resendOf,
      resentAs: delivery.resentAs
    }
  }

const attemptView =
  (id: DeliveryId) =>
  ({ at, batchId, durationMillis, error, format, number, response, status }: Attempt) => ({
    number,
    at: formatInstant(at),
    durationMillis,
    headers: attemptHeaders(id, at, { batchId, format }),
    status,
    error,
    response
  })

/** Renders `DeliveryDetailBody`. The headers of attempts are derived again from their time and format; no signature is kept. */
export const deliveryDetailView =
  (webhook: Webhook) =>
  ({ attempts, body, delivery }: FoundDelivery) => ({
    ...deliveryView(webhook)({ ...delivery, lastAttempt: attempts.at(-1) ?? null }),
    body,
    log: attempts.map(attemptView(delivery.id))
  })

/** Renders `QueuedBody`. */
export const queuedView = (deliveryId: string) => ({ data: { deliveryId } })
