/** Events in the order of their commits, with what a feed shows of them. */
import type { EngagementType, EventPage, EventType, Instant } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { settlePlanner } from "./PlannerSettings.ts"
import { openLeads, type SealedColumn } from "../rows/SealedRows.ts"

interface EventReadRow {
  readonly position: number
  readonly event: EventType
  readonly brand_id: number
  readonly id: number
  readonly engagement_id: string
  readonly is_first_activity: boolean
  readonly occurred_at: Instant
  readonly name: string
  readonly headline: string | null
  readonly sealed: SealedColumn
  readonly type: EngagementType | null
  readonly reaction_type: string | null
  /** Null where the engagement of a `lead2.created` was pruned, also where another lead has one of its id since. */
  readonly signal_id: number | null
  readonly signal_name: string
}

/**
 * A transaction numbers its events while it holds the brand's row of `brand_version`: positions ascend as the brand's commits do. Limits of
 * one row keep the planner from joining whole tables where it has no statistics, as after a restore.
 */
export const eventsAfter = async (
  sql: Connection,
  brand: number,
  after: number | null,
  limit: number
): Promise<EventPage> => {
  if (after === null) {
    const newest = await sql.get<{ readonly position: number }>(
      "SELECT coalesce(max(position), 0)::bigint AS position FROM lead_signals.event WHERE brand_id = $1",
      [brand]
    )
    return { events: [], position: newest!.position }
  }
  await sql.get(settlePlanner)
  const rows = await sql.all<EventReadRow>(
    `SELECT e.position, e.event, e.brand_id, e.lead_id AS id, e.engagement_id, e.is_first_activity, e.occurred_at,
       CASE WHEN l.sealed IS NULL THEN l.name ELSE l.name_key END AS name, l.headline, l.sealed, g.type, g.reaction_type, g.signal_id, s.name AS signal_name
     FROM (SELECT * FROM lead_signals.event WHERE brand_id = $1 AND position > $2 ORDER BY position LIMIT $3) e
       CROSS JOIN LATERAL (SELECT * FROM lead_signals.lead WHERE brand_id = $1 AND id = e.lead_id LIMIT 1) l
       LEFT JOIN LATERAL (SELECT * FROM lead_signals.engagement
         WHERE brand_id = $1 AND id = e.engagement_id AND lead_id = e.lead_id LIMIT 1) g ON true
       LEFT JOIN LATERAL (SELECT * FROM lead_signals.signal WHERE brand_id = $1 AND id = g.signal_id LIMIT 1) s ON true
     ORDER BY e.position`,
    [brand, after, limit]
  )
  const found = rows.filter(({ signal_id: signal }) => signal !== null)
  await openLeads(sql, found)
  return {
    events: found.map((row) => ({
      position: row.position,
      event: {
        event: row.event,
        brandId: String(brand),
        leadId: row.id,
        engagementId: row.engagement_id,
        isFirstActivity: row.is_first_activity,
        occurredAt: row.occurred_at
      },
      person: { name: row.name, headline: row.headline },
      engagement: { type: row.type, reactionType: row.reaction_type },
      signal: { id: String(row.signal_id), name: row.signal_name }
    })),
    position: rows.at(-1)?.position ?? after
  }
}
