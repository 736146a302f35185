/** The lead store, on SQLite. */
import {
  filterableOf,
  type Engagement,
  type Lead,
  LeadStore,
  type Observations,
  RenderedLeads,
  type Committed,
  type DeliveryId,
  type EventType,
  type Proposal,
  type LeadId,
  LeadOrder,
  type StoreUnavailable,
  type WebhookOrdering
} from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { Effect, Layer, Option, Queue } from "effect"
import { LeadCaches } from "./LeadCaches.ts"
import { Database } from "../database/Database.ts"
import { type ListableLead, type LeadChange, LeadChanges } from "../cache/LeadChanges.ts"
import {
  companyColumn,
  flagsOf,
  idOf,
  leadOf,
  type LeadRow,
  profileColumns,
  profileValues
} from "@lead-signals/sql-rows"
import {
  allEngagements,
  authoredPosts,
  leadById,
  leadColumns,
  renderedDetail,
  windowOf
} from "../rows/LeadReads.ts"
import { changesAfter } from "../rows/ChangeReads.ts"
import { eventsAfter } from "../rows/EventReads.ts"
import { noteChanged } from "../writes/ChangedLeads.ts"
import { countActivity } from "../rows/IntervalCounts.ts"
import * as Erasure from "../writes/Erasure.ts"
import type { ListingOptions } from "../query/LeadPages.ts"
import { leadLists } from "./LeadLists.ts"
import { SearchTexts, type SearchTextsOptions } from "./SearchTexts.ts"
import { journaled } from "./Statements.ts"
import { orderings } from "../filter/Ordering.ts"
import { derivedChanges } from "../rank-index/DerivedChanges.ts"
import * as RankIndex from "../rank-index/RankIndex.ts"
import { insertDeliveries } from "../writes/DeliveryQueue.ts"
import { foldOnce } from "../search/FoldedTexts.ts"
import { changeSearch } from "../search/SearchIndex.ts"

type Value = string | number | null

/** Columns, and what a lead has in them. */
interface Written {
  readonly columns: ReadonlyArray<string>
  readonly values: (lead: Observations.LeadDraft, sql: Connection) => ReadonlyArray<Value>
}

/** What every update writes. */
const always: Written = {
  columns: [
    "name",
    ...profileColumns,
    "company",
    "profile_times",
    "signal_id",
    "signal_ids",
    "updated_at",
    "shown"
  ],
  values: (lead) => [
    lead.profile.name,
    ...profileValues(lead.profile),
    companyColumn(lead.profile.company),
    JSON.stringify(lead.profileTimes),
    idOf(lead.signalId),
    JSON.stringify(lead.signalIds),
    lead.updatedAt,
    RenderedLeads.keep(RenderedLeads.renderLead({ ...lead, id: 0 }))
  ]
}

interface WrittenIfChanged extends Written {
  readonly isChanged: (before: Lead, after: Lead) => boolean
}

/**
 * Columns of indexes, which an update writes only where they change: SQLite writes the entries of each index anew that has a column of
 * the statement, whether its value changes or not.
 */
const ifChanged: ReadonlyArray<WrittenIfChanged> = [
  {
    columns: ["name_key"],
    values: ({ profile }, sql) => [foldOnce(sql, profile.name)],
    isChanged: (before, after) => before.profile.name !== after.profile.name
  },
  {
    columns: ["flags"],
    values: (lead) => [flagsOf(lead)],
    isChanged: (before, after) => flagsOf(before) !== flagsOf(after)
  },
  {
    columns: ["score1", "score_missing", "score_rank", "score_rank_desc"],
    values: ({ score1 }) => [
      score1,
      Number(score1 === null),
      score1 ?? Number.POSITIVE_INFINITY,
      score1 === null ? Number.POSITIVE_INFINITY : -score1
    ],
    isChanged: (before, after) => before.score1 !== after.score1
  },
  {
    columns: ["created_at"],
    values: ({ createdAt }) => [createdAt],
    isChanged: (before, after) => before.createdAt !== after.createdAt
  }
]

const insertedColumns = [always, ...ifChanged].flatMap(({ columns }) => columns)

const insertStatement = `INSERT INTO lead (brand_id, ext_id, ${insertedColumns.join(", ")})
  VALUES (?, ?, ${insertedColumns.map(() => "?").join(", ")})`

const insertLead = (sql: Connection, draft: Observations.LeadDraft): Lead => {
  const values = [always, ...ifChanged].flatMap((written) => written.values(draft, sql))
  const id: LeadId = sql.insert(insertStatement, [idOf(draft.brandId), draft.extId, ...values])
  const lead = { ...draft, id }
  derivedChanges(sql).change(null, lead)
  changeSearch(sql, null, lead)
  return lead
}

const updateLead = (sql: Connection, before: Lead, after: Lead): void => {
  const written = [always, ...ifChanged.filter(({ isChanged }) => isChanged(before, after))]
  const assignments = written.flatMap(({ columns }) => columns).map((column) => `${column} = ?`)
  sql.run(`UPDATE lead SET ${assignments.join(", ")} WHERE id = ?`, [
    ...written.flatMap(({ values }) => values(after, sql)),
    after.id
  ])
  derivedChanges(sql).change(before, after)
  if (flagsOf(before) !== flagsOf(after) || before.createdAt !== after.createdAt) {
    sql.run("UPDATE lead_signal SET flags = ?, created_at = ? WHERE lead_id = ?", [
      flagsOf(after),
      after.createdAt,
      after.id
    ])
  }
  if (before.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline) {
    changeSearch(sql, before, after)
  }
}

