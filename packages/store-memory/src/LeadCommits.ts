/** Commits observations to the leads in memory: all proposals of a call, or none of them. */
import {
  type DeliveryId,
  type Engagement,
  LeadOrder,
  type LeadId,
  type Observations,
  type Proposal,
  type Committed,
  type Webhook
} from "@lead-signals/domain"
import { Effect, Queue } from "effect"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import type { Memory } from "./MemoryState.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>

/** A change of the memory that can be taken back. */
interface Applied {
  readonly id: LeadId
  /** How many deliveries it has queued. */
  readonly queued: number
  readonly undo: () => void
}

/** The commits of one process. */
export class LeadCommits {
  private readonly memory: Memory
  private readonly onQueued: Queue.Queue<void>

  /** `onQueued` gets an item after each commit that has made deliveries due. */
  constructor(memory: Memory, onQueued: Queue.Queue<void>) {
    this.memory = memory
    this.onQueued = onQueued
  }

  /** As `LeadStore.commit`, at the time `now`. It runs synchronously; where a proposal or the source of ids throws, it changes nothing. */
  commit(
    brandId: string,
    proposals: ReadonlyArray<Proposal>,
    ids: () => DeliveryId,
    now: number
  ): Effect.Effect<ReadonlyArray<Committed>> {
    const applied: Array<Applied> = []
    try {
      const committed = proposals.map((proposal): Committed => {
        const decision = proposal.decide(this.stateFor(brandId, proposal), now)
        if (decision.outcome !== "recorded") return { leadId: null, ...decision }
        const change = this.apply(brandId, decision, ids, now)
        applied.push(change)
        return { outcome: decision.outcome, leadId: change.id }
      })
      const queued = applied.reduce((sum, change) => sum + change.queued, 0)
      return queued > 0
        ? Effect.as(Queue.offer(this.onQueued, undefined), committed)
        : Effect.succeed(committed)
    } catch (defect) {
      for (const { undo } of applied.reverse()) undo()
      throw defect
    }
  }

  private stateFor(brandId: string, proposal: Proposal): Observations.CurrentState {
    const { memory } = this
    const leads = memory.leadsOf(brandId)
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

  private apply(
    brandId: string,
    { engagement, events, lead }: Recorded,
    ids: () => DeliveryId,
    now: number
  ): Applied {
    const { memory } = this
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
    const queued = events.flatMap((event, i) => this.fire(brandId, kept, event, due[i]!, now))
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

  /** Appends the event, and queues a delivery for each of the webhooks. */
  private fire(
    brandId: string,
    { id: engagementId, leadId }: Engagement,
    { event, isFirstActivity }: Recorded["events"][number],
    due: ReadonlyArray<{ readonly id: DeliveryId; readonly webhook: Webhook }>,
    now: number
  ): ReadonlyArray<DeliveryRecord> {
    const { memory } = this
    const queued: Array<DeliveryRecord> = []
    const fired = memory.events.append({
      event,
      brandId,
      leadId,
      engagementId,
      isFirstActivity,
      occurredAt: now
    })
    for (const { id, webhook } of due) {
      const orderedLead = LeadOrder.orderedLead(webhook, leadId)
      const delivery = { id, webhookId: webhook.id, event: fired, resendOf: null, orderedLead }
      queued.push(memory.queueDelivery(delivery, now))
    }
    return queued
  }
}
