/** Takes a person out of everything that the file holds. [PII-3] */
import type { DeliveryId, Lead, LeadId } from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"
import { orderings } from "./Ordering.ts"
import { leadById } from "./LeadReading.ts"
import * as Positions from "./Positions.ts"
import { idOf } from "./Rows.ts"
import { changeSearch } from "./SearchIndex.ts"

const ofLead = "SELECT position FROM event WHERE lead_id = ?"

/** In an order in which nothing refers to what is gone. */
const removals = [
  `DELETE FROM attempt WHERE delivery_seq IN (SELECT seq FROM delivery WHERE position IN (${ofLead}))`,
  `DELETE FROM delivery_body WHERE seq IN (SELECT seq FROM delivery WHERE position IN (${ofLead}))`,
  `DELETE FROM delivery WHERE position IN (${ofLead})`,
  "DELETE FROM event WHERE lead_id = ?",
  "DELETE FROM engagement WHERE lead_id = ?",
  "DELETE FROM lead_signal WHERE lead_id = ?",
  "DELETE FROM lead WHERE id = ?"
]

/** The leads that were seen engaging with posts of the person. */
const readers = "SELECT lead_id FROM engagement WHERE brand_id = ? AND author_ext_id = ?"

/** Deliveries that can show the author: of the engagements with the posts, and all that list a reader's engagements. */
const concerned = `SELECT d.seq FROM event e CROSS JOIN delivery d ON d.position = e.position
  WHERE e.lead_id IN (${readers})
    AND (e.event = 'lead2.created' OR e.engagement_id IN (
      SELECT id FROM engagement WHERE brand_id = ? AND author_ext_id = ?))`

/** What was made or logged of deliveries about the others, and can hold the person as a post's author. */
const forgetAuthor = (sql: Connection, brand: number, author: string, ids: () => DeliveryId): void => {
  const params = [brand, author, brand, author]
  sql.run(
    `UPDATE attempt SET response = NULL WHERE response IS NOT NULL AND delivery_seq IN (${concerned})`,
    params
  )
  const made = sql.all<{ seq: number; id: DeliveryId }>(
    `SELECT d.seq, d.id FROM delivery_body b CROSS JOIN delivery d ON d.seq = b.seq
       WHERE b.seq IN (${concerned}) ORDER BY b.seq`,
    params
  )
  for (const { id, seq } of made) {
    const fresh = ids()
    sql.run("DELETE FROM delivery_body WHERE seq = ?", [seq])
    sql.run("UPDATE delivery SET id = ?, lease = NULL WHERE seq = ?", [fresh, seq])
    // Those that this one sends again, or was sent again as, are of the same event.
    sql.run(
      `UPDATE delivery SET resend_of = iif(resend_of = ?, ?, resend_of), resent_as = iif(resent_as = ?, ?, resent_as)
         WHERE position = (SELECT position FROM delivery WHERE seq = ?)`,
      [id, fresh, id, fresh, seq]
    )
  }
}

export const erase = (
  sql: Connection,
  lead: Pick<Lead, "brandId"> & { readonly id: LeadId },
  personHash: string,
  ids: () => DeliveryId,
  now: number
): boolean => {
  const known = leadById(sql, lead.brandId, lead.id)
  if (known === null) return false
  const brand = idOf(lead.brandId)
  sql.run("INSERT OR IGNORE INTO suppression (brand_id, hash) VALUES (?, ?)", [brand, personHash])
  changeSearch(sql, known, null)
  for (const statement of removals) sql.run(statement, [known.id])
  Positions.forgetLead(sql, orderings, { brandId: brand, id: known.id })
  forgetAuthor(sql, brand, known.extId, ids)
  sql.run(`UPDATE lead SET updated_at = max(updated_at, ?) WHERE id IN (${readers})`, [
    now,
    brand,
    known.extId
  ])
  sql.run(
    `UPDATE engagement SET post_url = NULL, post_content = NULL, post_author = NULL, post_author_detail = NULL,
         author_ext_id = NULL
       WHERE brand_id = ? AND author_ext_id = ?`,
    [brand, known.extId]
  )
  return true
}
