/**
 * The part of the feed of changes that no event tells: leads that an operator or an erasure altered, leads whose newest event was pruned,
 * and leads that are gone. A transaction takes their positions from the sequence of events while it holds the brand's row of
 * `brand_version`, as it does those of events, so positions of both ascend as the brand's commits do. [CHG-1, CHG-3]
 */
import { type Instant, type LeadId, removedLeadMillis } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

/** The next position of the feed. */
export const nextPosition = "nextval('lead_signals.event_position_seq')"

/** Inserts rows that a query gives: the brand, the lead, a new position, and when it was removed, which is null of one that is there. */
export const noteSql = (rows: string): string =>
  `INSERT INTO lead_signals.changed_lead (brand_id, lead_id, position, removed_at) ${rows}
   ON CONFLICT (brand_id, lead_id) DO UPDATE SET position = excluded.position, removed_at = excluded.removed_at`

const note = async (
  db: Connection,
  brandId: number,
  ids: ReadonlyArray<LeadId>,
  removedAt: Instant | null
): Promise<void> => {
  if (ids.length === 0) return
  await db.run(
    noteSql(`SELECT $1, given.id, ${nextPosition}, $3::bigint FROM unnest($2::bigint[]) AS given(id)`),
    [brandId, ids, removedAt]
  )
}

/** Gives the leads positions at the end of the feed. The caller holds the brand's version. */
export const noteChanged = (db: Connection, brandId: number, ids: ReadonlyArray<LeadId>): Promise<void> =>
  note(db, brandId, ids, null)

/** Removed leads that one removal forgets at most, for each that it adds: more than are added, so that none stays. */
const forgottenPerRemoval = 4

/** Says at the end of the feed that the leads are gone, and forgets those that went long ago. The caller holds the brand's version. [CHG-3, CHG-5] */
export const noteRemoved = async (
  db: Connection,
  brandId: number,
  ids: ReadonlyArray<LeadId>,
  now: Instant
): Promise<void> => {
  await note(db, brandId, ids, now)
  const old = await db.all<{ readonly position: number }>(
    `DELETE FROM lead_signals.changed_lead WHERE brand_id = $1 AND lead_id IN (
         SELECT c.lead_id FROM lead_signals.changed_lead c
         WHERE c.brand_id = $1 AND c.removed_at IS NOT NULL AND c.removed_at < $2 ORDER BY c.removed_at LIMIT $3)
       RETURNING position`,
    [brandId, now - removedLeadMillis, forgottenPerRemoval * ids.length]
  )
  if (old.length === 0) return
  await db.run(
    "UPDATE lead_signals.brand SET changes_forgotten = greatest(changes_forgotten, $2) WHERE id = $1",
    [brandId, Math.max(...old.map(({ position }) => position))]
  )
}

/** Keeps the positions of those of the leads whose newest event goes. The caller holds the leads. */
export const keepPositions = async (
  db: Connection,
  brandId: number,
  { leads, positions }: { readonly positions: ReadonlyArray<number>; readonly leads: ReadonlyArray<LeadId> }
): Promise<void> => {
  await db.run(
    `INSERT INTO lead_signals.changed_lead AS kept (brand_id, lead_id, position)
     SELECT e.brand_id, e.lead_id, max(e.position) FROM lead_signals.event e
     WHERE e.brand_id = $1 AND e.position = ANY ($2::bigint[]) AND e.lead_id = ANY ($3::bigint[])
     GROUP BY e.brand_id, e.lead_id
     HAVING max(e.position) = (
       SELECT max(n.position) FROM lead_signals.event n WHERE n.brand_id = e.brand_id AND n.lead_id = e.lead_id)
     ON CONFLICT (brand_id, lead_id) DO UPDATE SET position = greatest(kept.position, excluded.position)`,
    [brandId, positions, leads]
  )
}
