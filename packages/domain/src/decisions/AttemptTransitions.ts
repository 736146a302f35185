/**
 * What finished attempts change, worked out over what a store knows of their deliveries: a store only reads that, and
 * writes what comes out. [DELIV-2, DELIV-3, DELIV-5]
 */
import type { Attempt, AttemptResult, DeliveryId, DeliveryState } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import type { AttemptedDelivery, AttemptTransition } from "./Retries.ts"

/** An attempt that was made. */
export interface FinishedAttempt {
  readonly deliveryId: DeliveryId
  /** Of the lease that it was made under. */
  readonly token: string
  /** Where it was posted to: a webhook's own may be another one by now. */
  readonly url: string
  readonly at: Instant
  readonly durationMillis: number
  readonly result: AttemptResult
  readonly settle: (known: AttemptedDelivery, now: Instant) => AttemptTransition
}

/** What became of it. */
export interface Recorded {
  readonly deliveryId: DeliveryId
  /** `ignored`: the delivery is gone, or was settled or taken over by another before. */
  readonly outcome: "delivered" | "retried" | "dead" | "ignored"
  /** The webhook, if this attempt disabled it. */
  readonly disabled: WebhookId | null
}

export interface CurrentDelivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly state: DeliveryState
  readonly attempts: number
  readonly failures: number
  /**
   * The token of who may attempt it until `dueAt`, marked by `ofEarlierEnabling` when the webhook was enabled since; null when
   * nobody does.
   */
  readonly lease: string | null
  readonly dueAt: Instant | null
  readonly finishedAt: Instant | null
}

export type CurrentWebhook = Pick<Webhook, "id" | "url" | "enabled" | "disabledReason" | "failingSince">

export interface Changes {
  readonly deliveries: ReadonlyArray<CurrentDelivery>
  readonly webhooks: ReadonlyArray<CurrentWebhook>
  readonly log: ReadonlyArray<Attempt & { readonly deliveryId: DeliveryId }>
  readonly recorded: ReadonlyArray<Recorded>
}

const settled = (before: CurrentDelivery, { delivery }: AttemptTransition, now: Instant): CurrentDelivery =>
  delivery.state === "pending"
    ? { ...before, lease: null, failures: delivery.failures, dueAt: delivery.dueAt }
    : { ...before, lease: null, state: delivery.state, dueAt: null, finishedAt: now }

const earlierMark = "~"

/**
 * Marks a lease that stands while its webhook is enabled. Its attempt goes on, but the answer to it says nothing of the receiver that
 * the owner has mended since. A token never contains the mark. [DELIV-4]
 */
export const ofEarlierEnabling = (lease: string): string =>
  lease.endsWith(earlierMark) ? lease : `${lease}${earlierMark}`

const unheard = ({ failingSince }: CurrentWebhook) => ({ disabledReason: null, failingSince })

const outcomes = { pending: "retried", delivered: "delivered", dead: "dead" } as const

/**
 * Takes the attempts in order. Each that is of a known delivery is logged. A success counts as long as the delivery is
 * pending, whoever holds it; a failure only under the lease that stands, since another may be trying already. What is heard
 * from a URL that the webhook does not have any more, or by an attempt begun before it was enabled again, says nothing of the
 * webhook. [DELIV-3, DELIV-4]
 */
export const settleAll = (
  known: {
    readonly deliveries: ReadonlyArray<CurrentDelivery>
    readonly webhooks: ReadonlyArray<CurrentWebhook>
  },
  attempts: ReadonlyArray<FinishedAttempt>,
  now: Instant
): Changes => {
  const deliveries = new Map(known.deliveries.map((delivery) => [delivery.id, delivery]))
  const webhooks = new Map(known.webhooks.map((webhook) => [webhook.id, webhook]))
  const changedWebhooks = new Set<WebhookId>()
  const log: Array<Attempt & { readonly deliveryId: DeliveryId }> = []
  const recorded = attempts.map(
    ({ at, deliveryId, durationMillis, result, settle, token, url }): Recorded => {
      const before = deliveries.get(deliveryId)
      if (before === undefined) return { deliveryId, outcome: "ignored", disabled: null }
      const logged = { ...before, attempts: before.attempts + 1 }
      deliveries.set(deliveryId, logged)
      const { error, response, status } = result
      log.push({ deliveryId, number: logged.attempts, at, durationMillis, status, error, response })

      const webhook = webhooks.get(before.webhookId)!
      const settlement = settle({ failures: before.failures, webhook }, now)
      const isOfEarlier = before.lease === ofEarlierEnabling(token)
      const counts = before.lease === token || isOfEarlier || settlement.delivery.state === "delivered"
      if (before.state !== "pending" || !counts) return { deliveryId, outcome: "ignored", disabled: null }

      deliveries.set(deliveryId, settled(logged, settlement, now))
      const isHeard = webhook.url === url && !isOfEarlier
      const { disabledReason, failingSince } = isHeard ? settlement : unheard(webhook)
      if (disabledReason !== null || failingSince !== webhook.failingSince) {
        const enabled = webhook.enabled && disabledReason === null
        webhooks.set(webhook.id, {
          id: webhook.id,
          url: webhook.url,
          enabled,
          disabledReason: disabledReason ?? webhook.disabledReason,
          failingSince
        })
        changedWebhooks.add(webhook.id)
      }
      return {
        deliveryId,
        outcome: outcomes[settlement.delivery.state],
        disabled: disabledReason === null ? null : webhook.id
      }
    }
  )
  return {
    deliveries: [...deliveries.values()],
    webhooks: [...changedWebhooks].map((id) => webhooks.get(id)!),
    log,
    recorded
  }
}
