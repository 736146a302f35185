/** Removes persons from every table of the file. [PII-3, DEL-1] */
import type { DeliveryId, Lead, LeadId } from "@lead-signals/domain"
import type { Connection, Param, QueryConnection } from "../connection/Connection.ts"
import { orderings } from "../filter/Ordering.ts"
import { leadById, leadsById } from "../rows/LeadReads.ts"
import { derivedChanges, writeDerivedChanges } from "../rank-index/DerivedChanges.ts"
import * as RankIndex from "../rank-index/RankIndex.ts"
import { idOf } from "@lead-signals/sql-rows"
import { changeSearch } from "../search/SearchTail.ts"
import { isMergeUnderWay } from "../search/SegmentMerge.ts"
import { noteChanged, noteRemoved } from "./ChangedLeads.ts"

/** The ids of leads, as a JSON array. */
const given = "SELECT value FROM json_each(?)"
const ofLeads = `SELECT position FROM event WHERE lead_id IN (${given})`

/** Each statement removes rows that no remaining row refers to. */
const removals = [
  `DELETE FROM attempt WHERE delivery_seq IN (SELECT seq FROM delivery WHERE position IN (${ofLeads}))`,
  `DELETE FROM delivery_body WHERE seq IN (SELECT seq FROM delivery WHERE position IN (${ofLeads}))`,
  `DELETE FROM delivery WHERE position IN (${ofLeads})`,
  `DELETE FROM event WHERE lead_id IN (${given})`,
  `DELETE FROM engagement WHERE lead_id IN (${given})`,
  `DELETE FROM lead_signal WHERE lead_id IN (${given})`,
  `DELETE FROM lead WHERE id IN (${given})`
]

/** Removes the leads from all tables but the indexes of texts. */
export const removeLeads = (sql: Connection, brandId: number, ids: ReadonlyArray<LeadId>): void => {
  writeDerivedChanges(sql)
  for (const statement of removals) sql.run(statement, [JSON.stringify(ids)])
  RankIndex.forgetLeads(sql, orderings, { brandId, ids })
}

/** The leads that were seen engaging with posts of the person. */
const readers = "SELECT lead_id FROM engagement WHERE brand_id = ? AND author_ext_id = ?"

/** Deliveries that can show the author: of the engagements with the posts, and all that list a reader's engagements. */
const deliveriesOfReaders = `SELECT d.seq FROM event e CROSS JOIN delivery d ON d.position = e.position
  WHERE e.lead_id IN (${readers})
    AND (e.event = 'lead2.created' OR e.engagement_id IN (
      SELECT id FROM engagement WHERE brand_id = ? AND author_ext_id = ?))`

/** Deliveries about the lead. */
const deliveriesOfLead =
  "SELECT d.seq FROM event e CROSS JOIN delivery d ON d.position = e.position WHERE e.lead_id = ?"

/**
 * Removes what receivers answered to batches that had one of the deliveries, whose numbers the query selects: they answer all events of a batch
 * at once, and the log of each has the answer. [BATCH-3]
 */
const forgetBatchResponses = (sql: Connection, deliveries: string, params: ReadonlyArray<Param>): void => {
  sql.run(
    `UPDATE attempt SET response = NULL WHERE response IS NOT NULL AND batch_id IN (
       SELECT batch_id FROM attempt WHERE batch_id IS NOT NULL AND delivery_seq IN (${deliveries}))`,
    params
  )
}

