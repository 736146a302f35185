/** The places of a lease: whether each webhook gets all that the limits leave it, and no more, by the specification alone. [DELIV-7] */
import type { DeliverySlots } from "@lead-signals/domain"
import { leftToGo } from "./OutboxBatches.ts"
import { type KnownDelivery, type OutboxWebhook, pendingOf, waits } from "./OutboxRecords.ts"

/** A request for leases, and what was leased for it. */
export interface GivenPlaces {
  /** The limits of the emitter. */
  readonly limits: DeliverySlots.Limits
  /** The emitter's attempts under way at the request. */
  readonly underWay: DeliverySlots.UnderWay
  /** The posts that were leased. */
  readonly given: number
  /** Those of them to webhooks whose last attempt failed. */
  readonly givenToFailing: number
  /** Those of them to the webhook. */
  readonly givenToWebhook: number
}

/** Whether the webhook's deliveries go one by one. */
const isPlain = ({ sending: { maxBatch } }: OutboxWebhook): boolean => maxBatch === 1

/** Whether the limits leave a place for another post to the webhook. The reserved places are for webhooks without any. */
export const hasPlace = (
  { failingSince, id }: OutboxWebhook,
  { given, givenToFailing, givenToWebhook, limits, underWay }: GivenPlaces
): boolean => {
  const has = (underWay.byWebhook.get(id) ?? 0) + givenToWebhook
  const own = failingSince === null ? limits.perWebhook : limits.perFailingWebhook
  return (
    has < own &&
    underWay.total + given < limits.total - (has === 0 ? 0 : limits.reserved) &&
    (failingSince === null || underWay.failingTotal + givenToFailing < limits.failingTotal)
  )
}

/** How many times its places a webhook that answers fast can have leased. */
const timesAhead = 3

/**
 * Whether the webhook answers fast, and fewer than half of all places were taken before the last one was given. Whoever has fewest is given the
 * next one, so that a place ahead comes after all those that are not.
 */
const isLeasedAhead = (id: string, { given, limits, underWay }: GivenPlaces): boolean =>
  underWay.fast?.has(id) === true && underWay.total + given - 1 < limits.total / 2

/**
 * Why the webhook got more places than the limits leave it; null where it did not. The places of a request are dealt out one by one, those to
 * webhooks without any first: another one may not be of the reserved.
 */
export const tooManyPlaces = ({ failingSince, id }: OutboxWebhook, places: GivenPlaces): string | null => {
  const { given, givenToFailing, givenToWebhook, limits, underWay } = places
  const has = (underWay.byWebhook.get(id) ?? 0) + givenToWebhook
  const own =
    failingSince !== null
      ? limits.perFailingWebhook
      : isLeasedAhead(id, places)
        ? timesAhead * limits.perWebhook
        : limits.perWebhook
  if (has > own) return `webhook ${id} has ${has} places of ${own}`
  const total = has > 1 ? limits.total - limits.reserved : limits.total
  if (underWay.total + given > total) return `webhooks have ${underWay.total + given} places of ${total}`
  const failing = underWay.failingTotal + givenToFailing
  return failingSince !== null && failing > limits.failingTotal
    ? `failing webhooks have ${failing} places of ${limits.failingTotal}`
    : null
}

/**
 * A delivery of the webhook that was due and waits for no earlier one of its lead, nor for others to fill a batch, and was left though there was
 * a place for it; undefined where there is none. [DELIV-7, ORD-2, BATCH-2]
 */
export const leftWithoutPlace = (
  webhook: OutboxWebhook,
  places: GivenPlaces,
  now: number
): KnownDelivery | undefined => {
  if (!webhook.enabled || !hasPlace(webhook, places)) return undefined
  const pending = pendingOf(webhook)
  if (isPlain(webhook)) return pending.find((delivery) => delivery.due!.to <= now && !waits(delivery))
  return places.givenToWebhook === 0 ? leftToGo(webhook, pending, now) : undefined
}
