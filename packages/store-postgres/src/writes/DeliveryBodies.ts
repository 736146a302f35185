/** Reads what bodies of deliveries are made of, with one statement, and keeps the bodies that are made. [EVT-5] */
import type { BodyMaterial, EngagementRead, EventType, LeaseRequest, Webhook } from "@lead-signals/domain"
import { EngagementWindows } from "@lead-signals/domain/pure"
import { type DueDeliveryRow, eventOf, leadOf, signalOf, type SignalRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { type EngagementRow, engagementReadOf, leadColumns, type LeadRow } from "../rows/LeadRows.ts"
import {
  bodyContext,
  engagementValuesOf,
  keysOf,
  leadContext,
  openFields,
  openValues,
  personsOf,
  type SealedColumn,
  type SealedValue
} from "../rows/SealedRows.ts"
import type { PersonKey } from "../sealing/SealedValue.ts"

/** A due delivery, with the number of its brand. */
export interface DueRow extends DueDeliveryRow {
  readonly brand_id: number
}

/** An engagement with its signal, as JSON. */
type EngagementJson = EngagementRow & { readonly signal: SignalRow }

interface MaterialRow extends Omit<LeadRow, "id"> {
  readonly seq: number
  readonly body: string | null
  readonly body_sealed: SealedColumn
  readonly event: EventType | null
  readonly lead_id: number
  readonly event_lead_id: number
  readonly engagement_id: string
  readonly is_first_activity: boolean
  readonly occurred_at: number
  readonly engagements: ReadonlyArray<EngagementJson> | null
}

const engagementJson = `json_build_object('id', g.id, 'lead_id', g.lead_id, 'signal_id', g.signal_id, 'type', g.type,
  'reaction_type', g.reaction_type, 'comment_text', g.comment_text, 'post_url', g.post_url, 'post_content', g.post_content,
  'post_posted_at', g.post_posted_at, 'post_author', g.post_author, 'post_author_detail', g.post_author_detail,
  'emitted_at', g.emitted_at, 'tracked_at', g.tracked_at, 'author_lead_id', a.id, 'author_company', a.company,
  'sealed', g.sealed, 'post_sealed', g.post_sealed, 'author_sealed', a.sealed,
  'signal', json_build_object('id', s.id, 'brand_id', s.brand_id, 'name', s.name, 'signal_type', s.signal_type,
    'source', s.source, 'created_at', s.created_at))`

const withSignalAndAuthor = `JOIN LATERAL (
    SELECT * FROM lead_signals.signal s WHERE s.brand_id = g.brand_id AND s.id = g.signal_id OFFSET 0) s ON true
  LEFT JOIN LATERAL (
    SELECT l.id, l.company, l.sealed FROM lead_signals.lead l
    WHERE l.brand_id = g.brand_id AND l.ext_id = g.author_ext_id OFFSET 0) a ON true`

/** A lookup for each row, whatever the planner thinks of the tables' sizes: `OFFSET 0` keeps the joins as they are written. */
const materialSql = `SELECT given.seq, b.body, b.sealed AS body_sealed, e.event, e.lead_id AS event_lead_id, e.engagement_id, e.is_first_activity,
    e.occurred_at, l.id AS lead_id, ${leadColumns.replace("l.id, ", "")},
    CASE e.event WHEN 'lead2.created' THEN (
      SELECT json_agg(${engagementJson} ORDER BY g.tracked_at DESC, g.id DESC) FROM (
        SELECT * FROM lead_signals.engagement g WHERE g.brand_id = e.brand_id AND g.lead_id = e.lead_id
        ORDER BY g.tracked_at DESC, g.id DESC LIMIT ${EngagementWindows.maxWindow}) g ${withSignalAndAuthor})
    ELSE (
      SELECT json_agg(${engagementJson}) FROM (
        SELECT * FROM lead_signals.engagement g
        WHERE g.brand_id = e.brand_id AND g.id = e.engagement_id AND g.lead_id = e.lead_id OFFSET 0) g ${withSignalAndAuthor})
    END AS engagements
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS given(brand_id, seq, position)
  LEFT JOIN LATERAL (
    SELECT b.body, b.sealed FROM lead_signals.delivery_body b WHERE b.brand_id = given.brand_id AND b.seq = given.seq OFFSET 0) b ON true
  LEFT JOIN LATERAL (
    SELECT * FROM lead_signals.event e
    WHERE e.brand_id = given.brand_id AND e.position = given.position AND b.body IS NULL OFFSET 0) e ON true
  LEFT JOIN LATERAL (
    SELECT * FROM lead_signals.lead l WHERE l.brand_id = e.brand_id AND l.id = e.lead_id OFFSET 0) l ON true`

const engagementOf = (row: EngagementJson): EngagementRead =>
  engagementReadOf(new Map([[row.signal_id, signalOf(row.signal)]]))(row)

const materialOf = (
  row: MaterialRow,
  { brand_id, created_at, id, position, webhook_id }: DueRow,
  { format }: Webhook
): BodyMaterial => ({
  deliveryId: id,
  webhookId: String(webhook_id),
  brandId: String(brand_id),
  createdAt: created_at,
  format,
  subject:
    row.event === null
      ? null
      : eventOf({ ...row, event: row.event, brand_id, lead_id: row.event_lead_id, position: position! }),
  lead: row.lead_id === null ? null : leadOf({ ...row, brand_id, id: row.lead_id }),
  engagements: (row.engagements ?? []).map(engagementOf)
})

/** The sealed values of the lead. */
const leadValuesOf = (row: MaterialRow): ReadonlyArray<SealedValue> =>
  row.lead_id === null
    ? []
    : [{ brandId: row.brand_id, value: row.sealed, context: leadContext(row.brand_id, row.lead_id) }]

const engagementJsonValuesOf = (engagement: EngagementJson) =>
  engagementValuesOf(engagement.signal.brand_id, engagement)

/** Opens the rows, and answers the keys of the persons whom each is about, by seq. */
const openMaterial = async (
  sql: Connection,
  rows: ReadonlyArray<MaterialRow>
): Promise<ReadonlyMap<number, ReadonlyArray<PersonKey>>> => {
  if (sql.keys === null) return new Map()
  const engagements = rows.map((row) => row.engagements ?? [])
  const values = rows.map((row, i) => [
    ...leadValuesOf(row),
    ...engagements[i]!.flatMap(engagementJsonValuesOf)
  ])
  const keys = await keysOf(sql, values.flat())
  await openFields(sql, rows, leadValuesOf)
  await openFields(sql, engagements.flat(), engagementJsonValuesOf)
  return new Map(rows.map(({ seq }, i) => [seq, personsOf(keys, values[i]!)]))
}

/** A body, and the persons for whom it is sealed once it is kept. */
export interface Body {
  readonly text: string
  readonly persons: ReadonlyArray<PersonKey>
  /** Whether it is new. */
  readonly isMade: boolean
}

/** The bodies of deliveries that the transaction has locked, by seq. One that can't be made, or whose persons' keys are gone, is left out. */
export const readBodies = async (
  sql: Connection,
  taken: ReadonlyArray<DueRow>,
  webhooks: ReadonlyMap<number, Webhook>,
  make: LeaseRequest["body"]
): Promise<ReadonlyMap<number, Body>> => {
  const rows = await sql.all<MaterialRow>(materialSql, [
    taken.map(({ brand_id }) => brand_id),
    taken.map(({ seq }) => seq),
    taken.map(({ position }) => position)
  ])
  const persons = await openMaterial(sql, rows)
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  const kept = await openValues(
    sql,
    taken.map(({ brand_id, seq }) => ({
      brandId: brand_id,
      value: bySeq.get(seq)!.body_sealed,
      context: bodyContext(brand_id, seq)
    }))
  )
  const bodies = new Map<number, Body>()
  for (const [i, each] of taken.entries()) {
    const row = bySeq.get(each.seq)!
    const isMade = row.body === null
    const text = isMade
      ? make(materialOf(row, each, webhooks.get(each.webhook_id)!))
      : row.body_sealed === null
        ? row.body
        : kept[i]!
    if (text !== null) bodies.set(each.seq, { text, isMade, persons: persons.get(each.seq) ?? [] })
  }
  return bodies
}
