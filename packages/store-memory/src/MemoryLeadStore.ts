/** The `LeadStore` port, in memory. A method is atomic because it runs synchronously. */
import {
  type CountSeries,
  type Engagement,
  type Lead,
  type LeadId,
  type LeadPage,
  LeadStore,
  Page,
  type PersonData,
  type Post,
  RenderedLeads
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Option } from "effect"
import { engagementReadOf, windowOf } from "./EngagementReads.ts"
import { erase } from "./Erasure.ts"
import { IntervalTally } from "./IntervalTally.ts"
import { LeadCommits } from "./LeadCommits.ts"
import { changesAfter, eventsAfter } from "./LeadFeeds.ts"
import { type Memory, MemoryState } from "./MemoryState.ts"

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

const postOf = ({ postAuthor, postAuthorDetail, postContent, postPostedAt, postUrl }: Engagement): Post => ({
  postUrl,
  postContent,
  postPostedAt,
  postAuthor,
  postAuthorDetail
})

const personDataOf = (memory: Memory, brandId: string, id: LeadId): Option.Option<PersonData> => {
  const leads = memory.leadsOf(brandId)
  return Option.map(Option.fromNullable(leads.byId.get(id)), ({ engagements, lead }) => {
    const authored = [...(leads.byAuthor.get(lead.extId) ?? [])]
    const posts = authored.map((engagementId) => postOf(leads.engagements.get(engagementId)!))
    return {
      lead,
      engagements: engagements.map(engagementReadOf(memory, leads)),
      posts: [...new Map(posts.map((post) => [JSON.stringify(post), post])).values()]
    }
  })
}

const countsOf = (
  memory: Memory,
  brandId: string,
  counted: CountSeries.Counted,
  intervals: CountSeries.CountedIntervals
): ReadonlyArray<CountSeries.IntervalCount> => {
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
}

const make = Effect.gen(function* () {
  const { memory, queued: bell } = yield* MemoryState
  const commits = new LeadCommits(memory, bell)

  return LeadStore.of({
    commit: (brandId, proposals, ids) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => commits.commit(brandId, proposals, ids, now)),

    list: (brandId, query) => Effect.sync(() => pageOf(memory, brandId, query)),

    get: (brandId, id, engagements) =>
      Effect.sync(() => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), (found) => ({
          lead: found.lead,
          window: engagements === "none" ? null : windowOf(memory, leads, found)
        }))
      }),

    exportData: (brandId, id) => Effect.sync(() => personDataOf(memory, brandId, id)),

    update: (brandId, id, change) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), ({ lead }): Lead => {
          const changed = change(lead, now)
          leads.put(changed)
          if (RenderedLeads.renderLead(lead) !== RenderedLeads.renderLead(changed))
            memory.noteChanged(brandId, id)
          return changed
        })
      }),

    erase: (brandId, id, personHash, ids) =>
      Effect.map(Clock.currentTimeMillis, (now) => erase(memory, brandId, id, personHash, ids, now)),

    changesAfter: (brandId, after, query) => Effect.sync(() => changesAfter(memory, brandId, after, query)),

    eventsAfter: (brandId, after, limit) => Effect.sync(() => eventsAfter(memory, brandId, after, limit)),

    counts: (brandId, counted, intervals) => Effect.sync(() => countsOf(memory, brandId, counted, intervals)),

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
