/** The lead store and its outbox, on SQLite. */
import {
  EngagementWindows,
  Folding,
  type Engagement,
  type EngagementRead,
  type EngagementWindow,
  type Lead,
  type LeadId,
  LeadStore,
  type Observations,
  Outbox,
  Page,
  type Proposal,
  type Signal
} from "@lead-signals/domain"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import { Clock, Effect, Layer, Option } from "effect"
import { Database } from "./Database.ts"
import * as LeadListing from "./LeadListing.ts"
import {
  type EngagementRow,
  engagementReadOf,
  type EventRow,
  eventOf,
  flagsOf,
  idOf,
  leadOf,
  type LeadRow,
  signalOf,
  type SignalRow
} from "./Rows.ts"
import { searchTexts } from "./SearchIndex.ts"

type Work<A> = Effect.Effect<A, SqlError.SqlError>

const leadColumns = `l.id, l.brand_id, l.ext_id, l.name, l.headline, l.username, l.title1, l.li_profile_url,
  l.profile_img_url, l.company, l.profile_times, l.signal_id, l.signal_ids, l.flags, l.score1, l.created_at, l.updated_at`

const engagementColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url,
  e.post_content, e.post_posted_at, e.post_author, e.post_author_detail, e.emitted_at, e.tracked_at,
  a.id AS author_lead_id, a.company AS author_company`

const withAuthor = "LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id"

const newestFirst = "ORDER BY tracked_at DESC, id DESC"

/* Reading */

const leadsById = (sql: SqlClient.SqlClient, ids: ReadonlyArray<LeadId>): Work<ReadonlyArray<Lead>> =>
  Effect.map(
    sql.unsafe<LeadRow>(
      `SELECT ${leadColumns} FROM json_each(?) j CROSS JOIN lead l ON l.id = j.value ORDER BY j.key`,
      [JSON.stringify(ids)]
    ),
    (rows) => rows.map(leadOf)
  )

const signalsById = (sql: SqlClient.SqlClient, ids: ReadonlySet<number>): Work<ReadonlyMap<number, Signal>> =>
  Effect.map(
    sql.unsafe<SignalRow>("SELECT s.* FROM json_each(?) j CROSS JOIN signal s ON s.id = j.value", [
      JSON.stringify([...ids])
    ]),
    (rows) => new Map(rows.map((row) => [row.id, signalOf(row)]))
  )

const readEngagements = (
  sql: SqlClient.SqlClient,
  text: string,
  params: ReadonlyArray<string | number>
): Work<ReadonlyArray<EngagementRead>> =>
  Effect.gen(function* () {
    const rows = yield* sql.unsafe<EngagementRow>(text, params)
    const signals = yield* signalsById(sql, new Set(rows.map((row) => row.signal_id)))
    return rows.map(engagementReadOf(signals))
  })

/** The windows of the leads, by lead; one engagement more than a window is read to see whether there are more. */
const windows = (
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<LeadId>
): Work<ReadonlyMap<LeadId, EngagementWindow>> =>
  Effect.map(
    readEngagements(
      sql,
      `SELECT ${engagementColumns} FROM json_each(?) j
       CROSS JOIN engagement e ON e.seq IN (
         SELECT seq FROM engagement WHERE lead_id = j.value ${newestFirst} LIMIT ${EngagementWindows.greatestWindow + 1})
       ${withAuthor}`,
      [JSON.stringify(ids)]
    ),
    (reads) => {
      const byLead = new Map<LeadId, Array<EngagementRead>>(ids.map((id) => [id, []]))
      for (const read of reads) byLead.get(read.engagement.leadId)!.push(read)
      return new Map(
        Array.from(byLead, ([id, all]) => [
          id,
          {
            engagements: all
              .sort((a, b) => EngagementWindows.newestFirst(a.engagement, b.engagement))
              .slice(0, EngagementWindows.greatestWindow),
            truncated: all.length > EngagementWindows.greatestWindow
          }
        ])
      )
    }
  )

const leadById = (sql: SqlClient.SqlClient, brandId: string, id: LeadId): Work<Lead | null> =>
  Effect.map(
    sql.unsafe<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.id = ? AND l.brand_id = ?`, [
      id,
      idOf(brandId)
    ]),
    ([row]) => (row === undefined ? null : leadOf(row))
  )

