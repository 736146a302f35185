/** Compares the leases of a store in a history with those of the reference. */
import type { BodyMaterial, DeliveryId, Lease } from "@lead-signals/domain"
import { assertEqual, assertThat } from "./Assertions.ts"
import type { ReferenceDeliveries, ReferenceDelivery } from "./reference/ReferenceDeliveries.ts"

/** The part of a `DeliveryWorld` that the checks use. */
interface Checked {
  readonly reference: ReferenceDeliveries
  /** Each body that was leased, by the delivery's id. */
  readonly bodies: Map<DeliveryId, string>
  readonly situations: Set<string>
}

/** Names the delivery in messages. */
export const nameOf = ({ engagementId, event }: ReferenceDelivery): string =>
  engagementId === null ? event : `${event} of ${engagementId}`

/** Renders a body in histories: the ids of its material, as JSON. */
export const bodyOf = ({ deliveryId, engagements, lead, subject }: BodyMaterial): string =>
  JSON.stringify({
    deliveryId,
    event: subject?.event ?? "webhook.test",
    lead: lead?.extId ?? null,
    engagements: engagements.map((read) => read.engagement.id),
    authors: engagements.map((read) => read.engagement.postAuthorDetail?.extId ?? null)
  })

/** Checks the webhook of a lease, its place in the lead's order, and the delivery that it resends. */
export const checkLease = (
  { reference, situations }: Checked,
  { place, resendOf, until, webhook }: Lease,
  delivery: ReferenceDelivery,
  expectedUntil: number
): void => {
  const what = `Outbox.lease of ${nameOf(delivery)}`
  assertEqual(
    what,
    { until, webhookId: webhook.id, enabled: webhook.enabled },
    { until: expectedUntil, webhookId: delivery.webhook.id, enabled: true }
  )
  const skipped = reference.skipped(delivery)
  assertEqual(
    `${what}, its place and what it sends again`,
    { place, resendOf },
    {
      place: delivery.webhook.ordering === "none" ? null : { isInOrder: delivery.isOrdered, skipped },
      resendOf: delivery.resendOf?.id ?? null
    }
  )
  if (skipped.length > 0 && place !== null) situations.add("skipped")
}

/** Checks that a new body has the engagements `rendered`, and that the body under an id never changes. */
export const checkBody = (
  { bodies, reference }: Checked,
  { body, deliveryId }: Lease,
  delivery: ReferenceDelivery,
  rendered: unknown
): void => {
  const what = `Outbox.lease of ${nameOf(delivery)}`
  if (delivery.body === null) {
    const { authors, ...made } = JSON.parse(body ?? "{}") as { readonly authors: ReadonlyArray<string> }
    assertEqual(`${what}, what its body was made of`, made, {
      deliveryId,
      event: delivery.event,
      lead: delivery.person,
      engagements: rendered
    })
    const erased = authors.filter((author) => reference.erased.includes(author))
    assertEqual(`${what}, erased people among the authors in its body`, erased, [])
    delivery.body = body
  }
  assertEqual(`${what}, its body at another attempt`, body, delivery.body)
  // No other body is sent under an id, not even after its delivery is gone.
  assertEqual(`${what}, another body under the id ${deliveryId}`, body, bodies.get(deliveryId) ?? body)
  bodies.set(deliveryId, body!)
}

/** Checks that `nextDueAt` is after `now`, and no later than when the next delivery is due. */
export const checkNextDueAt = (
  reference: ReferenceDeliveries,
  nextDueAt: number | null,
  now: number
): void => {
  assertThat(
    `Outbox.lease: nextDueAt ${nextDueAt} is not after now, ${now}`,
    nextDueAt === null || nextDueAt > now
  )
  const nextOfOurs = reference.nextDueAt(now)
  assertThat(
    `Outbox.lease: nextDueAt is ${nextDueAt}, and a delivery is due at ${nextOfOurs}`,
    nextOfOurs === null || (nextDueAt !== null && nextDueAt <= nextOfOurs)
  )
}
