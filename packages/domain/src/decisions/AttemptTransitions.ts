/**
 * The changes that finished attempts make, as a plain function: a store reads the current state of their deliveries, and
 * writes the changes. [DELIV-2, DELIV-3, DELIV-5]
 */
import type { Attempt, AttemptResult, DeliveryId, DeliveryState, PostedAs } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import { deadlineOf } from "./LeadOrder.ts"
import type { AttemptedDelivery, AttemptTransition } from "./Retries.ts"

/** An attempt that was made. Each delivery of a batch has its own. [BATCH-3] */
export interface FinishedAttempt {
  /** The delivery that was attempted. */
  readonly deliveryId: DeliveryId
  /** The token of the lease under which the attempt was made. */
  readonly token: string
  /** The URL that was posted to; the webhook may have another by now. */
  readonly url: string
  /** When the attempt began. */
  readonly at: Instant
  /** How long it took, in milliseconds, at least 0. */
  readonly durationMillis: number
  /** How it was posted; alone and as an envelope when absent. */
  readonly postedAs?: PostedAs
  /** The receiver's answer, or why there was none. */
  readonly result: AttemptResult
  /**
   * The transition that follows, worked out from what the store knows when it records the attempt: `Retries.settle`,
   * with the result, the draw and the schedule given beforehand. It must be a plain function, because a transaction
   * may be tried again.
   */
  readonly settle: (known: AttemptedDelivery, now: Instant) => AttemptTransition
}

/** The outcome of recording an attempt. */
export interface Recorded {
  /** The delivery that was attempted. */
  readonly deliveryId: DeliveryId
  /**
   * `delivered`, or `retried` later, or `dead` after the last attempt. `ignored`: the delivery is gone, or was
   * settled or taken over by another before.
   */
  readonly outcome: "delivered" | "retried" | "dead" | "ignored"
  /** The webhook when this attempt disabled it; null otherwise. */
  readonly disabled: WebhookId | null
}

/** A delivery as far as recording an attempt reads and changes it. */
export interface CurrentDelivery {
  /** The id under which it was leased. */
  readonly id: DeliveryId
  /** The webhook that it goes to. */
  readonly webhookId: WebhookId
  /** Only a pending delivery can still change. */
  readonly state: DeliveryState
  /** Attempts made, those of earlier leases included. */
  readonly attempts: number
  /** Failed attempts in a row, from which the next delay follows; 0 again after the webhook is enabled. */
  readonly failures: number
  /** When the first of those attempts failed; null without any. [ORD-4] */
  readonly failingSince: Instant | null
  /** The lead among whose deliveries it keeps its place; null where it keeps none. [ORD-2] */
  readonly orderedLead: LeadId | null
  /**
   * The token of the lease that stands, marked by `ofEarlierEnabling` when the webhook was enabled since; null when
   * none does.
   */
  readonly lease: string | null
  /** When it is due, or until when the lease stands; null once it is delivered or dead. */
  readonly dueAt: Instant | null
  /** When it was delivered or died; null while it is pending. */
  readonly finishedAt: Instant | null
}

/** A webhook as far as recording an attempt reads and changes it. */
export type CurrentWebhook = Pick<
  Webhook,
  "id" | "url" | "enabled" | "disabledReason" | "failingSince" | "ordering" | "maxDelay"
>

/** The rows that a store writes after `settleAll`, in the transaction in which it read what was known. */
export interface Changes {
  /** Every known delivery, changed or not, in its new state. */
  readonly deliveries: ReadonlyArray<CurrentDelivery>
  /** The webhooks whose state changed, and only those. */
  readonly webhooks: ReadonlyArray<CurrentWebhook>
  /**
   * The deliveries of an ordered lead that ended: of each the next one with its webhook and `orderedLead`, if it waits, becomes due at
   * `LeadOrder.releasedDueAt`. [ORD-2]
   */
  readonly endedInOrder: ReadonlyArray<CurrentDelivery>
  /** The lines to append to the log of attempts. */
  readonly log: ReadonlyArray<Attempt & { readonly deliveryId: DeliveryId }>
  /** The outcome of each attempt, in the order in which the attempts were given. */
  readonly recorded: ReadonlyArray<Recorded>
}

const settled = (before: CurrentDelivery, { delivery }: AttemptTransition, now: Instant): CurrentDelivery =>
  delivery.state === "pending"
    ? {
        ...before,
        lease: null,
        failures: delivery.failures,
        failingSince:
          delivery.failures > before.failures ? (before.failingSince ?? now) : before.failingSince,
        dueAt: delivery.dueAt
      }
    : { ...before, lease: null, state: delivery.state, dueAt: null, finishedAt: now }

const earlierMark = "~"

/**
 * Marks the lease of an attempt that is under way while its webhook is enabled. The attempt goes on, but its answer
 * says nothing about the receiver that the owner has repaired since. A marked lease stays as it is. A token never
 * contains the mark, `~`. [DELIV-4]
 */
export const ofEarlierEnabling = (lease: string): string =>
  lease.endsWith(earlierMark) ? lease : `${lease}${earlierMark}`

const unheard = ({ failingSince }: CurrentWebhook) => ({ disabledReason: null, failingSince })

const aloneAsEnvelope: PostedAs = { batchId: null, format: "envelope" }

const outcomes = { pending: "retried", delivered: "delivered", dead: "dead" } as const

/**
 * Settles attempts in order, and answers what a store must write. It logs each attempt of a known delivery. A success
 * counts while the delivery is pending, under whatever lease; a failure counts only under the lease that stands,
 * because another process may have taken the delivery. An attempt that went to an earlier URL of the webhook, or that
 * began before the webhook was enabled again, does not change the webhook. [DELIV-3, DELIV-4]
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
    ({
      at,
      deliveryId,
      durationMillis,
      postedAs = aloneAsEnvelope,
      result,
      settle,
      token,
      url
    }): Recorded => {
      const before = deliveries.get(deliveryId)
      if (before === undefined) return { deliveryId, outcome: "ignored", disabled: null }
      const logged = { ...before, attempts: before.attempts + 1 }
      deliveries.set(deliveryId, logged)
      const { error, response, status } = result
      const number = logged.attempts
      log.push({ deliveryId, number, at, durationMillis, ...postedAs, status, error, response })

      const webhook = webhooks.get(before.webhookId)!
      const deadline = deadlineOf(webhook, before, now)
      const settlement = settle({ failures: before.failures, deadline, webhook }, now)
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
          ordering: webhook.ordering,
          maxDelay: webhook.maxDelay,
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
    endedInOrder: known.deliveries.filter(
      ({ id, orderedLead, state }) =>
        orderedLead !== null && state === "pending" && deliveries.get(id)!.state !== "pending"
    ),
    webhooks: [...changedWebhooks].map((id) => webhooks.get(id)!),
    log,
    recorded
  }
}
