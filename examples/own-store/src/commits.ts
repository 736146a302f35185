/** Commits observations: what the rule decides over what the tables have. */
import {
  type DeliveryId,
  type Lead,
  LeadOrder,
  type LeadId,
  type Observations,
  type Proposal
} from "@lead-signals/domain"
import type { Tables } from "./Tables.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>

/** What the rule needs to know. */
export const currentState = (
  tables: Tables,
  brandId: string,
  proposal: Proposal
): Observations.CurrentState => {
  const suppressed = tables.suppressed(brandId)
  const leads = tables.leads(brandId).all()
  return {
    signalExists:
      tables.signals.get(proposal.signalId)?.brandId === brandId &&
      tables.deletedSignals.get(proposal.signalId) === undefined,
    engagementOf: tables.engagements(brandId).get(proposal.engagementId)?.leadId ?? null,
    personSuppressed: suppressed.get(proposal.personHash()) !== undefined,
    authorSuppressed: proposal.authorHash !== null && suppressed.get(proposal.authorHash()) !== undefined,
    lead: leads.find(({ extId }) => extId === proposal.personExtId) ?? null
  }
}

/** Keeps the lead, its engagement and the events, each with a delivery to every webhook that subscribes to it. */
export const record = (
  tables: Tables,
  brandId: string,
  { engagement, events, lead }: Recorded,
  before: Lead | null,
  ids: () => DeliveryId,
  now: number
): LeadId => {
  const id = before?.id ?? tables.next("lead")
  tables.leads(brandId).put(String(id), { ...lead, id })
  tables.engagements(brandId).put(engagement.id, { ...engagement, leadId: id })
  tables.noteChange(brandId, id, null)
  const webhooks = tables.webhooks.all().filter((webhook) => webhook.brandId === brandId)
  for (const { event, isFirstActivity } of events) {
    const position = tables.next("event")
    const fired = {
      event,
      brandId,
      leadId: id,
      engagementId: engagement.id,
      isFirstActivity,
      occurredAt: now
    }
    tables.events(brandId).put(String(position), { ...fired, position })
    for (const webhook of webhooks) {
      if (!webhook.events.includes(event)) continue
      const orderedLead = LeadOrder.orderedLead(webhook, id)
      tables.queue({ id: ids(), webhookId: webhook.id, event: fired, resendOf: null, orderedLead }, now)
    }
  }
  return id
}
