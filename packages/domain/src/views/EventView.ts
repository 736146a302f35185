/** The data of a webhook event, and its envelope. [EVT-1, EVT-4, EVT-6] */
import { type BodyMaterial, type DeliveredEvent, type DeliveryId, testEvent } from "../model/Delivery.ts"
import { formatInstant, type Instant } from "../model/Instant.ts"
import type { EngagementRead, Lead } from "../model/Lead.ts"
import { envelopeVersion, type EventType } from "../model/LeadEvent.ts"
import { engagementView } from "./EngagementView.ts"
import { lead2View } from "./LeadView.ts"

/** Webhooks always have postAuthorDetail and source. */
const engagementsView = (engagements: ReadonlyArray<EngagementRead>) =>
  engagements.map((read) => engagementView(read, "detailed"))

/**
 * The `data` of lead2.created. `engagements` are the newest when the body is made, at most 20. [EVT-4, EVT-5]
 */
export const leadCreatedView = (lead: Lead, engagements: ReadonlyArray<EngagementRead>) => ({
  lead2: lead2View(lead),
  engagements: engagementsView(engagements)
})

/** The `data` of activity.detected. `engagements` holds the one that fired the event. [EVT-3, EVT-4] */
export const activityDetectedView = (
  isFirstActivity: boolean,
  lead: Lead,
  engagements: ReadonlyArray<EngagementRead>
) => ({
  isFirstActivity,
  lead2: lead2View(lead),
  engagements: engagementsView(engagements)
})

/**
 * The `data` of a test event, which has no lead: it shows that events arrive. [DELIV-8]
 */
export const testView = (webhookId: string) => ({
  webhookId,
  message: "A test: events arrive here, and this is how they are signed."
})

/** The `data` of an envelope, by the type of its event. [EVT-4] */
export type EventData =
  | ReturnType<typeof leadCreatedView>
  | ReturnType<typeof activityDetectedView>
  | ReturnType<typeof testView>

/**
 * The envelope around the data. Its `createdAt` is `occurredAt`, the time of the event's commit or of the call that queued
 * the test. [EVT-1]
 */
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

/** What an event of a lead is rendered from. */
interface LeadEventMaterial {
  readonly isFirstActivity: boolean
  readonly lead: Lead
  readonly engagements: ReadonlyArray<EngagementRead>
}

/** The view of each event type. A type without a view does not compile. */
const dataOf: { readonly [Event in EventType]: (material: LeadEventMaterial) => EventData } = {
  "lead2.created": ({ engagements, lead }) => leadCreatedView(lead, engagements),
  "activity.detected": ({ engagements, isFirstActivity, lead }) =>
    activityDetectedView(isFirstActivity, lead, engagements)
}

/**
 * The body of a delivery: its envelope with the data. Throws an `Error` when the material of an event lacks the lead, or that of
 * an activity.detected the engagement. [EVT-1]
 */
export const deliveryBodyView = (material: BodyMaterial) => {
  const { brandId, createdAt, deliveryId, engagements, lead, subject, webhookId } = material
  if (subject === null) {
    return envelopeView(deliveryId, { event: testEvent, brandId, occurredAt: createdAt }, testView(webhookId))
  }
  // The engagements of a lead can all be pruned before its lead2.created is sent to another webhook. [RET-5, RET-6]
  const lacksEngagement = engagements.length === 0 && subject.event !== "lead2.created"
  if (lead === null || lacksEngagement) throw new Error("An event without its lead or engagement")
  const { event, isFirstActivity } = subject
  return envelopeView(deliveryId, subject, dataOf[event]({ isFirstActivity, lead, engagements }))
}
