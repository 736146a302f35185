/** Takes persons out of everything that the file holds. [PII-3, DEL-1] */
import type { DeliveryId, Lead, LeadId } from "@lead-signals/domain"
import { ask, askColumn, type Asking, tell } from "./Asking.ts"
import { orderings } from "./Ordering.ts"
import { askLead, askLeads } from "./LeadReading.ts"
import * as Positions from "./Positions.ts"
import { idOf } from "./Rows.ts"
import { takeOut } from "./SearchIndex.ts"
import { isMergeUnderWay } from "./SegmentMerge.ts"

/** The ids of leads, as a JSON array. */
const given = "SELECT value FROM json_each(?)"
const ofLeads = `SELECT position FROM event WHERE lead_id IN (${given})`

/** In an order in which nothing refers to what is gone. */
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
function* removeLeads(brandId: number, ids: ReadonlyArray<LeadId>): Asking<void> {
  for (const statement of removals) yield* tell(statement, [JSON.stringify(ids)])
  yield* Positions.forgetLeads(orderings, { brandId, ids })
}

/** The leads that were seen engaging with posts of the person. */
const readers = "SELECT lead_id FROM engagement WHERE brand_id = ? AND author_ext_id = ?"

/** Deliveries that can show the author: of the engagements with the posts, and all that list a reader's engagements. */
const concerned = `SELECT d.seq FROM event e CROSS JOIN delivery d ON d.position = e.position
  WHERE e.lead_id IN (${readers})
    AND (e.event = 'lead2.created' OR e.engagement_id IN (
      SELECT id FROM engagement WHERE brand_id = ? AND author_ext_id = ?))`

/** What was made or logged of deliveries about the others, and can hold the person as a post's author. */
function* forgetAuthor(brand: number, author: string, ids: () => DeliveryId): Asking<void> {
  const params = [brand, author, brand, author]
  yield* tell(
    `UPDATE attempt SET response = NULL WHERE response IS NOT NULL AND delivery_seq IN (${concerned})`,
    params
  )
  const made = yield* ask<{ seq: number; id: DeliveryId }>(
    `SELECT d.seq, d.id FROM delivery_body b CROSS JOIN delivery d ON d.seq = b.seq
       WHERE b.seq IN (${concerned}) ORDER BY b.seq`,
    params
  )
  for (const { id, seq } of made) {
    const fresh = ids()
    yield* tell("DELETE FROM delivery_body WHERE seq = ?", [seq])
    yield* tell("UPDATE delivery SET id = ?, lease = NULL WHERE seq = ?", [fresh, seq])
    // Those that this one sends again, or was sent again as, are of the same event.
    yield* tell(
      `UPDATE delivery SET resend_of = iif(resend_of = ?, ?, resend_of), resent_as = iif(resent_as = ?, ?, resent_as)
         WHERE position = (SELECT position FROM delivery WHERE seq = ?)`,
      [id, fresh, id, fresh, seq]
    )
  }
}

interface Erased {
  readonly brandId: Lead["brandId"]
  readonly id: LeadId
}

/** The lead's engagements, the deliveries about it, and the engagements with its posts: so many at most of each. */
const rowsSql = `SELECT sum(n) FROM (
  SELECT count(*) AS n FROM (SELECT 1 FROM engagement WHERE lead_id = ? LIMIT ?)
  UNION ALL SELECT count(*) FROM (
    SELECT 1 FROM event e CROSS JOIN delivery d ON d.position = e.position WHERE e.lead_id = ? LIMIT ?)
  UNION ALL SELECT count(*) FROM (
    SELECT 1 FROM engagement WHERE brand_id = ? AND author_ext_id = (SELECT ext_id FROM lead WHERE id = ?) LIMIT ?))`

/** Taking out a row costs about as much as looking at so many leads. */
const rowWeight = 20

/** Whether erasing the lead takes more effort than looking at so many leads. */
export function* takesMore({ brandId, id }: Erased, effort: number): Asking<boolean> {
  if (effort === Number.POSITIVE_INFINITY) return false
  const greatest = Math.floor(effort / rowWeight)
  const limit = greatest + 1
  const [rows] = yield* askColumn<number>(rowsSql, [id, limit, id, limit, idOf(brandId), id, limit])
  return rows! > greatest || (yield* isMergeUnderWay())
}

/** Takes the lead out of all but the indexes of texts. What it was; null when there is no such lead. */
export function* erase(
  { brandId, id }: Erased,
  personHash: string,
  ids: () => DeliveryId,
  now: number
): Asking<Lead | null> {
  const known = yield* askLead(brandId, id)
  if (known === null) return null
  const brand = idOf(brandId)
  yield* tell("INSERT OR IGNORE INTO suppression (brand_id, hash) VALUES (?, ?)", [brand, personHash])
  yield* removeLeads(brand, [id])
  yield* forgetAuthor(brand, known.extId, ids)
  yield* tell(`UPDATE lead SET updated_at = max(updated_at, ?) WHERE id IN (${readers})`, [
    now,
    brand,
    known.extId
  ])
  yield* tell(
    `UPDATE engagement SET post_url = NULL, post_content = NULL, post_author = NULL, post_author_detail = NULL,
         author_ext_id = NULL
       WHERE brand_id = ? AND author_ext_id = ?`,
    [brand, known.extId]
  )
  return known
}

/** So many leads go in one transaction of the writing thread: more would keep other writes waiting. */
const removedAtOnce = 100

/** Removes the brand's oldest leads with all that is theirs. How many the brand has left. */
export function* removeSome(brandId: number): Asking<number> {
  const ids = yield* askColumn<LeadId>(
    "SELECT id FROM lead WHERE brand_id = ? ORDER BY created_at, id LIMIT ?",
    [brandId, removedAtOnce]
  )
  if (ids.length === 0) return 0
  const leads = yield* askLeads(ids)
  yield* removeLeads(brandId, ids)
  yield* takeOut(leads)
  const [left] = yield* askColumn<number>(
    "SELECT coalesce(sum(n), 0) FROM lead_count WHERE brand_id = ? AND signal_id = 0",
    [brandId]
  )
  return left!
}