const list = (
  sql: SqlClient.SqlClient,
  brandId: string,
  query: Parameters<Context["list"]>[1]
): Work<{ total: number; leads: ReadonlyArray<{ lead: Lead; window: EngagementWindow | null }> }> =>
  Effect.gen(function* () {
    const selection = LeadListing.select(idOf(brandId), query.filter)
    if (selection.isEmpty) return { total: 0, leads: [] }
    const asked = LeadListing.countsSql(selection)
    const [columns] = yield* sql.unsafe<Record<string, number>>(asked.sql.text, asked.sql.params)
    const drivers = asked.drivers.map((driver, i) => [driver, columns![`c${i}`]!] as const)
    const counts: LeadListing.Counts = { all: drivers[0]![1], drivers }
    const totalSql = LeadListing.totalSql(selection, counts)
    const [{ n: total }] = (yield* sql.unsafe<{ n: number }>(totalSql.text, totalSql.params)) as [
      { n: number }
    ]
    if (Page.offset(query.page) >= total) return { total, leads: [] }
    const pageSql = LeadListing.pageSql(selection, query, counts, total)
    const ids = (yield* sql.unsafe<{ id: LeadId }>(pageSql.text, pageSql.params)).map(({ id }) => id)
    const leads = yield* leadsById(sql, ids)
    const found = query.engagements === "none" ? null : yield* windows(sql, ids)
    return { total, leads: leads.map((lead) => ({ lead, window: found?.get(lead.id) ?? null })) }
  })

/* Writing */

const insertSearch = (sql: SqlClient.SqlClient, lead: Lead): Work<void> =>
  Effect.gen(function* () {
    const texts = searchTexts(idOf(lead.brandId), lead.profile.name, lead.profile.headline)
    yield* sql.unsafe("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [
      lead.id,
      texts.name,
      texts.headline
    ])
    yield* sql.unsafe("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [lead.id, texts.grams])
  })

/** The indexes keep no texts: what is to be taken out must be said again. */
const deleteSearch = (sql: SqlClient.SqlClient, lead: Lead): Work<void> =>
  Effect.gen(function* () {
    const texts = searchTexts(idOf(lead.brandId), lead.profile.name, lead.profile.headline)
    yield* sql.unsafe("INSERT INTO lead_text (lead_text, rowid, name, headline) VALUES ('delete', ?, ?, ?)", [
      lead.id,
      texts.name,
      texts.headline
    ])
    yield* sql.unsafe("INSERT INTO lead_gram (lead_gram, rowid, grams) VALUES ('delete', ?, ?)", [
      lead.id,
      texts.grams
    ])
  })

const values = (lead: Observations.LeadDraft): ReadonlyArray<string | number | null> => [
  lead.profile.name,
  Folding.nameKey(lead.profile.name),
  lead.profile.headline,
  lead.profile.username,
  lead.profile.title1,
  lead.profile.liProfileUrl,
  lead.profile.profileImgUrl,
  lead.profile.company === null ? null : JSON.stringify(lead.profile.company),
  JSON.stringify(lead.profileTimes),
  idOf(lead.signalId),
  JSON.stringify(lead.signalIds),
  flagsOf(lead),
  lead.score1,
  Number(lead.score1 === null),
  lead.createdAt,
  lead.updatedAt
]

