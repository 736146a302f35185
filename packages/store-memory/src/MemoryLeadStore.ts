/** The `LeadStore` port, in memory. A method is atomic because it runs synchronously. */
import {
  type ChangePage,
  type ChangeRead,
  type DeliveryId,
  type Engagement,
  type EventRead,
  type Lead,
  LeadOrder,
  type LeadId,
  type LeadPage,
  LeadStore,
  type Observations,
  Page,
  type LeadEvent,
  type Post,
  type Proposal,
  RenderedLeads
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import type { BrandLeads } from "./BrandLeads.ts"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import { engagementReadOf, windowOf } from "./EngagementReads.ts"
import { IntervalTally } from "./IntervalTally.ts"
import { type Memory, MemoryState } from "./MemoryState.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>

const pageOf = (
  memory: Memory,
  brandId: string,
  { engagements, filter, page, sort }: Parameters<(typeof LeadStore.Service)["list"]>[1]
): LeadPage => {
  const leads = memory.leadsOf(brandId)
  return {
    total: leads.total(filter),
    leads: leads.page(filter, sort, Page.offset(page), page.pageSize).map((found) => ({
      lead: found.lead,
      window: engagements === "none" ? null : windowOf(memory, leads, found)
    }))
  }
}

/** A memory has one history: what it forgets, it forgets with the secrets of its brands. */
const epoch = ""

const postOf = ({ postAuthor, postAuthorDetail, postContent, postPostedAt, postUrl }: Engagement): Post => ({
  postUrl,
  postContent,
  postPostedAt,
  postAuthor,
  postAuthorDetail
})

const make = Effect.gen(function* () {
  const { memory, queued: bell } = yield* MemoryState

  const read = (leads: BrandLeads) => engagementReadOf(memory, leads)

  const known = (brandId: string, leads: BrandLeads, proposal: Proposal): Observations.CurrentState => {
    const leadId = leads.byExtId.get(proposal.personExtId)
    return {
      signalExists:
        memory.signals.get(proposal.signalId)?.brandId === brandId &&
        !memory.deletedSignals.has(proposal.signalId),
      engagementOf: leads.engagements.get(proposal.engagementId)?.leadId ?? null,
      personSuppressed: leads.suppressed.size > 0 && leads.suppressed.has(proposal.personHash()),
      authorSuppressed:
        leads.suppressed.size > 0 &&
        proposal.authorHash !== null &&
        leads.suppressed.has(proposal.authorHash()),
      lead: leadId === undefined ? null : leads.byId.get(leadId)!.lead
    }
  }

  /** Commits one decision. Returns a function that undoes it. */
  const apply = (
    brandId: string,
    { engagement, events, lead }: Recorded,
    ids: () => DeliveryId,
    now: number
  ) => {
    const leads = memory.leadsOf(brandId)
    // Draws the ids before any change: a failing source of ids leaves nothing behind.
    const due = events.map(({ event }) =>
      [...memory.webhooks.values()]
        .filter((webhook) => webhook.brandId === brandId && webhook.events.includes(event))
        .map((webhook) => ({ id: ids(), webhook }))
    )
    const existing = leads.byExtId.get(lead.extId)
    const earlier = existing === undefined ? undefined : leads.byId.get(existing)!.lead
    const id = existing ?? memory.next("lead")
    const kept: Engagement = { ...engagement, leadId: id }
    leads.put({ ...lead, id })
    leads.addEngagement(kept)
    const queued: Array<DeliveryRecord> = []
    for (const [i, { event, isFirstActivity }] of events.entries()) {
      const fired = memory.events.append({
        event,
        brandId,
        leadId: id,
        engagementId: engagement.id,
        isFirstActivity,
        occurredAt: now
      })
      for (const { id: deliveryId, webhook } of due[i]!) {
        const orderedLead = LeadOrder.orderedLead(webhook, id)
        queued.push(
          memory.queueDelivery(
            { id: deliveryId, webhookId: webhook.id, event: fired, resendOf: null, orderedLead },
            now
          )
        )
      }
    }
    const undoChange = leads.noteChange({ id, position: memory.events.newestPosition, removedAt: null })
    const undo = (): void => {
      undoChange()
      for (const delivery of queued) memory.deliveries.remove(delivery)
      for (const _ of events) memory.events.removeNewest()
      leads.removeEngagement(kept)
      if (earlier === undefined) leads.remove(id)
      else leads.put(earlier)
    }
    return { id, undo, queued: queued.length }
  }

  const noteChanged = (leads: BrandLeads, id: LeadId): void =>
    void leads.noteChange({ id, position: memory.events.takePosition(), removedAt: null })

  /**
   * Removes the body and the logged responses of a delivery about another lead, which may name the erased
   * person as a post's author. Returns the delivery's id, a new one when it had a body.
   */
  const redactAuthor = (deliveryId: DeliveryId, ids: () => DeliveryId): DeliveryId => {
    const record = memory.deliveries.byId.get(deliveryId)!
    const log = record.log.map((attempt) => ({ ...attempt, response: null }))
    if (record.body === null) {
      memory.deliveries.put({ ...record, log })
      return deliveryId
    }
    const id = ids()
    memory.deliveries.remove(record)
    memory.deliveries.put({ ...record, log, id, body: null, lease: null })
    return id
  }

  /** Replaces the old ids of deliveries in those that refer to them. */
  const updateReferences = (renewed: ReadonlyMap<DeliveryId, DeliveryId>): void => {
    if (renewed.size === 0) return
    const current = (id: DeliveryId | null): DeliveryId | null =>
      id === null ? null : (renewed.get(id) ?? id)
    for (const record of memory.deliveries.all()) {
      const [resendOf, resentAs] = [current(record.resendOf), current(record.resentAs)]
      if (resendOf !== record.resendOf || resentAs !== record.resentAs)
        memory.deliveries.put({ ...record, resendOf, resentAs })
    }
  }

  return LeadStore.of({
    commit: (brandId, proposals, ids) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const leads = memory.leadsOf(brandId)
        const undos: Array<() => void> = []
        let queued = 0
        try {
          const committed = proposals.map((proposal) => {
            const decision = proposal.decide(known(brandId, leads, proposal), now)
            if (decision.outcome !== "recorded") return { leadId: null, ...decision }
            const applied = apply(brandId, decision, ids, now)
            undos.push(applied.undo)
            queued += applied.queued
            return { outcome: decision.outcome, leadId: applied.id }
          })
          return queued > 0 ? Effect.as(Queue.offer(bell, undefined), committed) : Effect.succeed(committed)
        } catch (defect) {
          for (const undo of undos.reverse()) undo()
          throw defect
        }
      }),

    list: (brandId, query) => Effect.sync(() => pageOf(memory, brandId, query)),

    get: (brandId, id, engagements) =>
      Effect.sync(() => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), (found) => ({
          lead: found.lead,
          window: engagements === "none" ? null : windowOf(memory, leads, found)
        }))
      }),

    exportData: (brandId, id) =>
      Effect.sync(() => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), ({ engagements, lead }) => {
          const authored = [...(leads.byAuthor.get(lead.extId) ?? [])]
          const posts = authored.map((engagementId) => postOf(leads.engagements.get(engagementId)!))
          return {
            lead,
            engagements: engagements.map(read(leads)),
            posts: [...new Map(posts.map((post) => [JSON.stringify(post), post])).values()]
          }
        })
      }),

    update: (brandId, id, change) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), ({ lead }): Lead => {
          const changed = change(lead, now)
          leads.put(changed)
          if (RenderedLeads.renderLead(lead) !== RenderedLeads.renderLead(changed)) noteChanged(leads, id)
          return changed
        })
      }),

    erase: (brandId, id, personHash, ids) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = memory.leadsOf(brandId)
        const found = leads.byId.get(id)
        if (found === undefined) return false
        leads.suppressed.set(personHash, leads.suppressed.get(personHash) ?? now)
        leads.remove(id)
        memory.events.removeLead(id)
        memory.noteRemoved(brandId, id, now)
        const authored = new Set(leads.byAuthor.get(found.lead.extId))
        const readers = new Set(
          [...authored].map((engagementId) => leads.engagements.get(engagementId)!.leadId)
        )
        const canShow = ({ engagementId, event }: LeadEvent): boolean =>
          event === "lead2.created" || authored.has(engagementId)
        const renewed = new Map<DeliveryId, DeliveryId>()
        for (const record of memory.deliveries.all()) {
          if (record.event === null) continue
          if (record.event.leadId === id) memory.deliveries.remove(record)
          else if (readers.has(record.event.leadId) && canShow(record.event)) {
            const renewedAs = redactAuthor(record.id, ids)
            if (renewedAs !== record.id) renewed.set(record.id, renewedAs)
          }
        }
        updateReferences(renewed)
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
        const others = [...readers].filter((reader) => reader !== id).sort((a, b) => a - b)
        for (const reader of others) noteChanged(leads, reader)
        return true
      }),

    changesAfter: (brandId, after, { engagements, limit }) =>
      Effect.sync((): ChangePage => {
        const leads = memory.leadsOf(brandId)
        const { newestPosition } = memory.events
        const isExpired =
          after !== null &&
          (after.epoch !== epoch ||
            leads.forgottenChanges > Math.max(after.position, after.since) ||
            after.position > newestPosition)
        if (isExpired) return { isExpired: true }
        const found = leads.changesAfter(after?.position ?? 0, limit + 1)
        const page = found.slice(0, limit)
        const changes = page.map(({ id, removedAt }): ChangeRead => {
          if (removedAt !== null) return { type: "removed", id, removedAt }
          const record = leads.byId.get(id)!
          const window = engagements === "none" ? null : windowOf(memory, leads, record)
          return { type: "lead", read: { lead: record.lead, window } }
        })
        const hasMore = found.length > limit
        const position = hasMore ? page.at(-1)!.position : newestPosition
        const since = after?.since ?? leads.forgottenChanges
        return { isExpired: false, changes, next: { epoch, position, since }, hasMore }
      }),

    eventsAfter: (brandId, after, limit) =>
      Effect.sync(() => {
        const { newestPosition } = memory.events
        if (after === null) return { events: [], position: newestPosition }
        const leads = memory.leadsOf(brandId)
        const events = memory.events
          .ofBrandAfter(brandId, after, limit)
          .map(({ event, position }): EventRead => {
            const { headline, name } = leads.byId.get(event.leadId)!.lead.profile
            const { reactionType, signalId, type } = leads.engagements.get(event.engagementId)!
            return {
              position,
              event,
              person: { name, headline },
              engagement: { type, reactionType },
              signal: { id: signalId, name: memory.signals.get(signalId)!.name }
            }
          })
        const last = events.length === limit ? events.at(-1)!.position : newestPosition
        return { events, position: Math.max(after, last) }
      }),

    counts: (brandId, counted, intervals) =>
      Effect.sync(() => {
        const leads = memory.leadsOf(brandId)
        const tally = new IntervalTally<string | null>(intervals)
        if (counted.of === "leads") {
          for (const { lead } of leads.byId.values()) {
            const groups = counted.by === "none" ? [null] : lead.signalIds
            for (const group of groups) tally.add(lead.createdAt, group)
          }
        } else {
          for (const { signalId, trackedAt, type } of leads.engagements.values())
            tally.add(trackedAt, counted.by === "none" ? null : counted.by === "signal" ? signalId : type)
        }
        return tally.counts
      }),

    removeSome: (brandId) =>
      Effect.sync(() => {
        for (const record of memory.deliveries.all()) {
          if (record.event?.brandId === brandId) memory.deliveries.remove(record)
        }
        memory.removeLeadsOf(brandId)
        return 0
      })
  })
})

/** The port of leads. Needs the `Memory`. */
export const layer = Layer.effect(LeadStore, make)
