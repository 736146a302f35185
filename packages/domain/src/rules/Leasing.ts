/**
 * How many deliveries of each webhook may be taken at once, so that a slow or dead one delays no other. [DELIV-7]
 */
import type { Instant } from "../model/Instant.ts"
import type { WebhookId } from "../model/Webhook.ts"

/** How many attempts may be under way at once. */
export interface Limits {
  readonly total: number
  readonly perWebhook: number
  /** All webhooks together whose last attempt failed: they can never take every place. */
  readonly failingTotal: number
  /** One such webhook: enough to see that it is well again. */
  readonly perFailingWebhook: number
}

export const defaultLimits: Limits = { total: 256, perWebhook: 32, failingTotal: 128, perFailingWebhook: 2 }

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

/** The most that the webhook could be given now. */
export const places = (
  { failingSince, webhookId }: Omit<Candidate, "dueAt">,
  limits: Limits,
  underWay: UnderWay
): number => {
  const own = failingSince === null ? limits.perWebhook : limits.perFailingWebhook
  const all = limits.total - underWay.total
  const failing = failingSince === null ? all : limits.failingTotal - underWay.failingTotal
  return Math.max(0, Math.min(own - (underWay.byWebhook.get(webhookId) ?? 0), all, failing))
}

/**
 * Deals the free places out, one to each webhook in turn, the one that has waited longest first. `due` says how many a
 * webhook has due, at most `places` of them. Never more than any limit, and no place is left free that one could use.
 */
export const share = (
  candidates: ReadonlyArray<Candidate & { readonly due: number }>,
  limits: Limits,
  underWay: UnderWay
): ReadonlyMap<WebhookId, number> => {
  const shares = new Map<WebhookId, number>()
  const queue = [...candidates]
    .sort((a, b) => a.dueAt - b.dueAt)
    .map((candidate) => ({ candidate, most: Math.min(candidate.due, places(candidate, limits, underWay)) }))
  let free = limits.total - underWay.total
  let freeOfFailing = limits.failingTotal - underWay.failingTotal
  for (let dealt = true; dealt;) {
    dealt = false
    for (const { candidate, most } of queue) {
      const { failingSince, webhookId } = candidate
      const has = shares.get(webhookId) ?? 0
      if (has >= most || free <= 0 || (failingSince !== null && freeOfFailing <= 0)) continue
      shares.set(webhookId, has + 1)
      free--
      if (failingSince !== null) freeOfFailing--
      dealt = true
    }
  }
  return shares
}
