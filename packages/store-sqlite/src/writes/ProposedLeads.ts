/** Commits proposals: looks up what is known, lets the rule decide, and writes what it decides, with its events and deliveries. */
import {
  type Committed,
  type DeliveryId,
  type EventType,
  filterableOf,
  type Lead,
  type LeadId,
  LeadOrder,
  type Observations,
  type Proposal,
  type WebhookOrdering
} from "@lead-signals/domain"
import { flagsOf, idOf, leadOf, type LeadRow } from "@lead-signals/sql-rows"
import type { LeadChange, ListableLead } from "../cache/LeadChanges.ts"
import type { Connection } from "../connection/Connection.ts"
import { leadColumns } from "../rows/LeadReads.ts"
import { insertDeliveries } from "./DeliveryQueue.ts"
import { insertEngagement, insertLead, updateLead } from "./LeadRows.ts"

/** The state that a proposal is decided over: one lookup of ids and hashes, one of the person's lead. */
const knownOf = (sql: Connection, brandId: number, proposal: Proposal): Observations.CurrentState => {
  const row = sql.get<{
    signal: number
    engagement_of: number | null
    person: number
    author: number
  }>(
    `SELECT EXISTS (SELECT 1 FROM signal WHERE id = ? AND brand_id = ? AND deleted_at IS NULL) AS signal,
         (SELECT lead_id FROM engagement WHERE brand_id = ? AND id = ?) AS engagement_of,
         EXISTS (SELECT 1 FROM suppression WHERE brand_id = ? AND hash = ?) AS person,
         EXISTS (SELECT 1 FROM suppression WHERE brand_id = ? AND hash = ?) AS author`,
    [
      idOf(proposal.signalId),
      brandId,
      brandId,
      proposal.engagementId,
      brandId,
      proposal.personHash,
      brandId,
      proposal.authorHash ?? ""
    ]
  )
  const lead = sql.get<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.brand_id = ? AND l.ext_id = ?`, [
    brandId,
    proposal.personExtId
  ])
  return {
    signalExists: row!.signal === 1,
    engagementOf: row!.engagement_of,
    personSuppressed: row!.person === 1,
    authorSuppressed: row!.author === 1,
    lead: lead === undefined ? null : leadOf(lead)
  }
}

/** An event as it was committed, for those that wait for it. */
interface Fired {
  readonly position: number
  readonly event: EventType
  readonly leadId: LeadId
}

/** What proposals of a commit bring about: its events, and the changes that advance cached totals. */
interface Consequences {
  readonly fired: Array<Fired>
  readonly changes: Array<LeadChange>
}

const listableOf = (lead: Lead): ListableLead => ({
  ...filterableOf(lead),
  id: lead.id,
  score1: lead.score1,
  brandId: lead.brandId,
  name: lead.profile.name,
  headline: lead.profile.headline
})

/** A lead's change as caches of totals take it: what filters read before, null for a new lead, and after. */
export const changeOf = (before: Lead | null, after: Lead): LeadChange => ({
  before: before === null ? null : listableOf(before),
  after: listableOf(after)
})

/** Decides and writes one proposal. Its deliveries are queued later, for all proposals of the commit together. */
const commitOne = (
  sql: Connection,
  brandId: string,
  proposal: Proposal,
  now: number,
  { changes, fired }: Consequences
): Committed => {
  const brand = idOf(brandId)
  const known = knownOf(sql, brand, proposal)
  const decision = proposal.decide(known, now)
  if (decision.outcome !== "recorded") return { leadId: null, ...decision }
  const before = known.lead
  const lead = before === null ? insertLead(sql, decision.lead) : { ...decision.lead, id: before.id }
  if (before !== null) updateLead(sql, before, lead)
  changes.push(changeOf(before, lead))
  const signalId = decision.engagement.signalId
  if (before === null || !before.signalIds.includes(signalId)) {
    sql.run("INSERT INTO lead_signal (signal_id, created_at, lead_id, flags) VALUES (?, ?, ?, ?)", [
      idOf(signalId),
      lead.createdAt,
      lead.id,
      flagsOf(lead)
    ])
  }
  insertEngagement(sql, brand, { ...decision.engagement, leadId: lead.id })
  for (const { event, isFirstActivity } of decision.events) {
    const position = sql.insert(
      `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
      [event, brand, lead.id, decision.engagement.id, Number(isFirstActivity), now]
    )
    fired.push({ position, event, leadId: lead.id })
  }
  return { outcome: decision.outcome, leadId: lead.id }
}

/** One delivery of each event for each webhook of the brand that subscribes to its type. [EVT-7] */
const queue = (
  sql: Connection,
  brandId: string,
  fired: ReadonlyArray<Fired>,
  ids: () => DeliveryId,
  now: number
): number => {
  if (fired.length === 0) return 0
  const webhooks = sql.all<{ id: number; events: string; ordering: WebhookOrdering }>(
    "SELECT id, events, ordering FROM webhook WHERE brand_id = ? ORDER BY id",
    [idOf(brandId)]
  )
  const subscribed = webhooks.map((webhook) => ({
    ...webhook,
    events: JSON.parse(webhook.events) as Array<string>
  }))
  const deliveries = fired.flatMap(({ event, leadId, position }) =>
    subscribed
      .filter(({ events }) => events.includes(event))
      .map((webhook) => ({
        id: ids(),
        webhookId: webhook.id,
        position,
        resendOf: null,
        orderedLead: LeadOrder.orderedLead(webhook, leadId)
      }))
  )
  if (deliveries.length > 0) insertDeliveries(sql, deliveries, now)
  return deliveries.length
}

/**
 * Records proposals of one brand in the transaction of the caller, in order: each sees what those before it wrote. Answers an outcome for
 * each, and how many deliveries were queued. `ids` gives the id of each delivery; `changes` gets the change of each lead.
 */
export const commitProposals = (
  sql: Connection,
  brandId: string,
  proposals: ReadonlyArray<Proposal>,
  ids: () => DeliveryId,
  now: number,
  changes: Array<LeadChange>
) => {
  const consequences: Consequences = { fired: [], changes }
  const committed = proposals.map((proposal) => commitOne(sql, brandId, proposal, now, consequences))
  return { committed, queued: queue(sql, brandId, consequences.fired, ids, now) }
}
