/** The lead store and its outbox, in memory. A method's work is one turn of JavaScript, which makes it atomic. */
import {
  type Engagement,
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow,
  type Lead,
  LeadStore,
  type Observations,
  Outbox,
  Page,
  type Proposal
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Option } from "effect"
import type { BrandLeads, LeadRecord } from "./BrandLeads.ts"
import { MemoryState } from "./MemoryState.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>

const make = Effect.gen(function* () {
  const state = yield* MemoryState

  const read =
    (leads: BrandLeads) =>
    (engagement: Engagement): EngagementRead => {
      const authorExtId = engagement.postAuthorDetail?.extId
      const authorId = authorExtId == null ? undefined : leads.byExtId.get(authorExtId)
      return {
        engagement,
        signal: state.signals.get(engagement.signalId)!,
        authorLead:
          authorId === undefined
            ? null
            : { id: authorId, company: leads.byId.get(authorId)!.lead.profile.company }
      }
    }

  const windowOf = (leads: BrandLeads, { engagements }: LeadRecord): EngagementWindow => ({
    engagements: engagements.slice(0, EngagementWindows.greatestWindow).map(read(leads)),
    truncated: engagements.length > EngagementWindows.greatestWindow
  })

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
  const apply = (brandId: string, leads: BrandLeads, { engagement, events, lead }: Recorded, now: number) => {
    const existing = leads.byExtId.get(lead.extId)
    const earlier = existing === undefined ? undefined : leads.byId.get(existing)!.lead
    const id = existing ?? state.next("lead")
    const kept: Engagement = { ...engagement, leadId: id }
    leads.put({ ...lead, id })
    leads.addEngagement(kept)
    const eventsBefore = state.events.length
    for (const { event, isFirstActivity } of events) {
      const position = state.next("event")
      state.events.push({
        position,
        event,
        brandId,
        leadId: id,
        engagementId: engagement.id,
        isFirstActivity,
        occurredAt: now
      })
    }
    const undo = (): void => {
      state.events.length = eventsBefore
      leads.removeEngagement(kept)
      if (earlier === undefined) leads.remove(id)
      else leads.put(earlier)
    }
    return { id, undo }
  }

  const leadStore = LeadStore.of({
    commit: (brandId, proposals) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = state.leadsOf(brandId)
        const undos: Array<() => void> = []
        try {
          return proposals.map((proposal) => {
            const decision = proposal.decide(known(brandId, leads, proposal), now)
            if (decision.outcome !== "recorded") return { leadId: null, ...decision }
            const { id, undo } = apply(brandId, leads, decision, now)
            undos.push(undo)
            return { outcome: decision.outcome, leadId: id }
          })
        } catch (defect) {
          for (const undo of undos.reverse()) undo()
          throw defect
        }
      }),

    list: (brandId, { engagements, filter, page, sort }) =>
      Effect.sync(() => {
        const leads = state.leadsOf(brandId)
        return {
          total: leads.total(filter),
          leads: leads.page(filter, sort, Page.offset(page), page.pageSize).map((found) => ({
            lead: found.lead,
            window: engagements === "none" ? null : windowOf(leads, found)
          }))
        }
      }),

    get: (brandId, id) =>
      Effect.sync(() => {
        const leads = state.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), (found) => ({
          lead: found.lead,
          window: windowOf(leads, found)
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

    erase: (brandId, id, personHash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = state.leadsOf(brandId)
        const found = leads.byId.get(id)
        if (found === undefined) return false
        leads.suppressed.add(personHash)
        leads.remove(id)
        const kept = state.events.filter((event) => event.leadId !== id)
        state.events.splice(0, state.events.length, ...kept)
        for (const engagementId of Array.from(leads.byAuthor.get(found.lead.extId) ?? [])) {
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

  const outbox = Outbox.of({
    after: (position, limit) =>
      Effect.sync(() => state.events.filter((event) => event.position > position).slice(0, limit))
  })

  return { leadStore, outbox }
})

export const layer = Layer.unwrapEffect(
  Effect.map(make, ({ leadStore, outbox }) =>
    Layer.merge(Layer.succeed(LeadStore, leadStore), Layer.succeed(Outbox, outbox))
  )
)
