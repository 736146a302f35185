/**
 * The changes that finished attempts make to deliveries and webhooks, as a plain function: a store reads the current state,
 * calls `settleAll`, and writes the changes, all in one transaction. [DELIV-2, DELIV-3, DELIV-5]
 */
import type { Attempt, AttemptResult, DeliveryId, DeliveryState, PostedAs } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { LeadId } from "../model/Lead.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import { deadlineOf } from "./LeadOrder.ts"
import type { AttemptedDelivery, AttemptTransition } from "./Retries.ts"

/** One attempt of one delivery that has ended. Each delivery of a batch has an attempt of its own. [BATCH-3] */
export interface FinishedAttempt {
  /** The delivery that was attempted. */
  readonly deliveryId: DeliveryId
  /** The token of the lease under which the attempt was made. */
  readonly token: string
  /** The URL of the post; the webhook may have another URL by now. */
  readonly url: string
  /** When the attempt began. */
  readonly at: Instant
  /** How long it took, in milliseconds, at least 0. */
  readonly durationMillis: number
  /** The form of the post; absent for an envelope that was posted alone. */
  readonly postedAs?: PostedAs
  /** The receiver's answer, or why there was none. */
  readonly result: AttemptResult
  /**
   * Decides what the attempt leads to, from the state when the store records it: `Retries.settle` with the result, the
   * random number and the schedule filled in. It must be a plain function, because a transaction may be tried again.
   */
  readonly settle: (known: AttemptedDelivery, now: Instant) => AttemptTransition
}

/** The outcome of recording an attempt. */
export interface Recorded {
  /** The delivery that was attempted. */
  readonly deliveryId: DeliveryId
  /**
   * `delivered`; `retried`: it will be attempted again; `dead`: it was the last attempt; `ignored`: the delivery is
   * gone, had ended before, or another process has leased it.
   */
  readonly outcome: "delivered" | "retried" | "dead" | "ignored"
  /** The webhook when this attempt disabled it; null otherwise. */
  readonly disabled: WebhookId | null
}

/** The fields of a delivery that recording an attempt reads and changes. */
export interface CurrentDelivery {
  /** The id under which it was leased. */
  readonly id: DeliveryId
  /** The webhook that it goes to. */
  readonly webhookId: WebhookId
  /** Only a pending delivery can still change. */
  readonly state: DeliveryState
  /** Attempts made, those of earlier leases included. */
  readonly attempts: number
  /** Failed attempts, which choose the next delay of the schedule; 0 again after the webhook is enabled. */
  readonly failures: number
  /** When the first of those attempts failed; null without any. [ORD-4] */
  readonly failingSince: Instant | null
  /** The lead whose order the delivery keeps; null where it keeps none. [ORD-2] */
  readonly orderedLead: LeadId | null
  /**
   * The token of the newest lease, marked by `ofEarlierEnabling` when the webhook was enabled since; null without a
   * lease.
   */
  readonly lease: string | null
  /** When it is due, or when its lease ends; null once it is delivered or dead. */
  readonly dueAt: Instant | null
  /** When it was delivered or died; null while it is pending. */
  readonly finishedAt: Instant | null
}

/** The fields of a webhook that recording an attempt reads and changes. */
export type CurrentWebhook = Pick<
  Webhook,
  "id" | "url" | "enabled" | "disabledReason" | "failingSince" | "ordering" | "maxDelay"
>

/** What a store writes after `settleAll`, in the transaction in which it read the current state. */
export interface Changes {
  /** Every delivery that the store read, changed or not, in its new state. */
  readonly deliveries: ReadonlyArray<CurrentDelivery>
  /** The webhooks whose state changed, and only those. */
  readonly webhooks: ReadonlyArray<CurrentWebhook>
  /**
   * The deliveries with an `orderedLead` that ended by these attempts. After each, the store makes the next delivery of the same webhook and
   * `orderedLead` due at `LeadOrder.releasedDueAt`, where one waits. [ORD-2]
   */
  readonly endedInOrder: ReadonlyArray<CurrentDelivery>
  /**
   * The lines to append to the log of attempts. They have no response to a batch with a delivery that the store no longer has: an erasure may have
   * removed it, or given it another id, while the attempt was under way. [PII-3, BATCH-3]
   */
  readonly log: ReadonlyArray<Attempt & { readonly deliveryId: DeliveryId }>
  /** The outcome of each attempt, in the order in which the attempts were given. */
  readonly recorded: ReadonlyArray<Recorded>
}

/** The delivery after its attempt. */
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

/** Ends the token of a lease that began before its webhook was enabled again. */
const earlierMark = "~"

/**
 * Marks the lease of an attempt that is under way when its webhook is enabled again. The attempt goes on, but its result
 * must not count against the webhook, whose receiver the owner may have repaired since. A marked lease stays as it is. A
 * token never contains the mark, `~`. [DELIV-4]
 */
export const ofEarlierEnabling = (lease: string): string =>
  lease.endsWith(earlierMark) ? lease : `${lease}${earlierMark}`

const aloneAsEnvelope: PostedAs = { batchId: null, format: "envelope" }

