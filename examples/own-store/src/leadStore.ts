/** Leads and their engagements: every query walks all of a brand's leads. */
import {
  type CountSeries,
  type Engagement,
  Folding,
  type Lead,
  type LeadFilter,
  type LeadId,
  type LeadPage,
  LeadStore,
  matchesFilter,
  Page,
  type PersonData,
  type Post,
  RenderedLeads,
  type SortOrder
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { currentState, record } from "./commits.ts"
import { countIn } from "./countIn.ts"
import { engagementReadOf, engagementsOf, windowOf } from "./engagements.ts"
import { authoredBy, erase } from "./erasure.ts"
import { changesAfter, eventsAfter } from "./feeds.ts"
import type { Tables } from "./Tables.ts"

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

const pageOf = (tables: Tables, brandId: string, { engagements, filter, page, sort }: Query): LeadPage => {
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

const personDataOf = (tables: Tables, brandId: string, lead: Lead): PersonData => {
  const posts = authoredBy(tables, brandId, lead.extId).map(postOf)
  return {
    lead,
    engagements: engagementsOf(tables, brandId, lead.id).map(engagementReadOf(tables, brandId)),
    posts: [...new Map(posts.map((post) => [JSON.stringify(post), post])).values()]
  }
}

const countsOf = (
  tables: Tables,
  brandId: string,
  { by, of }: CountSeries.Counted,
  intervals: CountSeries.CountedIntervals
): ReadonlyArray<CountSeries.IntervalCount> => {
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
}

export const leadStore = (tables: Tables): typeof LeadStore.Service => {
  const find = (brandId: string, id: LeadId) => Option.fromNullable(tables.leads(brandId).get(String(id)))

  return LeadStore.of({
    commit: (brandId, proposals, ids) =>
      tables.writeAndRing((now) =>
        proposals.map((proposal) => {
          const before = currentState(tables, brandId, proposal)
          const decision = proposal.decide(before, now)
          if (decision.outcome !== "recorded") return { leadId: null, ...decision }
          return {
            outcome: decision.outcome,
            leadId: record(tables, brandId, decision, before.lead, ids, now)
          }
        })
      ),

    list: (brandId, query) => Effect.sync(() => pageOf(tables, brandId, query)),

    get: (brandId, id, engagements) =>
      Effect.sync(() =>
        Option.map(find(brandId, id), (lead) => ({
          lead,
          window: engagements === "none" ? null : windowOf(tables, brandId, id)
        }))
      ),

    exportData: (brandId, id) =>
      Effect.sync(() => Option.map(find(brandId, id), (lead) => personDataOf(tables, brandId, lead))),

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
        erase(tables, brandId, lead, ids, now)
        return true
      }, true),

    eventsAfter: (brandId, after, limit) => Effect.sync(() => eventsAfter(tables, brandId, after, limit)),

    changesAfter: (brandId, after, query) => Effect.sync(() => changesAfter(tables, brandId, after, query)),

    counts: (brandId, counted, intervals) => Effect.sync(() => countsOf(tables, brandId, counted, intervals)),

    // All at once: callers that wait meanwhile wait for one walk over the brand's rows.
    removeSome: (brandId) =>
      tables.write(() => {
        tables.removeLeads(brandId)
        return 0
      }, true)
  })
}
