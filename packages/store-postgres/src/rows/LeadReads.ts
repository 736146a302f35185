/** Reads leads and engagements by id, for lists, details, exports and bodies of deliveries. */
import type {
  EngagementDepth,
  EngagementRead,
  EngagementWindow,
  Lead,
  LeadId,
  Post,
  Signal
} from "@lead-signals/domain"
import { EngagementWindows, RenderedLeads } from "@lead-signals/domain/pure"
import { companyOf, leadOf, postOf, type PostRow } from "@lead-signals/sql-rows"
import type { Connection, Param } from "../connection/Connection.ts"
import { type EngagementRow, engagementReadOf, leadColumns, leadIdOf, type LeadRow } from "./LeadRows.ts"
import { openEngagements, openLeads, type SealedEngagement } from "./SealedRows.ts"

const commonColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url, e.post_content,
  e.post_posted_at, e.post_author, e.emitted_at, e.tracked_at, e.sealed, e.post_sealed`

const columnsOf = (depth: EngagementDepth): string =>
  depth === "plain"
    ? `${commonColumns}, NULL AS post_author_detail, NULL AS author_lead_id, NULL AS author_company, NULL AS author_sealed`
    : `${commonColumns}, e.post_author_detail, a.id AS author_lead_id, a.company AS author_company, a.sealed AS author_sealed`

/** A lookup for each engagement, whatever the planner thinks of the tables' sizes. */
const authorOf = (depth: EngagementDepth): string =>
  depth === "plain"
    ? ""
    : `LEFT JOIN LATERAL (SELECT l.id, l.company, l.sealed FROM lead_signals.lead l
         WHERE l.brand_id = e.brand_id AND l.ext_id = e.author_ext_id OFFSET 0) a ON true`

const newestFirst = "ORDER BY e.tracked_at DESC, e.id DESC"

/** Numbers the ids, for rows in their order. */
const given = "unnest($2::bigint[]) WITH ORDINALITY AS given(id, place)"

const rowOfEach = (columns: string): string =>
  `SELECT ${columns} FROM ${given} CROSS JOIN LATERAL (
     SELECT * FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id = given.id OFFSET 0) l`

/** Rows in the order of the ids, less those of leads that do not exist. */
const inOrder = <Row extends { readonly id: LeadId }>(
  ids: ReadonlyArray<LeadId>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Row> => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The leads in the order of the ids; those that are gone are left out. */
export const leadsById = async (
  db: Connection,
  brandId: number,
  ids: ReadonlyArray<LeadId>
): Promise<ReadonlyArray<Lead>> =>
  ids.length === 0
    ? []
    : inOrder(ids, await openLeads(db, await db.all<LeadRow>(rowOfEach(leadColumns), [brandId, ids]))).map(
        leadOf
      )

/** The rendered JSON of the leads, in the order of the ids; rendered from the columns where none of this view's version is stored. */
export const renderedLeads = async (
  db: Connection,
  brandId: number,
  ids: ReadonlyArray<LeadId>
): Promise<ReadonlyArray<string>> => {
  if (ids.length === 0) return []
  // An encrypted database keeps no rendered JSON.
  if (db.keys !== null) return (await leadsById(db, brandId, ids)).map(RenderedLeads.renderLead)
  const rows = await db.all<{ id: LeadId; shown: string | null }>(rowOfEach("l.id, l.shown"), [brandId, ids])
  const kept = inOrder(ids, rows).map(({ id, shown }) => ({ id, rendered: RenderedLeads.restore(id, shown) }))
  const missing = kept.flatMap(({ id, rendered }) => (rendered === null ? [id] : []))
  const leads = await leadsById(db, brandId, missing)
  const made = new Map(leads.map((lead) => [lead.id, RenderedLeads.renderLead(lead)]))
  return kept.map(({ id, rendered }) => rendered ?? made.get(id)!)
}

interface SignalRow {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly signal_type: string
  readonly source: string
  readonly created_at: number
}

const signalOf = (row: SignalRow): Signal => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  signalType: row.signal_type,
  source: JSON.parse(row.source),
  createdAt: row.created_at
})

/** Runs a query of engagements, whose first parameter is the brand, and adds their signals. */
const readEngagements = async (
  db: Connection,
  text: string,
  params: readonly [brandId: number, ...ReadonlyArray<Param>]
): Promise<ReadonlyArray<EngagementRead>> => {
  const rows = await openEngagements(db, params[0], await db.all<EngagementRow>(text, params))
  if (rows.length === 0) return []
  const named = await db.all<SignalRow>(
    `SELECT s.id, s.brand_id, s.name, s.signal_type, s.source, s.created_at FROM lead_signals.signal s
       WHERE s.brand_id = $1 AND s.id = ANY ($2::bigint[])`,
    [params[0], [...new Set(rows.map((row) => row.signal_id))]]
  )
  return rows.map(engagementReadOf(new Map(named.map((row) => [row.id, signalOf(row)]))))
}

const windowOf = (reads: ReadonlyArray<EngagementRead>): EngagementWindow => ({
  engagements: reads.slice(0, EngagementWindows.maxWindow),
  truncated: reads.length > EngagementWindows.maxWindow
})

/** The windows of the leads, by lead; one engagement more than a window is read to see whether there are more. */
export const windows = async (
  db: Connection,
  brandId: number,
  ids: ReadonlyArray<LeadId>,
  depth: EngagementDepth
): Promise<ReadonlyMap<LeadId, EngagementWindow>> => {
  const reads = await readEngagements(
    db,
    `SELECT ${columnsOf(depth)} FROM unnest($2::bigint[]) AS given(id) CROSS JOIN LATERAL (
         SELECT * FROM lead_signals.engagement e WHERE e.brand_id = $1 AND e.lead_id = given.id
         ${newestFirst} LIMIT ${EngagementWindows.maxWindow + 1}) e
       ${authorOf(depth)}`,
    [brandId, ids]
  )
  const byLead = new Map<LeadId, Array<EngagementRead>>(ids.map((id) => [id, []]))
  for (const read of reads) byLead.get(read.engagement.leadId)!.push(read)
  return new Map(
    Array.from(byLead, ([id, all]) => [
      id,
      windowOf(all.sort((a, b) => EngagementWindows.newestFirst(a.engagement, b.engagement)))
    ])
  )
}

/** Every engagement of the lead, newest first. */
export const allEngagements = async (
  db: Connection,
  brandId: number,
  id: LeadId
): Promise<ReadonlyArray<EngagementRead>> =>
  readEngagements(
    db,
    `SELECT ${columnsOf("detailed")} FROM lead_signals.engagement e ${authorOf("detailed")}
       WHERE e.brand_id = $1 AND e.lead_id = $2 ${newestFirst}`,
    [brandId, id]
  )

/** The brand's lead; null where there is none. */
export const leadById = async (db: Connection, brandId: number, id: LeadId): Promise<Lead | null> => {
  const row = await db.get<LeadRow>(
    `SELECT ${leadColumns} FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id = $2`,
    [brandId, leadIdOf(id)]
  )
  if (row === undefined) return null
  await openLeads(db, [row])
  return leadOf(row)
}

/** The window of one lead. */
export const windowOfLead = async (
  db: Connection,
  brandId: number,
  id: LeadId,
  depth: EngagementDepth
): Promise<EngagementWindow> => (await windows(db, brandId, [id], depth)).get(id)!

/** The rendered JSON of a detail; null when the brand has no such lead. */
export const renderedDetail = async (
  db: Connection,
  brandId: number,
  id: LeadId,
  depth: EngagementDepth
): Promise<string | null> => {
  if (db.keys !== null) {
    const lead = await leadById(db, brandId, id)
    return lead === null
      ? null
      : RenderedLeads.ofLead({ lead, window: await windowOfLead(db, brandId, id, depth) }, depth)
  }
  const row = await db.get<{ rendered: string | null; company: string | null }>(
    "SELECT shown AS rendered, company FROM lead_signals.lead WHERE brand_id = $1 AND id = $2",
    [brandId, leadIdOf(id)]
  )
  if (row === undefined) return null
  const rendered =
    RenderedLeads.restore(id, row.rendered) ?? RenderedLeads.renderLead((await leadById(db, brandId, id))!)
  const company = companyOf(row.company)
  return RenderedLeads.detailed(rendered, company, await windowOfLead(db, brandId, id, depth), depth)
}

/** The posts of the brand that the lead wrote, each once. */
export const authoredPosts = async (
  db: Connection,
  brandId: number,
  id: LeadId
): Promise<ReadonlyArray<Post>> => {
  // Sealed values of equal posts differ.
  const distinct =
    db.keys === null
      ? "DISTINCT '' AS id, NULL::bytea AS sealed, NULL::bytea AS post_sealed"
      : "id, NULL::bytea AS sealed, post_sealed"
  const rows = await db.all<PostRow & SealedEngagement>(
    `SELECT ${distinct}, post_url, post_content, post_posted_at, post_author, post_author_detail
       FROM lead_signals.engagement WHERE brand_id = $1
         AND author_ext_id = (SELECT ext_id FROM lead_signals.lead WHERE brand_id = $1 AND id = $2)`,
    [brandId, id]
  )
  const posts = (await openEngagements(db, brandId, rows)).map(postOf)
  return [...new Map(posts.map((post) => [JSON.stringify(post), post])).values()]
}