const insertLead = (sql: SqlClient.SqlClient, draft: Observations.LeadDraft): Work<Lead> =>
  Effect.gen(function* () {
    const [row] = yield* sql.unsafe<{ id: LeadId }>(
      `INSERT INTO lead (brand_id, ext_id, name, name_key, headline, username, title1, li_profile_url, profile_img_url,
         company, profile_times, signal_id, signal_ids, flags, score1, score_missing, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      [idOf(draft.brandId), draft.extId, ...values(draft)]
    )
    const lead = { ...draft, id: row!.id }
    yield* insertSearch(sql, lead)
    return lead
  })

const updateLead = (sql: SqlClient.SqlClient, before: Lead, after: Lead): Work<void> =>
  Effect.gen(function* () {
    yield* sql.unsafe(
      `UPDATE lead SET name = ?, name_key = ?, headline = ?, username = ?, title1 = ?, li_profile_url = ?,
         profile_img_url = ?, company = ?, profile_times = ?, signal_id = ?, signal_ids = ?, flags = ?, score1 = ?, score_missing = ?,
         created_at = ?, updated_at = ?
       WHERE id = ?`,
      [...values(after), after.id]
    )
    if (before.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline) {
      yield* deleteSearch(sql, before)
      yield* insertSearch(sql, after)
    }
  })

const insertEngagement = (sql: SqlClient.SqlClient, brandId: number, engagement: Engagement): Work<unknown> =>
  sql.unsafe(
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

const knownOf = (sql: SqlClient.SqlClient, brandId: number, proposal: Proposal): Work<Observations.Known> =>
  Effect.gen(function* () {
    const [row] = yield* sql.unsafe<{
      signal: number
      engagement_of: number | null
      person: number
      author: number
    }>(
      `SELECT EXISTS (SELECT 1 FROM signal WHERE id = ? AND brand_id = ?) AS signal,
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
    const [lead] = yield* sql.unsafe<LeadRow>(
      `SELECT ${leadColumns} FROM lead l WHERE l.brand_id = ? AND l.ext_id = ?`,
      [brandId, proposal.personExtId]
    )
    return {
      signalExists: row!.signal === 1,
      engagementOf: row!.engagement_of,
      personSuppressed: row!.person === 1,
      authorSuppressed: row!.author === 1,
      lead: lead === undefined ? null : leadOf(lead)
    }
  })

const commitOne = (sql: SqlClient.SqlClient, brandId: string, proposal: Proposal, now: number) =>
  Effect.gen(function* () {
    const brand = idOf(brandId)
    const known = yield* knownOf(sql, brand, proposal)
    const decision = proposal.decide(known, now)
    if (decision.outcome !== "recorded") return { leadId: null, ...decision }
    const before = known.lead
    const lead = before === null ? yield* insertLead(sql, decision.lead) : { ...decision.lead, id: before.id }
    if (before !== null) yield* updateLead(sql, before, lead)
    const signalId = decision.engagement.signalId
    if (before === null || !before.signalIds.includes(signalId)) {
      yield* sql.unsafe("INSERT INTO lead_signal (signal_id, lead_id) VALUES (?, ?)", [
        idOf(signalId),
        lead.id
      ])
    }
    yield* insertEngagement(sql, brand, { ...decision.engagement, leadId: lead.id })
    for (const { event, isFirstActivity } of decision.events) {
      yield* sql.unsafe(
        `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        [event, brand, lead.id, decision.engagement.id, Number(isFirstActivity), now]
      )
    }
    return { outcome: decision.outcome, leadId: lead.id }
  })

const erase = (sql: SqlClient.SqlClient, brandId: string, id: LeadId, personHash: string, now: number) =>
  Effect.gen(function* () {
    const lead = yield* leadById(sql, brandId, id)
    if (lead === null) return false
    const brand = idOf(brandId)
    yield* sql.unsafe("INSERT OR IGNORE INTO suppression (brand_id, hash) VALUES (?, ?)", [brand, personHash])
    yield* deleteSearch(sql, lead)
    for (const statement of [
      "DELETE FROM event WHERE lead_id = ?",
      "DELETE FROM engagement WHERE lead_id = ?",
      "DELETE FROM lead_signal WHERE lead_id = ?",
      "DELETE FROM lead WHERE id = ?"
    ]) {
      yield* sql.unsafe(statement, [id])
    }
    yield* sql.unsafe(
      `UPDATE lead SET updated_at = max(updated_at, ?)
       WHERE id IN (SELECT lead_id FROM engagement WHERE brand_id = ? AND author_ext_id = ?)`,
      [now, brand, lead.extId]
    )
    yield* sql.unsafe(
      `UPDATE engagement SET post_url = NULL, post_content = NULL, post_author = NULL, post_author_detail = NULL,
         author_ext_id = NULL
       WHERE brand_id = ? AND author_ext_id = ?`,
      [brand, lead.extId]
    )
    return true
  })

type Context = typeof LeadStore.Service

const makeLeadStore = Effect.map(Database, (database) =>
  LeadStore.of({
    commit: (brandId, proposals) =>
      database.write((sql) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.forEach(proposals, (proposal) => commitOne(sql, brandId, proposal, now))
        )
      ),
    list: (brandId, query) => database.read((sql) => list(sql, brandId, query)),
    get: (brandId, id) =>
      database.read((sql) =>
        Effect.gen(function* () {
          const lead = yield* leadById(sql, brandId, id)
          if (lead === null) return Option.none()
          const found = yield* windows(sql, [id])
          return Option.some({ lead, window: found.get(id)! })
        })
      ),
    engagements: (brandId, id) =>
      database.read((sql) =>
        readEngagements(
          sql,
          `SELECT ${engagementColumns} FROM engagement e ${withAuthor}
           WHERE e.lead_id = ? AND e.brand_id = ? ORDER BY e.tracked_at DESC, e.id DESC`,
          [id, idOf(brandId)]
        )
      ),
    update: (brandId, id, change) =>
      database.write((sql) =>
        Effect.gen(function* () {
          const before = yield* leadById(sql, brandId, id)
          if (before === null) return Option.none()
          const after = change(before, yield* Clock.currentTimeMillis)
          yield* updateLead(sql, before, after)
          return Option.some(after)
        })
      ),
    erase: (brandId, id, personHash) =>
      Effect.tap(
        database.write((sql) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => erase(sql, brandId, id, personHash, now))
        ),
        () => database.forgetLog
      )
  })
)

const makeOutbox = Effect.map(Database, (database) =>
  Outbox.of({
    after: (position, limit) =>
      database.read((sql) =>
        Effect.map(
          sql.unsafe<EventRow>("SELECT * FROM event WHERE position > ? ORDER BY position LIMIT ?", [
            position,
            limit
          ]),
          (rows) => rows.map(eventOf)
        )
      )
  })
)

export const layer = Layer.merge(Layer.effect(LeadStore, makeLeadStore), Layer.effect(Outbox, makeOutbox))
