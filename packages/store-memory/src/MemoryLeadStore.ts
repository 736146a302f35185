/** The lead store, in memory. A method's work is one turn of JavaScript, which makes it atomic. */
import {
  type DeliveryId,
  type Engagement,
  type Lead,
  LeadStore,
  type Observations,
  Page,
  type PositionedEvent,
  type Proposal
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import type { BrandLeads } from "./BrandLeads.ts"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import { engagementReadOf, windowOf } from "./LeadReading.ts"
import { MemoryState } from "./MemoryState.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>

const make = Effect.gen(function* () {
  const state = yield* MemoryState

  const read = (leads: BrandLeads) => engagementReadOf(state, leads)

  const known = (brandId: string, leads: BrandLeads, proposal: Proposal): Observations.Known => {
    const leadId = leads.byExtId.get(proposal.personExtId)
    return {
      signalExists: state.signals.get(proposal.signalId)?.brandId === brandId,
      engagementOf: leads.engagements.get(proposal.engagementId)?.leadId ?? null,
      personSuppressed: leads.suppressed.has(proposal.personHash),
      authorSuppressed: proposal.authorHash !== null && leads.suppressed.has(proposal.authorHash),
      lead: leadId === undefined ? null : leads.byId.get(leadId)!.lead
    }
  }

  /** Commits one decision, and answers how to undo it. */
  const apply = (
    brandId: string,
    { engagement, events, lead }: Recorded,
    ids: () => DeliveryId,
    now: number
  ) => {
    const leads = state.leadsOf(brandId)
    const existing = leads.byExtId.get(lead.extId)
    const earlier = existing === undefined ? undefined : leads.byId.get(existing)!.lead
    const id = existing ?? state.next("lead")
    const kept: Engagement = { ...engagement, leadId: id }
    leads.put({ ...lead, id })
    leads.addEngagement(kept)
    const eventsBefore = state.events.length
    const queued: Array<DeliveryRecord> = []
    for (const { event, isFirstActivity } of events) {
      const fired: PositionedEvent = {
        position: state.next("event"),
        event,
        brandId,
        leadId: id,
        engagementId: engagement.id,
        isFirstActivity,
        occurredAt: now
      }
      state.events.push(fired)
      for (const webhook of state.webhooks.values()) {
        if (webhook.brandId !== brandId || !webhook.events.includes(event)) continue
        queued.push(state.queue({ id: ids(), webhookId: webhook.id, event: fired, resendOf: null }, now))
      }
    }
    const undo = (): void => {
      for (const delivery of queued) state.deliveries.remove(delivery)
      state.events.length = eventsBefore
      leads.removeEngagement(kept)
      if (earlier === undefined) leads.remove(id)
      else leads.put(earlier)
    }
    return { id, undo }
  }

  /** What was made or logged of a delivery about another can hold the erased person as a post's author. */
  const forgetAuthor = (deliveryId: DeliveryId, ids: () => DeliveryId): void => {
    const record = state.deliveries.byId.get(deliveryId)!
    const log = record.log.map((attempt) => ({ ...attempt, response: null }))
    if (record.body === null) {
      state.deliveries.put({ ...record, log })
      return
    }
    const id = ids()
    state.deliveries.remove(record)
    state.deliveries.put({ ...record, log, id, body: null, lease: null })
    for (const other of state.deliveries.of(record.webhookId)) {
      if (other.resendOf === record.id) state.deliveries.put({ ...other, resendOf: id })
      if (other.resentAs === record.id) state.deliveries.put({ ...other, resentAs: id })
    }
  }

  return LeadStore.of({
    commit: (brandId, proposals, ids) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = state.leadsOf(brandId)
        const undos: Array<() => void> = []
        try {
          return proposals.map((proposal) => {
            const decision = proposal.decide(known(brandId, leads, proposal), now)
            if (decision.outcome !== "recorded") return { leadId: null, ...decision }
            const { id, undo } = apply(brandId, decision, ids, now)
            undos.push(undo)
            return { outcome: decision.outcome, leadId: id }
          })
        } catch (defect) {
          for (const undo of undos.reverse()) undo()
          throw defect
        }
      }).pipe(Effect.tap(() => Queue.offer(state.queued, undefined))),

    list: (brandId, { engagements, filter, page, sort }) =>
      Effect.sync(() => {
        const leads = state.leadsOf(brandId)
        return {
          total: leads.total(filter),
          leads: leads.page(filter, sort, Page.offset(page), page.pageSize).map((found) => ({
            lead: found.lead,
            window: engagements === "none" ? null : windowOf(state, leads, found)
          }))
        }
      }),

    get: (brandId, id) =>
      Effect.sync(() => {
        const leads = state.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), (found) => ({
          lead: found.lead,
          window: windowOf(state, leads, found)
        }))
      }),

    engagements: (brandId, id) =>
      Effect.sync(() => {
        const leads = state.leadsOf(brandId)
        return leads.byId.get(id)?.engagements.map(read(leads)) ?? []
      }),

    update: (brandId, id, change) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = state.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), ({ lead }): Lead => {
          const changed = change(lead, now)
          leads.put(changed)
          return changed
        })
      }),

    erase: (brandId, id, personHash, ids) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = state.leadsOf(brandId)
        const found = leads.byId.get(id)
        if (found === undefined) return false
        leads.suppressed.add(personHash)
        leads.remove(id)
        const kept = state.events.filter((event) => event.leadId !== id)
        state.events.length = 0
        for (const event of kept) state.events.push(event)
        const authored = Array.from(leads.byAuthor.get(found.lead.extId) ?? [])
        const readers = new Set(authored.map((engagementId) => leads.engagements.get(engagementId)!.leadId))
        const canShow = ({ engagementId, event }: PositionedEvent): boolean =>
          event === "lead2.created" || authored.includes(engagementId)
        for (const record of state.deliveries.all()) {
          if (record.event === null) continue
          if (record.event.leadId === id) state.deliveries.remove(record)
          else if (readers.has(record.event.leadId) && canShow(record.event)) {
            forgetAuthor(record.id, ids)
          }
        }
        for (const engagementId of authored) {
          const earlier = leads.engagements.get(engagementId)!
          leads.replaceEngagement(earlier, {
            ...earlier,
            postUrl: null,
            postContent: null,
            postAuthor: null,
            postAuthorDetail: null
          })
          const { lead } = leads.byId.get(earlier.leadId)!
          leads.put({ ...lead, updatedAt: Math.max(lead.updatedAt, now) })
        }
        return true
      })
  })
})

export const layer = Layer.effect(LeadStore, make)
