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

/** What a call's proposals are decided over, looked up for each in turn: each sees what those before it wrote. */
class Lookups {
  private readonly sql: Connection
  private readonly brandId: number
  /** No proposal deletes a signal or erases a person. */
  private readonly signals = new Map<string, boolean>()
  private readonly hasErased: boolean

  constructor(sql: Connection, brandId: number) {
    this.sql = sql
    this.brandId = brandId
    this.hasErased =
      sql.value("SELECT 1 FROM suppression WHERE brand_id = ? LIMIT 1", [brandId]) !== undefined
  }

  private signalExists(signalId: string): boolean {
    const known = this.signals.get(signalId)
    if (known !== undefined) return known
    const exists =
      this.sql.value("SELECT 1 FROM signal WHERE id = ? AND brand_id = ? AND deleted_at IS NULL", [
        idOf(signalId),
        this.brandId
      ]) !== undefined
    this.signals.set(signalId, exists)
    return exists
  }

  private isErased(hash: (() => string) | null): boolean {
    return (
      this.hasErased &&
      hash !== null &&
      this.sql.value("SELECT 1 FROM suppression WHERE brand_id = ? AND hash = ?", [this.brandId, hash()]) !==
        undefined
    )
  }

  of({ authorHash, engagementId, personExtId, personHash, signalId }: Proposal): Observations.CurrentState {
    const engagementOf = this.sql.value<LeadId>(
      "SELECT lead_id FROM engagement WHERE brand_id = ? AND id = ?",
      [this.brandId, engagementId]
    )
    const lead = this.sql.get<LeadRow>(leadSql, [this.brandId, personExtId])
    return {
      signalExists: this.signalExists(signalId),
      engagementOf: engagementOf ?? null,
      personSuppressed: this.isErased(personHash),
      authorSuppressed: this.isErased(authorHash),
      lead: lead === undefined ? null : leadOf(lead)
    }
  }
}

const leadSql = `SELECT ${leadColumns} FROM lead l WHERE l.brand_id = ? AND l.ext_id = ?`

/** An event that a proposal fires. */
interface Fired {
  readonly event: EventType
  readonly leadId: LeadId
  readonly engagementId: string
  readonly isFirstActivity: boolean
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

/** Decides and writes one proposal. Its events and deliveries are written later, for all proposals of the call together. */
const commitOne = (
  sql: Connection,
  brand: number,
  proposal: Proposal,
  known: Observations.CurrentState,
  now: number,
  { changes, fired }: Consequences
): Committed => {
  const decision = proposal.decide(known, now)
  if (decision.outcome !== "recorded") return { leadId: null, ...decision }
  const before = known.lead
  const lead = before === null ? insertLead(sql, decision.lead) : { ...decision.lead, id: before.id }
  if (before !== null) updateLead(sql, before, lead)
  changes.push(changeOf(before, lead))
  const { id: engagementId, signalId } = decision.engagement
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
    fired.push({ event, leadId: lead.id, engagementId, isFirstActivity })
  }
  return { outcome: decision.outcome, leadId: lead.id }
}

const eventsStatement = (count: number): string =>
  `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
   VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?)").join(", ")}`

/** Events of one statement: a row takes half the time that it takes by itself, and more rows gain nothing. */
const eventsAtOnce = 20

const manyEventsStatement = eventsStatement(eventsAtOnce)
const oneEventStatement = eventsStatement(1)

/** Inserts the events in order. Returns the position of the first; those of the others follow it one by one. */
const insertEvents = (sql: Connection, brand: number, fired: ReadonlyArray<Fired>, now: number): number => {
  const values = ({ engagementId, event, isFirstActivity, leadId }: Fired) => [
    event,
    brand,
    leadId,
    engagementId,
    Number(isFirstActivity),
    now
  ]
  let last = 0
  const together = fired.length - (fired.length % eventsAtOnce)
  for (let from = 0; from < together; from += eventsAtOnce) {
    last = sql.insert(manyEventsStatement, fired.slice(from, from + eventsAtOnce).flatMap(values))
  }
  for (const each of fired.slice(together)) last = sql.insert(oneEventStatement, values(each))
  return last - fired.length + 1
}

/** Writes the events, and one delivery of each for each webhook of the brand that subscribes to its type. [EVT-7] */
const queue = (
  sql: Connection,
  brand: number,
  fired: ReadonlyArray<Fired>,
  ids: () => DeliveryId,
  now: number
): number => {
  if (fired.length === 0) return 0
  const firstPosition = insertEvents(sql, brand, fired, now)
  const webhooks = sql.all<{ id: number; events: string; ordering: WebhookOrdering }>(
    "SELECT id, events, ordering FROM webhook WHERE brand_id = ? ORDER BY id",
    [brand]
  )
  const subscribed = webhooks.map((webhook) => ({
    ...webhook,
    events: JSON.parse(webhook.events) as Array<string>
  }))
  const deliveries = fired.flatMap(({ event, leadId }, i) =>
    subscribed
      .filter(({ events }) => events.includes(event))
      .map((webhook) => ({
        id: ids(),
        webhookId: webhook.id,
        position: firstPosition + i,
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
  const brand = idOf(brandId)
  const lookups = new Lookups(sql, brand)
  const consequences: Consequences = { fired: [], changes }
  const committed = proposals.map((proposal) =>
    commitOne(sql, brand, proposal, lookups.of(proposal), now, consequences)
  )
  return { committed, queued: queue(sql, brand, consequences.fired, ids, now) }
}
