/** Leads and their engagements: every query walks all of a brand's leads. */
import {
  type ChangePage,
  type ChangeRead,
  type DeliveryId,
  type Engagement,
  Folding,
  type Lead,
  LeadOrder,
  type LeadFilter,
  type LeadId,
  type LeadPage,
  LeadStore,
  matchesFilter,
  type Observations,
  Page,
  type Post,
  type Proposal,
  RenderedLeads,
  type SortOrder
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { countIn } from "./countIn.ts"
import { engagementReadOf, engagementsOf, windowOf } from "./engagements.ts"
import type { DeliveryRow, Tables } from "./Tables.ts"

type Recorded = Extract<Observations.Decision, { outcome: "recorded" }>
/** A copy of the file by hand would need another: positions count in one history. */
const epoch = ""

type Query = Parameters<(typeof LeadStore.Service)["list"]>[1]

const matches =
  (filter: LeadFilter) =>
  (lead: Lead): boolean =>
    matchesFilter(filter, lead, (text) =>
      [lead.profile.name, lead.profile.headline ?? ""].some((each) => Folding.fold(each).includes(text))
    )

/** Ties by id ascending, and leads without a score last, in either direction. */
const inOrder =
  ({ direction, field }: SortOrder.SortOrder) =>
  (a: Lead, b: Lead): number => {
    const sign = direction === "asc" ? 1 : -1
    if (field === "score1" && (a.score1 === null || b.score1 === null))
      return Number(a.score1 === null) - Number(b.score1 === null) || a.id - b.id
    const byField =
      field === "name"
        ? Folding.compareCodePoints(Folding.fold(a.profile.name), Folding.fold(b.profile.name))
        : a[field]! - b[field]!
    return sign * byField || a.id - b.id
  }

const postOf = ({ postAuthor, postAuthorDetail, postContent, postPostedAt, postUrl }: Engagement): Post => ({
  postUrl,
  postContent,
  postPostedAt,
  postAuthor,
  postAuthorDetail
})

export const leadStore = (tables: Tables): typeof LeadStore.Service => {
  const find = (brandId: string, id: LeadId) => Option.fromNullable(tables.leads(brandId).get(String(id)))

  const known = (brandId: string, proposal: Proposal): Observations.CurrentState => {
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
  const record = (
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

  const pageOf = (brandId: string, { engagements, filter, page, sort }: Query): LeadPage => {
    const found = tables.leads(brandId).all().filter(matches(filter)).sort(inOrder(sort))
    const from = Page.offset(page)
    return {
      total: found.length,
      leads: found.slice(from, from + page.pageSize).map((lead) => ({
        lead,
        window: engagements === "none" ? null : windowOf(tables, brandId, lead.id)
      }))
    }
  }

  const authoredBy = (brandId: string, extId: string): Array<Engagement> =>
    tables
      .engagements(brandId)
      .all()
      .filter(({ postAuthorDetail }) => postAuthorDetail?.extId === extId)

  /** Deliveries about those who engaged with the erased person's posts can name that person. */
  const forgetAuthor = (row: DeliveryRow, ids: () => DeliveryId): void => {
    const log = row.log.map((attempt) => ({ ...attempt, response: null }))
    if (row.body === null) {
      tables.deliveries.put(row.id, { ...row, log })
      return
    }
    // One id has one body: the body is made anew, under another id.
    const id = ids()
    tables.deliveries.remove(row.id)
    tables.deliveries.put(id, { ...row, id, log, body: null, lease: null })
    for (const other of tables.deliveries.all()) {
      if (other.resendOf === row.id) tables.deliveries.put(other.id, { ...other, resendOf: id })
      else if (other.resentAs === row.id) tables.deliveries.put(other.id, { ...other, resentAs: id })
    }
  }

  const erase = (brandId: string, lead: Lead, ids: () => DeliveryId, now: number): void => {
    tables.leads(brandId).remove(String(lead.id))
    tables.noteChange(brandId, lead.id, now)
    for (const { id } of engagementsOf(tables, brandId, lead.id)) tables.engagements(brandId).remove(id)
    for (const event of tables.events(brandId).all())
      if (event.leadId === lead.id) tables.events(brandId).remove(String(event.position))
    const authored = authoredBy(brandId, lead.extId)
    const readers = new Set(authored.map(({ leadId }) => leadId).sort((a, b) => a - b))
    const read = new Set(authored.map(({ id }) => id))
    for (const row of tables.deliveries.all()) {
      if (row.event === null || row.event.brandId !== brandId) continue
      const { engagementId, event, leadId } = row.event
      if (leadId === lead.id) tables.deliveries.remove(row.id)
      else if (readers.has(leadId) && (event === "lead2.created" || read.has(engagementId)))
        // Read anew: an earlier iteration of this loop can have changed what it refers to.
        forgetAuthor(tables.deliveries.get(row.id)!, ids)
    }
    const nothing = { postUrl: null, postContent: null, postAuthor: null, postAuthorDetail: null }
    for (const engagement of authored)
      tables.engagements(brandId).put(engagement.id, { ...engagement, ...nothing })
    for (const id of readers) {
      const reader = tables.leads(brandId).get(String(id))!
      tables.leads(brandId).put(String(id), { ...reader, updatedAt: Math.max(reader.updatedAt, now) })
      tables.noteChange(brandId, id, null)
    }
  }

  return LeadStore.of({
    commit: (brandId, proposals, ids) =>
      tables.writeAndRing((now) =>
        proposals.map((proposal) => {
          const before = known(brandId, proposal)
          const decision = proposal.decide(before, now)
          if (decision.outcome !== "recorded") return { leadId: null, ...decision }
          return { outcome: decision.outcome, leadId: record(brandId, decision, before.lead, ids, now) }
        })
      ),

    list: (brandId, query) => Effect.sync(() => pageOf(brandId, query)),

    get: (brandId, id, engagements) =>
      Effect.sync(() =>
        Option.map(find(brandId, id), (lead) => ({
          lead,
          window: engagements === "none" ? null : windowOf(tables, brandId, id)
        }))
      ),

    exportData: (brandId, id) =>
      Effect.sync(() =>
        Option.map(find(brandId, id), (lead) => {
          const posts = authoredBy(brandId, lead.extId).map(postOf)
          return {
            lead,
            engagements: engagementsOf(tables, brandId, id).map(engagementReadOf(tables, brandId)),
            posts: [...new Map(posts.map((post) => [JSON.stringify(post), post])).values()]
          }
        })
      ),

    update: (brandId, id, change) =>
      tables.write((now) =>
        Option.map(find(brandId, id), (lead) => {
          const changed = tables.leads(brandId).put(String(id), change(lead, now))
          if (RenderedLeads.renderLead(lead) !== RenderedLeads.renderLead(changed))
            tables.noteChange(brandId, id, null)
          return changed
        })
      ),

    erase: (brandId, id, personHash, ids) =>
      tables.write((now) => {
        const lead = Option.getOrUndefined(find(brandId, id))
        if (lead === undefined) return false
        tables.suppressed(brandId).put(personHash, { hash: personHash, at: now })
        erase(brandId, lead, ids, now)
        return true
      }, true),

    eventsAfter: (brandId, after, limit) =>
      Effect.sync(() => {
        const all = tables.events(brandId).all()
        const newest = Math.max(0, ...all.map(({ position }) => position))
        if (after === null) return { events: [], position: newest }
        const found = all
          .filter(({ position }) => position > after)
          .sort((a, b) => a.position - b.position)
          .slice(0, limit)
        const events = found.map(({ position, ...event }) => {
          const { headline, name } = Option.getOrThrow(find(brandId, event.leadId)).profile
          const { reactionType, signalId, type } = tables.engagements(brandId).get(event.engagementId)!
          return {
            position,
            event,
            person: { name, headline },
            engagement: { type, reactionType },
            signal: { id: signalId, name: tables.signals.get(signalId)!.name }
          }
        })
        return { events, position: found.at(-1)?.position ?? after }
      }),

    changesAfter: (brandId, after, { engagements, limit }) =>
      Effect.sync((): ChangePage => {
        const newest = tables.newest("change")
        const forgotten = tables.forgottenChanges.get(brandId) ?? 0
        const isExpired =
          after !== null &&
          (after.epoch !== epoch ||
            forgotten > Math.max(after.position, after.since) ||
            after.position > newest)
        if (isExpired) return { isExpired: true }
        const found = tables
          .changes(brandId)
          .all()
          .filter(({ position }) => position > (after?.position ?? 0))
          .sort((a, b) => a.position - b.position)
        const page = found.slice(0, limit)
        const changes = page.map(({ id, removedAt }): ChangeRead => {
          if (removedAt !== null) return { type: "removed", id, removedAt }
          const window = engagements === "none" ? null : windowOf(tables, brandId, id)
          return { type: "lead", read: { lead: Option.getOrThrow(find(brandId, id)), window } }
        })
        const hasMore = found.length > limit
        const position = hasMore ? page.at(-1)!.position : newest
        const since = after?.since ?? forgotten
        return { isExpired: false, changes, next: { epoch, position, since }, hasMore }
      }),

    counts: (brandId, { by, of }, intervals) =>
      Effect.sync(() => {
        const leads = tables
          .leads(brandId)
          .all()
          .flatMap(({ createdAt, signalIds }) =>
            (by === "none" ? [null] : signalIds).map((group) => ({ at: createdAt, group }))
          )
        const engagements = tables
          .engagements(brandId)
          .all()
          .map(({ signalId, trackedAt, type }) => ({
            at: trackedAt,
            group: by === "none" ? null : by === "signal" ? signalId : type
          }))
        return countIn(intervals, of === "leads" ? leads : engagements)
      }),

    // All at once: callers that wait meanwhile wait for one walk over the brand's rows.
    removeSome: (brandId) =>
      tables.write(() => {
        tables.removeLeads(brandId)
        return 0
      }, true)
  })
}
