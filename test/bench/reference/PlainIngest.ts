/**
 * Reference (c): observations into the plain tables by prepared statements, a transaction a call, each on the disk when it
 * is answered. It writes what the product writes: lead, link, engagement, the events and a delivery.
 */
import Database from "better-sqlite3"
import { randomBytes } from "node:crypto"
import type { NewObservation } from "../NewObservation.ts"
import { lower } from "./PlainDatabase.ts"

const brandId = 1
const webhookId = 1

/** Opens the file, and answers what takes observations in. */
export const makePlainIngest = (filename: string) => {
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.pragma("foreign_keys = ON")
  db.pragma("cache_size = -65536")
  const signal = db.prepare("SELECT id FROM signal WHERE id = ? AND brand_id = ?")
  const known = db.prepare("SELECT lead_id FROM engagement WHERE brand_id = ? AND id = ?")
  const lead = db.prepare<[number, string], { id: number }>(
    "SELECT id FROM lead WHERE brand_id = ? AND ext_id = ?"
  )
  const upsertCompany = db.prepare(
    `INSERT INTO company VALUES (@id, @name, @domain, @url, @homepageUrl, @logoUrl, @industry, @staffCountRange,
       @staffCount, @location, @country, @city, @username, @description)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name`
  )
  const insertLead = db.prepare(
    `INSERT INTO lead (brand_id, ext_id, name, name_lower, headline, headline_lower, username, title1, li_profile_url,
       profile_img_url, company_id, signal_id, qualified, exported, is_employee, score1, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, NULL, ?, ?)`
  )
  const touchLead = db.prepare("UPDATE lead SET updated_at = ? WHERE id = ?")
  const link = db.prepare("INSERT OR IGNORE INTO lead_signal (lead_id, signal_id) VALUES (?, ?)")
  const insertEngagement = db.prepare(
    `INSERT INTO engagement (brand_id, id, lead_id, signal_id, type, reaction_type, comment_text, post_url, post_content,
       post_posted_at, post_author, author_ext_id, author_name, author_first_name, author_last_name, author_headline,
       author_username, author_profile_url, author_image_url, emitted_at, tracked_at)
     VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const insertEvent = db.prepare(
    `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at) VALUES (?, ?, ?, ?, ?, ?)`
  )
  const insertDelivery = db.prepare(
    `INSERT INTO delivery (id, webhook_id, position, state, attempts, due_at, created_at) VALUES (?, ?, ?, 'pending', 0, ?, ?)`
  )

  const one = ({ engagement, person, signalId }: NewObservation, now: number): boolean => {
    if (signal.get(Number(signalId), brandId) === undefined) return false
    if (known.get(brandId, engagement.id) !== undefined) return false
    let leadId = lead.get(brandId, person.extId)?.id ?? null
    const isNew = leadId === null
    if (leadId === null) {
      upsertCompany.run(person.company)
      leadId = Number(
        insertLead.run(
          brandId,
          person.extId,
          person.name,
          lower(person.name),
          person.headline,
          lower(person.headline),
          person.username,
          person.title1,
          person.liProfileUrl,
          person.profileImgUrl,
          person.company.id,
          Number(signalId),
          now,
          now
        ).lastInsertRowid
      )
    } else touchLead.run(now, leadId)
    link.run(leadId, Number(signalId))
    const author = engagement.postAuthorDetail
    insertEngagement.run(
      brandId,
      engagement.id,
      leadId,
      Number(signalId),
      engagement.type,
      engagement.commentText,
      engagement.postUrl,
      engagement.postContent,
      Date.parse(engagement.postPostedAt),
      engagement.postAuthor,
      author.extId,
      author.name,
      author.firstName,
      author.lastName,
      author.headline,
      author.username,
      author.linkedinProfileUrl,
      author.profileImageUrl,
      Date.parse(engagement.emittedAt),
      Date.parse(engagement.trackedAt)
    )
    if (isNew) insertEvent.run("lead2.created", brandId, leadId, engagement.id, 0, now)
    const { lastInsertRowid } = insertEvent.run(
      "activity.detected",
      brandId,
      leadId,
      engagement.id,
      Number(isNew),
      now
    )
    insertDelivery.run(`wh_${randomBytes(16).toString("hex")}`, webhookId, lastInsertRowid, now, now)
    return true
  }

  const all = db.transaction((observations: ReadonlyArray<NewObservation>) => {
    const now = Date.now()
    let recorded = 0
    for (const observation of observations) if (one(observation, now)) recorded++
    if (recorded !== observations.length) throw new Error(`${recorded} of ${observations.length} recorded`)
    return recorded
  })

  return {
    record: (observations: ReadonlyArray<NewObservation>): number => all.immediate(observations),
    close: (): void => void db.close()
  }
}
