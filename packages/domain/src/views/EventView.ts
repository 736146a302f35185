/** The data of a webhook event, and its envelope. [EVT-1, EVT-4, EVT-6] */
import { formatInstant, type Instant } from "../model/Instant.ts"
import type { EngagementRead, Lead } from "../model/Lead.ts"
import { envelopeVersion, type LeadEvent } from "../model/LeadEvent.ts"
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

/** `engagement`: exactly the one that fired the event. [EVT-3] */
export const activityDetectedView = (isFirstActivity: boolean, lead: Lead, engagement: EngagementRead) => ({
  isFirstActivity,
  lead2: lead2View(lead),
  engagements: engagementsView([engagement])
})

export type EventData = ReturnType<typeof leadCreatedView> | ReturnType<typeof activityDetectedView>

/** `id` is the delivery's, `wh_…`, and `createdAt` the time of the event's commit. */
export const envelopeView = (id: string, event: LeadEvent, data: EventData) => ({
  id,
  event: event.event,
  version: envelopeVersion,
  createdAt: formatInstant(event.occurredAt satisfies Instant),
  brandId: event.brandId,
  data
})
