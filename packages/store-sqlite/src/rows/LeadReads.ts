/** Reads leads and engagements by id, for lists, details, exports and bodies of deliveries. */
import type {
  EngagementDepth,
  EngagementRead,
  EngagementWindow,
  Lead,
  LeadId,
  Post
} from "@lead-signals/domain"
import { EngagementWindows, RenderedLeads } from "@lead-signals/domain/pure"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import {
  idOf,
  leadOf,
  type LeadRow,
  signalOf,
  type SignalRow,
  companyOf,
  postOf,
  type PostRow,
  leadRowColumns
} from "@lead-signals/sql-rows"
import { type EngagementRow, engagementReadOf, signalIdOf } from "./EngagementRows.ts"

/** The columns of `LeadRow`. */
export const leadColumns: string = leadRowColumns.map((column) => `l.${column}`).join(", ")

/** Columns of an `EngagementRow`, over `withAuthor`. */
export const engagementColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url,
  e.post_content, e.post_posted_at, e.post_author, e.post_author_detail, e.emitted_at, e.tracked_at,
  a.id AS author_lead_id, a.company AS author_company`

/** Joins the lead that is the author of the post. */
export const withAuthor = "LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id"

const plainColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url,
  e.post_content, e.post_posted_at, e.post_author, NULL AS post_author_detail, e.emitted_at, e.tracked_at,
  NULL AS author_lead_id, NULL AS author_company`

const columnsOf = (depth: EngagementDepth): string => (depth === "plain" ? plainColumns : engagementColumns)
const authorOf = (depth: EngagementDepth): string => (depth === "plain" ? "" : withAuthor)

const newestFirst = "ORDER BY tracked_at DESC, id DESC"

/** The leads in the order of the ids; those that are gone are left out. */
export const leadsById = (sql: QueryConnection, ids: ReadonlyArray<LeadId>): ReadonlyArray<Lead> =>
  sql
    .all<LeadRow>(
      `SELECT ${leadColumns} FROM json_each(?) j CROSS JOIN lead l ON l.id = j.value ORDER BY j.key`,
      [JSON.stringify(ids)]
    )
    .map(leadOf)

/** The rendered JSON of leads that exist, in the order of the ids; where none of this view's version is stored it is rendered from the columns. */
export const renderedLeads = (sql: QueryConnection, ids: ReadonlyArray<LeadId>): ReadonlyArray<string> => {
  // The column `shown` holds the rendered JSON.
  const kept = sql
    .valuePerKey<string | null>("SELECT shown FROM lead WHERE id = ?", ids)
    .map((text, i) => RenderedLeads.restore(ids[i]!, text))
  const missing = ids.filter((_, i) => kept[i] === null)
  const leads = missing.length === 0 ? [] : leadsById(sql, missing)
  const made = new Map(leads.map((lead) => [lead.id, RenderedLeads.renderLead(lead)]))
  return kept.map((rendered, i) => rendered ?? made.get(ids[i]!)!)
}

/** Reads rows as engagements, each with its signal. */
export const readEngagements = (
  sql: QueryConnection,
  text: string,
  params: ReadonlyArray<string | number>
): ReadonlyArray<EngagementRead> => {
  const rows = sql.tuples<EngagementRow>(text, params)
  if (rows.length === 0) return []
  const named = sql.all<SignalRow>("SELECT s.* FROM json_each(?) j CROSS JOIN signal s ON s.id = j.value", [
    JSON.stringify([...new Set(rows.map(signalIdOf))])
  ])
  return rows.map(engagementReadOf(new Map(named.map((row) => [row.id, signalOf(row)]))))
}

/** The windows of the leads, by lead; one engagement more than a window is read to see whether there are more. */
export const windows = (
  sql: Connection,
  ids: ReadonlyArray<LeadId>,
  depth: EngagementDepth
): ReadonlyMap<LeadId, EngagementWindow> => {
  const reads = readEngagements(
    sql,
    `SELECT ${columnsOf(depth)} FROM json_each(?) j
       CROSS JOIN engagement e ON e.seq IN (
         SELECT seq FROM engagement WHERE lead_id = j.value ${newestFirst} LIMIT ${EngagementWindows.maxWindow + 1})
       ${authorOf(depth)}`,
    [JSON.stringify(ids)]
  )
  const byLead = new Map<LeadId, Array<EngagementRead>>(ids.map((id) => [id, []]))
  for (const read of reads) byLead.get(read.engagement.leadId)!.push(read)
  return new Map(
    Array.from(byLead, ([id, all]) => [
      id,
      {
        engagements: all
          .sort((a, b) => EngagementWindows.newestFirst(a.engagement, b.engagement))
          .slice(0, EngagementWindows.maxWindow),
        truncated: all.length > EngagementWindows.maxWindow
      }
    ])
  )
}

/** Every engagement of the lead, newest first. */
export const allEngagements = (sql: Connection, id: LeadId): ReadonlyArray<EngagementRead> =>
  readEngagements(
    sql,
    `SELECT ${columnsOf("detailed")} FROM engagement e ${authorOf("detailed")}
     WHERE e.lead_id = ? ORDER BY e.tracked_at DESC, e.id DESC`,
    [id]
  )

/** The window of one lead. */
export const windowOf = (sql: Connection, id: LeadId, depth: EngagementDepth): EngagementWindow => {
  const reads = readEngagements(
    sql,
    `SELECT ${columnsOf(depth)} FROM engagement e ${authorOf(depth)}
     WHERE e.lead_id = ? ORDER BY e.tracked_at DESC, e.id DESC LIMIT ${EngagementWindows.maxWindow + 1}`,
    [id]
  )
  const truncated = reads.length > EngagementWindows.maxWindow
  return { engagements: truncated ? reads.slice(0, EngagementWindows.maxWindow) : reads, truncated }
}

/** The brand's lead; null where there is none. */
export const leadById = (sql: QueryConnection, brandId: string, id: LeadId): Lead | null => {
  const row = sql.get<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.id = ? AND l.brand_id = ?`, [
    id,
    idOf(brandId)
  ])
  return row === undefined ? null : leadOf(row)
}

/** The rendered JSON of a detail; null when the brand has no such lead. */
export const renderedDetail = (
  sql: Connection,
  brandId: string,
  id: LeadId,
  depth: EngagementDepth
): string | null => {
  const row = sql.get<{ rendered: string | null; company: string | null }>(
    "SELECT shown AS rendered, company FROM lead WHERE id = ? AND brand_id = ?",
    [id, idOf(brandId)]
  )
  if (row === undefined) return null
  const rendered =
    RenderedLeads.restore(id, row.rendered) ?? RenderedLeads.renderLead(leadById(sql, brandId, id)!)
  const company = companyOf(row.company)
  return RenderedLeads.detailed(rendered, company, windowOf(sql, id, depth), depth)
}

/** The posts of the brand that the person wrote, each once. */
export const authoredPosts = (sql: Connection, brandId: number, extId: string): ReadonlyArray<Post> =>
  sql
    .all<PostRow>(
      `SELECT DISTINCT post_url, post_content, post_posted_at, post_author, post_author_detail
       FROM engagement INDEXED BY engagement_by_author
       WHERE brand_id = ? AND author_ext_id = ?`,
      [brandId, extId]
    )
    .map(postOf)