const insertEngagement = (sql: Connection, brandId: number, engagement: Engagement): void => {
  derivedChanges(sql).addEngagement(brandId, engagement)
  sql.run(
    `INSERT INTO engagement (brand_id, id, lead_id, signal_id, type, reaction_type, comment_text, post_url, post_content,
       post_posted_at, post_author, post_author_detail, author_ext_id, emitted_at, tracked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      brandId,
      engagement.id,
      engagement.leadId,
      idOf(engagement.signalId),
      engagement.type,
      engagement.reactionType,
      engagement.commentText,
      engagement.postUrl,
      engagement.postContent,
      engagement.postPostedAt,
      engagement.postAuthor,
      engagement.postAuthorDetail === null ? null : JSON.stringify(engagement.postAuthorDetail),
      engagement.postAuthorDetail?.extId ?? null,
      engagement.emittedAt,
      engagement.trackedAt
    ]
  )
}

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

/** The events of a commit, and the changes that advance cached totals. */
interface Left {
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

const changeOf = (before: Lead | null, after: Lead): LeadChange => ({
  before: before === null ? null : listableOf(before),
  after: listableOf(after)
})

const commitOne = (
  sql: Connection,
  brandId: string,
  proposal: Proposal,
  now: number,
  { changes, fired }: Left
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

const commit = (
  sql: Connection,
  brandId: string,
  proposals: ReadonlyArray<Proposal>,
  ids: () => DeliveryId,
  now: number,
  changes: Array<LeadChange>
) => {
  const left = { fired: [], changes }
  const committed = proposals.map((proposal) => commitOne(sql, brandId, proposal, now, left))
  return { committed, queued: queue(sql, brandId, left.fired, ids, now) }
}

const makeLeadStore = (options: ListingOptions, searchTexts: SearchTextsOptions) =>
  Effect.map(Database, (database) => {
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
    const texts = new SearchTexts(database, changed, searchTexts)
    const { list, listRendered } = leadLists(database, caches, texts, options)
    /** Drops cached reads of persons that the tables no longer hold. [PII-3] */
    const forgetRead = Effect.suspend(() => {
      caches.clear()
      return database.truncateWal
    })
    return LeadStore.of({
      commit: (brandId, proposals, ids) =>
        Effect.map(
          Effect.tap(
            database.write((sql, now) => {
              const committed = commit(sql, brandId, proposals, ids, now, changed.of(sql).changes)
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
          const { renderedDetails, signals } = caches.at(sql)
          const key = `${brandId} ${id} ${engagements}`
          const cached = renderedDetails.get(key)
          if (cached !== undefined) return Option.some(cached)
          const rendered = renderedDetail(sql, brandId, id, engagements, signals)
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
      erase: (brandId, id, personHash, ids) => {
        const lead = { brandId, id }
        const here = database.write((sql, now) => {
          // It changes those who read the person's posts, too; and what the person was like is not to be kept.
          changed.of(sql).isComplete = false
          return Erasure.erase(sql, lead, { personHash, nextId: ids, now, maxBucketLeads })
        })
        const offloaded = (
          deliveryIds: ReadonlyArray<DeliveryId>
        ): Effect.Effect<boolean, StoreUnavailable> =>
          Effect.flatMap(
            database.writeInWorker("eraseLead", (now) => ({
              lead,
              personHash,
              deliveryIds,
              now,
              maxBucketLeads
            })),
            (output) => {
              if ("wanted" in output) return offloaded(Array.from({ length: output.wanted }, ids))
              changed.forget()
              return Effect.succeed(output.erased)
            }
          )
        return Effect.flatMap(
          database.read((sql) => Erasure.takesMore(sql, lead, options.maxEffort)),
          // Uninterruptible, so that a committed erasure also truncates the log.
          (takesMore) =>
            journaled(
              database,
              Effect.uninterruptible(Effect.tap(takesMore ? offloaded([]) : here, () => forgetRead))
            )
        )
      },
      eventsAfter: (brandId, after, limit) => database.read((sql) => eventsAfter(sql, brandId, after, limit)),
      changesAfter: (brandId, after, query) =>
        database.read((sql) => changesAfter(sql, brandId, after, query)),
      counts: (brandId, counted, intervals) =>
        database.read((sql) => countActivity(sql, idOf(brandId), counted, intervals)),
      removeSome: (brandId) => {
        const here = database.write((sql) => {
          changed.of(sql).isComplete = false
          return Erasure.removeSome(sql, brandId)
        })
        const offloaded = Effect.tap(
          database.writeInWorker("removeSomeLeads", () => ({ brandId })),
          () => changed.forget()
        )
        const isOffloaded = options.maxEffort !== Number.POSITIVE_INFINITY
        return Effect.uninterruptible(Effect.tap(isOffloaded ? offloaded : here, () => forgetRead))
      }
    })
  })

/** Observations of one commit, which keeps other requests waiting for some 15 ms. */
export const commitSize = 100

export const layer = (options: ListingOptions, searchTexts: SearchTextsOptions) =>
  Layer.effect(LeadStore, makeLeadStore(options, searchTexts))
