/** Events in the order of their commits, with what a feed shows of them. */
import type { EngagementType, EventPage, EventRead } from "@lead-signals/domain"
import type { QueryConnection } from "../connection/Connection.ts"
import { type EventRow, eventOf, idOf } from "@lead-signals/sql-rows"

interface EventReadRow extends EventRow {
  readonly name: string
  readonly headline: string | null
  readonly type: EngagementType | null
  readonly reaction_type: string | null
  readonly signal_id: number
  readonly signal_name: string
}

/** Events of all brands that one call looks at: they lie in the order of commits alone. */
const maxScanned = 2000

const scanned = `SELECT * FROM event WHERE position > ? ORDER BY position LIMIT ${maxScanned}`

const eventReadOf = (row: EventReadRow): EventRead => ({
  position: row.position,
  event: eventOf(row),
  person: { name: row.name, headline: row.headline },
  engagement: { type: row.type, reactionType: row.reaction_type },
  signal: { id: String(row.signal_id), name: row.signal_name }
})

/** The brand's events after the position; `after` null answers the position of the newest event of any brand. */
export const eventsAfter = (
  sql: QueryConnection,
  brandId: string,
  after: number | null,
  limit: number
): EventPage => {
  if (after === null) {
    return { events: [], position: sql.value<number>("SELECT coalesce(max(position), 0) FROM event")! }
  }
  const last = sql.value<number | null>(`SELECT max(position) FROM (${scanned})`, [after]) ?? after
  if (last === after) return { events: [], position: after }
  const rows = sql.all<EventReadRow>(
    `SELECT e.*, l.name, l.headline, g.type, g.reaction_type, g.signal_id, s.name AS signal_name
     FROM (${scanned}) e CROSS JOIN lead l ON l.id = e.lead_id
       CROSS JOIN engagement g ON g.brand_id = e.brand_id AND g.id = e.engagement_id AND g.lead_id = e.lead_id
       CROSS JOIN signal s ON s.id = g.signal_id
     WHERE e.brand_id = ? ORDER BY e.position LIMIT ?`,
    [after, idOf(brandId), limit]
  )
  return { events: rows.map(eventReadOf), position: rows.length === limit ? rows.at(-1)!.position : last }
}
