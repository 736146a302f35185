/** Leads and engagements read by id: what lists, details, exports and bodies of deliveries are made of. */
import {
  type EngagementRead,
  EngagementWindows,
  type EngagementWindow,
  type Lead,
  type LeadId,
  type Signal
} from "@lead-signals/domain"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import { Effect } from "effect"
import {
  type EngagementRow,
  engagementReadOf,
  idOf,
  leadOf,
  type LeadRow,
  signalOf,
  type SignalRow
} from "./Rows.ts"

export type Work<A> = Effect.Effect<A, SqlError.SqlError>

export const leadColumns = `l.id, l.brand_id, l.ext_id, l.name, l.headline, l.username, l.title1, l.li_profile_url,
  l.profile_img_url, l.company, l.profile_times, l.signal_id, l.signal_ids, l.flags, l.score1, l.created_at, l.updated_at`

export const engagementColumns = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url,
  e.post_content, e.post_posted_at, e.post_author, e.post_author_detail, e.emitted_at, e.tracked_at,
  a.id AS author_lead_id, a.company AS author_company`

export const withAuthor = "LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id"

const newestFirst = "ORDER BY tracked_at DESC, id DESC"

export const leadsById = (sql: SqlClient.SqlClient, ids: ReadonlyArray<LeadId>): Work<ReadonlyArray<Lead>> =>
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

export const readEngagements = (
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
export const windows = (
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

export const leadById = (sql: SqlClient.SqlClient, brandId: string, id: LeadId): Work<Lead | null> =>
  Effect.map(
    sql.unsafe<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.id = ? AND l.brand_id = ?`, [
      id,
      idOf(brandId)
    ]),
    ([row]) => (row === undefined ? null : leadOf(row))
  )
