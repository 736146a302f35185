/**
 * How many deliveries of each webhook may be taken at once, so that a slow or dead one delays no other. [DELIV-7]
 */
import type { Instant } from "../model/Instant.ts"
import type { WebhookId } from "../model/Webhook.ts"

/** How many attempts may be under way at once. */
export interface Limits {
  /** All webhooks together. */
  readonly total: number
  /** Places of the total that only webhooks without an attempt under way may take. */
  readonly reserved: number
  /** One webhook whose last attempt did not fail. */
  readonly perWebhook: number
  /** All webhooks together whose last attempt failed. */
  readonly failingTotal: number
  /** One webhook whose last attempt failed: enough to see that it is well again. */
  readonly perFailingWebhook: number
}

/**
 * The token of a delivery's lease: that of the request, which has no full stop; in a batch followed by a full stop and the batch's number, so
 * that leases of one post have one token. Null: the webhook takes no batches. [DELIV-7]
 */
export const leaseToken = (token: string, batch: number | null): string =>
  batch === null ? token : `${token}.${batch}`

/** The limits of an emitter that is given none: 256 attempts at once, 32 of them for one webhook. */
export const defaultLimits: Limits = {
  total: 256,
  reserved: 64,
  perWebhook: 32,
  failingTotal: 128,
  perFailingWebhook: 2
}

/** The attempts under way, by webhook. */
export interface UnderWay {
  /** Attempts that this process has under way. */
  readonly total: number
  /** Those of them whose webhook's last attempt failed. */
  readonly failingTotal: number
  /** How many each webhook has; a webhook without any may be left out. */
  readonly byWebhook: ReadonlyMap<WebhookId, number>
  /**
   * Webhooks that answer fast. While fewer than half of all places are taken, each may have up to three times `perWebhook`: the emitter posts `perWebhook`
   * at once, and the others as soon as one ends, without waiting for a lease. Absent: none. A store may disregard it. [DELIV-7]
   */
  readonly fast?: ReadonlySet<WebhookId>
}

/** A webhook that answers fast may have this many times `perWebhook` deliveries leased. */
const fastFactor = 3

/** The most posts of a webhook that does not fail which can have a place at once, whatever else is under way. */
export const maxPlacesOf = (webhookId: WebhookId, { perWebhook }: Limits, { fast }: UnderWay): number =>
  fast?.has(webhookId) === true ? fastFactor * perWebhook : perWebhook

/** A webhook with something due. */
export interface Candidate {
  /** The webhook that the places are for. */
  readonly webhookId: WebhookId
  /** When its failures began; null when its last attempt did not fail. */
  readonly failingSince: Instant | null
  /** When the oldest of its due deliveries was due. */
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
  allows({ failingSince, webhookId }: Pick<Candidate, "webhookId" | "failingSince">, has: number): boolean {
    const { perFailingWebhook, perWebhook, reserved, total } = this.limits
    const most = this.total > total / 2 ? maxPlacesOf(webhookId, this.limits, this.underWay) : perWebhook
    return (
      has < (failingSince === null ? most : perFailingWebhook) &&
      this.total > (has === 0 ? 0 : reserved) &&
      (failingSince === null || this.failing > 0)
    )
  }

  take({ failingSince }: Pick<Candidate, "failingSince">): void {
    this.total--
    if (failingSince !== null) this.failing--
  }
}

/** Whether the limits leave the webhook a place for one more attempt now. [DELIV-7] */
export const hasPlace = (
  candidate: Pick<Candidate, "webhookId" | "failingSince">,
  limits: Limits,
  underWay: UnderWay
): boolean => {
  const free = new Free(limits, underWay)
  return free.allows(candidate, free.underWayOf(candidate.webhookId))
}

/**
 * How many posts of each webhook to lease now. It deals out the free places one by one: to the webhook with the
 * fewest attempts under way, among these to the one that has waited longest. `due` says how many posts a webhook
 * has due, deliveries or batches. It leaves no place free that a webhook could use. The answer is in the order of first places; webhooks
 * without a place are left out. [DELIV-7]
 */
export const allocate = (
  candidates: ReadonlyArray<Candidate & { readonly due: number }>,
  limits: Limits,
  underWay: UnderWay
): ReadonlyMap<WebhookId, number> => {
  const shares = new Map<WebhookId, number>()
  const free = new Free(limits, underWay)
  const queue = [...candidates].sort((a, b) => a.dueAt - b.dueAt)
  for (let level = 0; level < Math.max(fastFactor * limits.perWebhook, limits.perFailingWebhook); level++) {
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
 * The webhooks to which `allocate` can give a place, whatever they have due: a store need not look at the others.
 * [DELIV-7]
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