/** Removes bodies and logs of deliveries about other leads that can name the person as a post's author. */
const forgetAuthor = (sql: Connection, brand: number, author: string, nextId: () => DeliveryId): void => {
  const params = [brand, author, brand, author]
  forgetBatchResponses(sql, deliveriesOfReaders, params)
  sql.run(
    `UPDATE attempt SET response = NULL WHERE response IS NOT NULL AND delivery_seq IN (${deliveriesOfReaders})`,
    params
  )
  const made = sql.all<{ seq: number; id: DeliveryId }>(
    `SELECT d.seq, d.id FROM delivery_body b CROSS JOIN delivery d ON d.seq = b.seq
       WHERE b.seq IN (${deliveriesOfReaders}) ORDER BY b.seq`,
    params
  )
  for (const { id, seq } of made) {
    const fresh = nextId()
    sql.run("DELETE FROM delivery_body WHERE seq = ?", [seq])
    sql.run("UPDATE delivery SET id = ?, lease = NULL WHERE seq = ?", [fresh, seq])
    // Deliveries that resend this one, or that it resends, have the same event.
    sql.run(
      `UPDATE delivery SET resend_of = iif(resend_of = ?, ?, resend_of), resent_as = iif(resent_as = ?, ?, resent_as)
         WHERE position = (SELECT position FROM delivery WHERE seq = ?)`,
      [id, fresh, id, fresh, seq]
    )
  }
}

/** The leads that engaged with the person's posts show something else from now on. */
const touchReaders = (
  sql: Connection,
  { author, brand }: { readonly brand: number; readonly author: string },
  now: number
): void => {
  const touched = sql.all<{ readonly id: LeadId; readonly flags: number; readonly updated_at: number }>(
    `SELECT id, flags, updated_at FROM lead WHERE updated_at < ? AND id IN (${readers})`,
    [now, brand, author]
  )
  const derived = derivedChanges(sql)
  for (const { flags, id, updated_at } of touched) derived.moveUpdated(brand, { id, flags }, updated_at, now)
  sql.run("UPDATE lead SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))", [
    now,
    JSON.stringify(touched.map(({ id }) => id))
  ])
  writeDerivedChanges(sql)
}

/** Removes the person as the author of posts that leads engaged with; these leads change. */
export const eraseAuthor = (
  sql: Connection,
  brand: number,
  author: string,
  { nextId, now }: Pick<ErasureOptions, "nextId" | "now">
): void => {
  forgetAuthor(sql, brand, author, nextId)
  touchReaders(sql, { author, brand }, now)
  noteChanged(
    sql,
    brand,
    sql.column<LeadId>(`SELECT DISTINCT lead_id FROM (${readers}) ORDER BY lead_id`, [brand, author])
  )
  sql.run(
    `UPDATE engagement SET post_url = NULL, post_content = NULL, post_author = NULL, post_author_detail = NULL,
         author_ext_id = NULL
       WHERE brand_id = ? AND author_ext_id = ?`,
    [brand, author]
  )
}

/** The lead that an erasure is about. */
export interface Erased {
  readonly brandId: Lead["brandId"]
  readonly id: LeadId
}

/** Counts the lead's engagements, its deliveries, and the engagements with its posts, up to a limit for each. */
const rowsSql = `SELECT sum(n) FROM (
  SELECT count(*) AS n FROM (SELECT 1 FROM engagement WHERE lead_id = ? LIMIT ?)
  UNION ALL SELECT count(*) FROM (
    SELECT 1 FROM event e CROSS JOIN delivery d ON d.position = e.position WHERE e.lead_id = ? LIMIT ?)
  UNION ALL SELECT count(*) FROM (
    SELECT 1 FROM engagement WHERE brand_id = ? AND author_ext_id = (SELECT ext_id FROM lead WHERE id = ?) LIMIT ?))`

/**
 * A row for each logged answer to a batch in which a delivery of the query went. The first parameter behind those of the query bounds how many
 * attempts of these deliveries are looked at, the second how many rows there are.
 */
const batchResponses = (deliveries: string): string => `SELECT 1 FROM (
    SELECT a.batch_id AS batch FROM (${deliveries}) CROSS JOIN attempt a ON a.delivery_seq = seq WHERE a.batch_id IS NOT NULL LIMIT ?)
  CROSS JOIN attempt m ON m.batch_id = batch WHERE m.response IS NOT NULL LIMIT ?`

