/** The lead store, on SQLite. */
import { LeadStore, RenderedLeads } from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import { Effect, Layer, Option, Queue } from "effect"
import { LeadChanges } from "../cache/LeadChanges.ts"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { orderings } from "../filter/Ordering.ts"
import type { ListingOptions } from "../query/LeadPages.ts"
import { derivedChanges } from "../rank-index/DerivedChanges.ts"
import * as RankIndex from "../rank-index/RankIndex.ts"
import { changesAfter } from "../rows/ChangeReads.ts"
import { eventsAfter } from "../rows/EventReads.ts"
import { countActivity } from "../rows/IntervalCounts.ts"
import { allEngagements, authoredPosts, leadById, renderedDetail, windowOf } from "../rows/LeadReads.ts"
import { indexLongTail } from "../search/SearchTail.ts"
import { noteChanged } from "../writes/ChangedLeads.ts"
import { updateLead } from "../writes/LeadRows.ts"
import { changeOf, commitProposals } from "../writes/ProposedLeads.ts"
import { indexTimer } from "./IndexTimer.ts"
import { LeadCaches } from "./LeadCaches.ts"
import { leadErasure } from "./LeadErasure.ts"
import { leadLists } from "./LeadLists.ts"
import { SearchTexts, type SearchTextsOptions } from "./SearchTexts.ts"

/** Bounds of the port of leads that tests and hosts set. */
export interface LeadStoreOptions extends ListingOptions {
  /** New leads whose texts the search indexes may lack after a commit. */
  readonly maxUnindexed: number
}

const makeLeadStore = (options: LeadStoreOptions, searchTexts: SearchTextsOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const postponeIndexing = yield* indexTimer(database)
    const { maxBucketLeads } = options.rankIndex
    const split = Symbol("split of long buckets")
    /** Before the commit, once the buckets count what the transaction changes. */
    const splitLongBuckets = (sql: Connection): void => {
      derivedChanges(sql)
      sql.ofTransaction(split, () =>
        sql.beforeCommit(() => RankIndex.splitLongBuckets(sql, orderings, maxBucketLeads))
      )
    }
    const changed = new LeadChanges()
    const caches = new LeadCaches(changed, database.keepsReads)
    const clock = yield* Effect.clock
    const texts = new SearchTexts(database, changed, searchTexts, () =>
      Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    )
    const { list, listRendered } = leadLists(database, caches, texts, options)
    /** Drops cached reads of persons that the tables no longer hold. [PII-3] */
    const forgetRead = Effect.suspend(() => {
      caches.clear()
      return database.truncateWal
    })
    const { erase, removeSome } = leadErasure(database, changed, forgetRead, {
      maxBucketLeads,
      maxEffort: options.maxEffort
    })
    return LeadStore.of({
      commit: (brandId, proposals, ids) =>
        Effect.map(
          Effect.tap(
            database.write((sql, now) => {
              const committed = commitProposals(sql, brandId, proposals, ids, now, changed.of(sql).changes)
              indexLongTail(sql, options.maxUnindexed)
              sql.afterCommit(postponeIndexing)
              splitLongBuckets(sql)
              return committed
            }),
            ({ queued }) => (queued > 0 ? Queue.offer(database.queued, undefined) : Effect.void)
          ),
          ({ committed }) => committed
        ),
      list,
      listRendered,
      get: (brandId, id, engagements) =>
        database.read((sql) =>
          Option.map(Option.fromNullable(leadById(sql, brandId, id)), (lead) => ({
            lead,
            window: engagements === "none" ? null : windowOf(sql, id, engagements)
          }))
        ),
      getRendered: (brandId, id, engagements) =>
        database.read((sql) => {
          const { renderedDetails } = caches.at(sql)
          const key = `${brandId} ${id} ${engagements}`
          const cached = renderedDetails.get(key)
          if (cached !== undefined) return Option.some(cached)
          const rendered = renderedDetail(sql, brandId, id, engagements)
          if (rendered !== null) renderedDetails.set(key, rendered)
          return Option.fromNullable(rendered)
        }),
      exportData: (brandId, id) =>
        database.read((sql) =>
          Option.map(Option.fromNullable(leadById(sql, brandId, id)), (lead) => ({
            lead,
            engagements: allEngagements(sql, id),
            posts: authoredPosts(sql, idOf(brandId), lead.extId)
          }))
        ),
      update: (brandId, id, change) =>
        database.write((sql, now) => {
          const before = leadById(sql, brandId, id)
          if (before === null) return Option.none()
          const { changes } = changed.of(sql)
          const after = change(before, now)
          updateLead(sql, before, after)
          changes.push(changeOf(before, after))
          if (RenderedLeads.renderLead(before) !== RenderedLeads.renderLead(after))
            noteChanged(sql, idOf(brandId), [id])
          splitLongBuckets(sql)
          return Option.some(after)
        }),
      erase,
      eventsAfter: (brandId, after, limit) => database.read((sql) => eventsAfter(sql, brandId, after, limit)),
      changesAfter: (brandId, after, query) =>
        database.read((sql) => changesAfter(sql, brandId, after, query)),
      counts: (brandId, counted, intervals) =>
        database.read((sql) => countActivity(sql, idOf(brandId), counted, intervals)),
      removeSome
    })
  })

/** Observations of one commit, which keeps other requests waiting for some 15 ms. */
export const commitSize = 100

/** The port of leads. Needs the file's `Database`. Its scope has the timer that writes search entries later. */
export const layer = (options: LeadStoreOptions, searchTexts: SearchTextsOptions) =>
  Layer.scoped(LeadStore, makeLeadStore(options, searchTexts))
