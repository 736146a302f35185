/** The data of a webhook event, and its envelope. [EVT-1, EVT-4, EVT-6] */
import { type BodyMaterial, type DeliveredEvent, type DeliveryId, testEvent } from "../model/Delivery.ts"
import { formatInstant, type Instant } from "../model/Instant.ts"
import type { EngagementRead, Lead } from "../model/Lead.ts"
import { envelopeVersion } from "../model/LeadEvent.ts"
import { engagementView } from "./EngagementView.ts"
import { lead2View } from "./LeadView.ts"

/** postAuthorDetail and source are always there on webhooks, with no flag. */
const engagementsView = (engagements: ReadonlyArray<EngagementRead>) =>
  engagements.map((read) => engagementView(read, true))

/** `engagements`: up to the 20 most recent that are known when the body is made. [EVT-5] */
export const leadCreatedView = (lead: Lead, engagements: ReadonlyArray<EngagementRead>) => ({
  lead2: lead2View(lead),
  engagements: engagementsView(engagements)
})

/** `engagements`: exactly the one that fired the event. [EVT-3] */
export const activityDetectedView = (
  isFirstActivity: boolean,
  lead: Lead,
  engagements: ReadonlyArray<EngagementRead>
) => ({
  isFirstActivity,
  lead2: lead2View(lead),
  engagements: engagementsView(engagements)
})

/** A test event tells of no lead: it only shows that the way to the receiver is open. */
export const testView = (webhookId: string) => ({
  webhookId,
  message: "A test: events arrive here, and this is how they are signed."
})

export type EventData =
  ReturnType<typeof leadCreatedView> | ReturnType<typeof activityDetectedView> | ReturnType<typeof testView>

/** `id` is the delivery's, and `createdAt` the time of the event's commit, of a test that of its call. */
export const envelopeView = (
  id: DeliveryId,
  of: { readonly event: DeliveredEvent; readonly brandId: string; readonly occurredAt: Instant },
  data: EventData
) => ({
  id,
  event: of.event,
  version: envelopeVersion,
  createdAt: formatInstant(of.occurredAt),
  brandId: of.brandId,
  data
})

/** The whole body of a delivery, as an object. */
export const deliveryBodyView = (material: BodyMaterial) => {
  const { brandId, createdAt, deliveryId, engagements, lead, subject, webhookId } = material
  if (subject === null) {
    return envelopeView(deliveryId, { event: testEvent, brandId, occurredAt: createdAt }, testView(webhookId))
  }
  if (lead === null || engagements.length === 0) throw new Error("An event without its lead or engagement")
  return envelopeView(
    deliveryId,
    subject,
    subject.event === "lead2.created"
      ? leadCreatedView(lead, engagements)
      : activityDetectedView(subject.isFirstActivity, lead, engagements)
  )
}