const batchResponsesSql = `SELECT sum(n) FROM (
  SELECT count(*) AS n FROM (${batchResponses(deliveriesOfLead)})
  UNION ALL SELECT count(*) FROM (${batchResponses(deliveriesOfReaders)}))`

/** Removing a row costs about as much as looking at so many leads. */
const rowWeight = 20

/** Whether erasing the lead takes more effort than looking at so many leads. */
export const takesMore = (sql: QueryConnection, { brandId, id }: Erased, effort: number): boolean => {
  if (effort === Number.POSITIVE_INFINITY) return false
  const max = Math.floor(effort / rowWeight)
  const limit = max + 1
  const brand = idOf(brandId)
  const rows = sql.value<number>(rowsSql, [id, limit, id, limit, brand, id, limit])!
  if (rows > max || isMergeUnderWay(sql)) return true
  const author = sql.value<string>("SELECT ext_id FROM lead WHERE id = ?", [id])
  if (author === undefined) return false
  const params = [id, limit, limit, brand, author, brand, author, limit, limit]
  return rows + sql.value<number>(batchResponsesSql, params)! > max
}

/** What an erasure writes and how far it goes. */
export interface ErasureOptions {
  /** The hash by which later observations of the person are refused. */
  readonly personHash: string
  /** Replaces the id of each other delivery whose body names the person. */
  readonly nextId: () => DeliveryId
  readonly now: number
  /** Leads of one rank bucket, above which it is split. */
  readonly maxBucketLeads: number
}

/** The number of ids that an erasure needs at most. */
export const countBodies = (sql: QueryConnection, { brandId, id }: Erased): number => {
  const lead = leadById(sql, brandId, id)
  if (lead === null) return 0
  const [brand, author] = [idOf(brandId), lead.extId]
  return sql.value<number>(`SELECT count(*) FROM delivery_body WHERE seq IN (${deliveriesOfReaders})`, [
    brand,
    author,
    brand,
    author
  ])!
}

/** Removes the lead everywhere, within a transaction that changes no other lead's texts. Returns false when there is no such lead. */
export const erase = (
  sql: Connection,
  { brandId, id }: Erased,
  { maxBucketLeads, nextId, now, personHash }: ErasureOptions
): boolean => {
  const lead = leadById(sql, brandId, id)
  if (lead === null) return false
  const [brand, author] = [idOf(brandId), lead.extId]
  sql.run("INSERT OR IGNORE INTO suppression (brand_id, hash, erased_at) VALUES (?, ?, ?)", [
    brand,
    personHash,
    now
  ])
  forgetBatchResponses(sql, deliveriesOfLead, [id])
  removeLeads(sql, brand, [id])
  noteRemoved(sql, brand, { ids: [id], now })
  eraseAuthor(sql, brand, author, { nextId, now })
  changeSearch(sql, lead, null)
  RankIndex.splitLongBuckets(sql, orderings, maxBucketLeads)
  return true
}

/** Leads that one transaction removes at most: more would keep other writes waiting. */
const maxRemoved = 100

/** Removes the brand's oldest leads with all that is theirs, within a transaction. Returns how many the brand has left. */
export const removeSome = (sql: Connection, brandId: string): number => {
  const brand = idOf(brandId)
  const ids = sql.column<LeadId>("SELECT id FROM lead WHERE brand_id = ? ORDER BY created_at, id LIMIT ?", [
    brand,
    maxRemoved
  ])
  if (ids.length === 0) return 0
  const leads = leadsById(sql, ids)
  removeLeads(sql, brand, ids)
  for (const lead of leads) changeSearch(sql, lead, null)
  return sql.value<number>(
    "SELECT coalesce(sum(n), 0) FROM lead_count WHERE brand_id = ? AND signal_id = 0",
    [brand]
  )!
}
