/** Leads and engagements read by id: what lists, details, exports and bodies of deliveries are made of. */
import {
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow,
  type Lead,
  type LeadId,
  type Signal
} from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"
import {
  type EngagementRow,
  engagementReadOf,
  idOf,
  leadOf,
  type LeadRow,
  signalOf,
  type SignalRow
} from "./Rows.ts"

export const leadColumns = `l.id, l.brand_id, l.ext_id, l.name, l.headline, l.username, l.title1, l.li_profile_url,
  l.profile_img_url, l.company, l.profile_times, l.signal_id, l.signal_ids, l.flags, l.score1, l.created_at, l.updated_at`

export const engagementColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url,
  e.post_content, e.post_posted_at, e.post_author, e.post_author_detail, e.emitted_at, e.tracked_at,
  a.id AS author_lead_id, a.company AS author_company`

export const withAuthor = "LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id"

const newestFirst = "ORDER BY tracked_at DESC, id DESC"

export const leadsById = (sql: Connection, ids: ReadonlyArray<LeadId>): ReadonlyArray<Lead> =>
  sql
    .all<LeadRow>(
      `SELECT ${leadColumns} FROM json_each(?) j CROSS JOIN lead l ON l.id = j.value ORDER BY j.key`,
      [JSON.stringify(ids)]
    )
    .map(leadOf)

const signalsById = (sql: Connection, ids: ReadonlySet<number>): ReadonlyMap<number, Signal> =>
  new Map(
    sql
      .all<SignalRow>("SELECT s.* FROM json_each(?) j CROSS JOIN signal s ON s.id = j.value", [
        JSON.stringify([...ids])
      ])
      .map((row) => [row.id, signalOf(row)])
  )

export const readEngagements = (
  sql: Connection,
  text: string,
  params: ReadonlyArray<string | number>
): ReadonlyArray<EngagementRead> => {
  const rows = sql.all<EngagementRow>(text, params)
  const signals = signalsById(sql, new Set(rows.map((row) => row.signal_id)))
  return rows.map(engagementReadOf(signals))
}

/** The windows of the leads, by lead; one engagement more than a window is read to see whether there are more. */
export const windows = (
  sql: Connection,
  ids: ReadonlyArray<LeadId>
): ReadonlyMap<LeadId, EngagementWindow> => {
  const reads = readEngagements(
    sql,
    `SELECT ${engagementColumns} FROM json_each(?) j
       CROSS JOIN engagement e ON e.seq IN (
         SELECT seq FROM engagement WHERE lead_id = j.value ${newestFirst} LIMIT ${EngagementWindows.greatestWindow + 1})
       ${withAuthor}`,
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
          .slice(0, EngagementWindows.greatestWindow),
        truncated: all.length > EngagementWindows.greatestWindow
      }
    ])
  )
}

export const leadById = (sql: Connection, brandId: string, id: LeadId): Lead | null => {
  const row = sql.get<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.id = ? AND l.brand_id = ?`, [
    id,
    idOf(brandId)
  ])
  return row === undefined ? null : leadOf(row)
}