const outcomes = { pending: "retried", delivered: "delivered", dead: "dead" } as const

/** The webhook after a transition; null when the transition leaves it as it is. */
const changedWebhook = (
  webhook: CurrentWebhook,
  { disabledReason, failingSince }: AttemptTransition
): CurrentWebhook | null =>
  disabledReason === null && failingSince === webhook.failingSince
    ? null
    : {
        id: webhook.id,
        url: webhook.url,
        ordering: webhook.ordering,
        maxDelay: webhook.maxDelay,
        enabled: webhook.enabled && disabledReason === null,
        disabledReason: disabledReason ?? webhook.disabledReason,
        failingSince
      }

/** The state of the store while attempts are settled one after the other: each sees the changes of those before it. */
class WorkingState {
  readonly deliveries: Map<DeliveryId, CurrentDelivery>
  readonly log: Array<Attempt & { readonly deliveryId: DeliveryId }> = []
  private readonly webhooks: Map<WebhookId, CurrentWebhook>
  private readonly changedIds = new Set<WebhookId>()
  private readonly now: Instant

  constructor(
    deliveries: ReadonlyArray<CurrentDelivery>,
    webhooks: ReadonlyArray<CurrentWebhook>,
    now: Instant
  ) {
    this.deliveries = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
    this.webhooks = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
    this.now = now
  }

  get changedWebhooks(): ReadonlyArray<CurrentWebhook> {
    return [...this.changedIds].map((id) => this.webhooks.get(id)!)
  }

  settle(attempt: FinishedAttempt): Recorded {
    const { deliveryId, token, url } = attempt
    const before = this.deliveries.get(deliveryId)
    if (before === undefined) return { deliveryId, outcome: "ignored", disabled: null }
    const logged = this.logAttempt(before, attempt)
    const webhook = this.webhooks.get(before.webhookId)!
    const deadline = deadlineOf(webhook, before, this.now)
    const transition = attempt.settle({ failures: before.failures, deadline, webhook }, this.now)
    const isOfEarlier = before.lease === ofEarlierEnabling(token)
    const counts = before.lease === token || isOfEarlier || transition.delivery.state === "delivered"
    if (before.state !== "pending" || !counts) return { deliveryId, outcome: "ignored", disabled: null }

    this.deliveries.set(deliveryId, settled(logged, transition, this.now))
    const countsForWebhook = webhook.url === url && !isOfEarlier
    const changed = countsForWebhook ? changedWebhook(webhook, transition) : null
    if (changed !== null) {
      this.webhooks.set(webhook.id, changed)
      this.changedIds.add(webhook.id)
    }
    const isDisabled = countsForWebhook && transition.disabledReason !== null
    return {
      deliveryId,
      outcome: outcomes[transition.delivery.state],
      disabled: isDisabled ? webhook.id : null
    }
  }

  /** Counts the attempt and appends it to the log. */
  private logAttempt(
    before: CurrentDelivery,
    { at, durationMillis, postedAs = aloneAsEnvelope, result }: FinishedAttempt
  ): CurrentDelivery {
    const logged = { ...before, attempts: before.attempts + 1 }
    const { error, response, status } = result
    this.deliveries.set(before.id, logged)
    this.log.push({
      deliveryId: before.id,
      number: logged.attempts,
      at,
      durationMillis,
      ...postedAs,
      status,
      error,
      response
    })
    return logged
  }
}

/** The batches with an attempt of a delivery that the store does not have. */
const batchesWithUnknown = (
  known: ReadonlyMap<DeliveryId, unknown>,
  attempts: ReadonlyArray<FinishedAttempt>
): ReadonlySet<string> =>
  new Set(
    attempts.flatMap(({ deliveryId, postedAs }) => (known.has(deliveryId) ? [] : (postedAs?.batchId ?? [])))
  )

/**
 * Settles attempts in order, and answers what a store must write. It logs each attempt of a known delivery. A success
 * counts while the delivery is pending, under whatever lease; a failure counts only under the newest lease, because another
 * process may have leased the delivery since. An attempt that went to an earlier URL of the webhook, or that began before
 * the webhook was enabled again, does not change the webhook. The attempts of one batch must be given together. [DELIV-3, DELIV-4]
 */
export const settleAll = (
  known: {
    readonly deliveries: ReadonlyArray<CurrentDelivery>
    readonly webhooks: ReadonlyArray<CurrentWebhook>
  },
  attempts: ReadonlyArray<FinishedAttempt>,
  now: Instant
): Changes => {
  const state = new WorkingState(known.deliveries, known.webhooks, now)
  const recorded = attempts.map((attempt) => state.settle(attempt))
  const { deliveries } = state
  const withoutResponse = batchesWithUnknown(deliveries, attempts)
  return {
    deliveries: [...deliveries.values()],
    endedInOrder: known.deliveries.filter(
      ({ id, orderedLead, state }) =>
        orderedLead !== null && state === "pending" && deliveries.get(id)!.state !== "pending"
    ),
    webhooks: state.changedWebhooks,
    log: state.log.map((line) =>
      line.batchId !== null && withoutResponse.has(line.batchId) ? { ...line, response: null } : line
    ),
    recorded
  }
}
