/**
 * How many deliveries of each webhook can be leased at once, so that a slow or dead webhook delays no other. A slot is the right to have one
 * post leased, with one delivery or one batch. [DELIV-7]
 */
import type { Instant } from "../model/Instant.ts"
import type { WebhookId } from "../model/Webhook.ts"

/** The maximum numbers of attempts that are under way at once. */
export interface Limits {
  /** The maximum of all webhooks together. */
  readonly total: number
  /** Slots of the total that only a webhook without an attempt under way can take. */
  readonly reserved: number
  /** The maximum of one webhook whose last attempt did not fail. */
  readonly perWebhook: number
  /** The maximum of all webhooks together whose last attempt failed. */
  readonly failingTotal: number
  /** The maximum of one webhook whose last attempt failed: enough to notice that it works again. */
  readonly perFailingWebhook: number
}

/** The default limits of an emitter: 256 attempts at once, 32 of them for one webhook. */
export const defaultLimits: Limits = {
  total: 256,
  reserved: 64,
  perWebhook: 32,
  failingTotal: 128,
  perFailingWebhook: 2
}

/** The slots that are taken. */
export interface UnderWay {
  /** How many attempts this process has under way. */
  readonly total: number
  /** How many of them are of a webhook whose last attempt failed. */
  readonly failingTotal: number
  /** How many each webhook has; a webhook without any can be left out. */
  readonly byWebhook: ReadonlyMap<WebhookId, number>
  /**
   * Webhooks that answer fast. While fewer than half of all slots are taken, each can have up to three times `perWebhook` deliveries leased: the
   * emitter posts `perWebhook` at once, and each further one as soon as another ends, without waiting for a lease. Absent: none. A store may
   * disregard it. [DELIV-7]
   */
  readonly fast?: ReadonlySet<WebhookId>
}

/** A webhook that answers fast can have this many times `perWebhook` slots. */
const fastFactor = 3

/** The maximum number of slots of a webhook that does not fail, whatever else is under way. */
export const maxSlotsOf = (webhookId: WebhookId, { perWebhook }: Limits, { fast }: UnderWay): number =>
  fast?.has(webhookId) === true ? fastFactor * perWebhook : perWebhook

/** A webhook with something due. */
export interface Candidate {
  /** The webhook that the slots are for. */
  readonly webhookId: WebhookId
  /** When its failures began; null when its last attempt did not fail. */
  readonly failingSince: Instant | null
  /** When the oldest of its due deliveries was due. */
  readonly dueAt: Instant
}

/** The free slots while `allocate` hands them out. */
class FreeSlots {
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

  /** Whether the webhook, which has `has` slots, can take one more. */
  allows({ failingSince, webhookId }: Pick<Candidate, "webhookId" | "failingSince">, has: number): boolean {
    const { perFailingWebhook, perWebhook, reserved, total } = this.limits
    const most = this.total > total / 2 ? maxSlotsOf(webhookId, this.limits, this.underWay) : perWebhook
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

/** Whether the limits leave the webhook a slot for one more attempt now. [DELIV-7] */
export const hasFreeSlot = (
  candidate: Pick<Candidate, "webhookId" | "failingSince">,
  limits: Limits,
  underWay: UnderWay
): boolean => {
  const free = new FreeSlots(limits, underWay)
  return free.allows(candidate, free.underWayOf(candidate.webhookId))
}

/**
 * How many posts of each webhook to lease now. It hands the free slots out one by one: to the webhook with the fewest attempts under way, and
 * among these to the one that has waited longest. `due` is how many posts of a webhook are due, deliveries or batches. No slot stays free that a
 * webhook could use. Webhooks without a slot are left out; the others come in the order in which each got its first slot. [DELIV-7]
 */
export const allocate = (
  candidates: ReadonlyArray<Candidate & { readonly due: number }>,
  limits: Limits,
  underWay: UnderWay
): ReadonlyMap<WebhookId, number> => {
  const shares = new Map<WebhookId, number>()
  const free = new FreeSlots(limits, underWay)
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
 * The webhooks to which `allocate` can give a slot, however much each has due: a store need not read the deliveries of the others. [DELIV-7]
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

/**
 * The token of a lease: the request's token, which has no full stop. In a batch it is followed by a full stop and the batch's number, so that the
 * leases of one post have one token. `batch` is null where the webhook takes no batches. [DELIV-7]
 */
export const leaseToken = (token: string, batch: number | null): string =>
  batch === null ? token : `${token}.${batch}`
