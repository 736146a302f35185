/**
 * How many deliveries of each webhook may be taken at once, so that a slow or dead one delays no other. [DELIV-7]
 */
import type { Instant } from "../model/Instant.ts"
import type { WebhookId } from "../model/Webhook.ts"

/** How many attempts may be under way at once. */
export interface Limits {
  readonly total: number
  /** So many of all are kept for webhooks that have none under way. */
  readonly reserved: number
  readonly perWebhook: number
  /** All webhooks together whose last attempt failed. */
  readonly failingTotal: number
  /** One such webhook: enough to see that it is well again. */
  readonly perFailingWebhook: number
}

export const defaultLimits: Limits = {
  total: 256,
  reserved: 64,
  perWebhook: 32,
  failingTotal: 128,
  perFailingWebhook: 2
}

/** The attempts under way, by webhook. */
export interface UnderWay {
  readonly total: number
  readonly failingTotal: number
  readonly byWebhook: ReadonlyMap<WebhookId, number>
}

/** A webhook with something due. */
export interface Candidate {
  readonly webhookId: WebhookId
  readonly failingSince: Instant | null
  /** Of its oldest due delivery. */
  readonly dueAt: Instant
}

/** What is left of the limits while places are dealt out. */
class Free {
  private readonly limits: Limits
  private readonly underWay: UnderWay
  private total: number
  private failing: number

  constructor(limits: Limits, underWay: UnderWay) {
    this.limits = limits
    this.underWay = underWay
    this.total = limits.total - underWay.total
    this.failing = limits.failingTotal - underWay.failingTotal
  }

  underWayOf(webhookId: WebhookId): number {
    return this.underWay.byWebhook.get(webhookId) ?? 0
  }

  /** Whether the webhook may have one more than the `has` that it has. */
  allows({ failingSince }: Pick<Candidate, "failingSince">, has: number): boolean {
    const { perFailingWebhook, perWebhook, reserved } = this.limits
    const own = failingSince === null ? perWebhook : perFailingWebhook
    return has < own && this.total > (has === 0 ? 0 : reserved) && (failingSince === null || this.failing > 0)
  }

  take({ failingSince }: Pick<Candidate, "failingSince">): void {
    this.total--
    if (failingSince !== null) this.failing--
  }
}

/** Whether the webhook could be given anything now. */
export const hasPlace = (
  candidate: Pick<Candidate, "webhookId" | "failingSince">,
  limits: Limits,
  underWay: UnderWay
): boolean => {
  const free = new Free(limits, underWay)
  return free.allows(candidate, free.underWayOf(candidate.webhookId))
}

/**
 * Deals the free places out one by one: to who has the fewest attempts under way, among these to who has waited longest.
 * `due` says how many deliveries a webhook has due. No place is left free that one could use. The shares are in the order
 * in which the first place was given.
 */
export const allocate = (
  candidates: ReadonlyArray<Candidate & { readonly due: number }>,
  limits: Limits,
  underWay: UnderWay
): ReadonlyMap<WebhookId, number> => {
  const shares = new Map<WebhookId, number>()
  const free = new Free(limits, underWay)
  const queue = [...candidates].sort((a, b) => a.dueAt - b.dueAt)
  for (let level = 0; level < Math.max(limits.perWebhook, limits.perFailingWebhook); level++) {
    for (const candidate of queue) {
      const { due, webhookId } = candidate
      const dealt = shares.get(webhookId) ?? 0
      const has = free.underWayOf(webhookId) + dealt
      if (has !== level || dealt >= due || !free.allows(candidate, has)) continue
      free.take(candidate)
      shares.set(webhookId, dealt + 1)
    }
  }
  return shares
}

/**
 * The webhooks that `allocate` can give anything to, whatever they have due: a store need not look at the others. With one
 * due delivery each, they are those that are given a place.
 */
export const eligible = <A extends Candidate>(
  candidates: ReadonlyArray<A>,
  limits: Limits,
  underWay: UnderWay
): ReadonlyArray<A> => {
  const shares = allocate(
    candidates.map((candidate) => ({ ...candidate, due: 1 })),
    limits,
    underWay
  )
  return candidates.filter(({ webhookId }) => shares.has(webhookId))
}
