/**
 * The floor of taking in observations: the rows that the product's own tables must get, and nothing else. It decodes nothing,
 * decides nothing, hashes nobody and keeps no derived table; search entries it writes, made beforehand, as many at once as the product
 * does. The file is of no use afterwards.
 */
import { DeliveryIds, RenderedLeads } from "@lead-signals/domain"
import { SearchIndex, SearchTail } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { randomBytes } from "node:crypto"
import type { NewObservation } from "../NewObservation.ts"

const [brandId, webhookId] = [1, 1]

/** Events of one statement, as many as in the product. */
const eventsAtOnce = 20

/** Everything that a row takes and that is no statement. */
export const prepareRows = ({ engagement, person, signalId }: NewObservation) => {
  const now = Date.now()
  const company = JSON.stringify(person.company)
  const rendered = RenderedLeads.keep(
    RenderedLeads.renderLead({
      id: 0,
      brandId: String(brandId),
      extId: person.extId,
      profile: { ...person, company: person.company },
      profileTimes: {},
      signalId,
      signalIds: [signalId],
      qualified: false,
      exported: false,
      isEmployee: false,
      score1: null,
      createdAt: now,
      updatedAt: now
    } as unknown as Parameters<typeof RenderedLeads.renderLead>[0])
  )
  const times = Object.fromEntries(
    ["name", "headline", "username", "title1", "liProfileUrl", "profileImgUrl", "company"].map((field) => [
      field,
      now
    ])
  )
  return {
    lead: [
      brandId,
      person.extId,
      person.name,
      person.name.toLowerCase(),
      person.headline,
      person.username,
      person.title1,
      person.liProfileUrl,
      person.profileImgUrl,
      company,
      JSON.stringify(times),
      Number(signalId),
      JSON.stringify([signalId]),
      now,
      now,
      rendered
    ],
    texts: SearchIndex.searchTexts(brandId, person.name, person.headline),
    engagement: [
      brandId,
      engagement.id,
      Number(signalId),
      engagement.type,
      engagement.commentText,
      engagement.postUrl,
      engagement.postContent,
      Date.parse(engagement.postPostedAt),
      engagement.postAuthor,
      JSON.stringify(engagement.postAuthorDetail),
      engagement.postAuthorDetail.extId,
      Date.parse(engagement.emittedAt),
      Date.parse(engagement.trackedAt)
    ],
    signalId: Number(signalId),
    now
  }
}
type PreparedRows = ReturnType<typeof prepareRows>

/** The floor over one file. */
export interface RowsAlone {
  /** Inserts in one transaction, which is on the disk when it returns. Returns the number of observations. */
  readonly record: (all: ReadonlyArray<PreparedRows>) => number
  readonly close: () => void
}

/** Opens a file in the schema of the product, which is of no use afterwards. */
export const makeRowsAlone = (filename: string): RowsAlone => {
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.pragma("foreign_keys = ON")
  db.pragma("secure_delete = ON")
  db.pragma("cache_size = -65536")
  const lead = db.prepare(
    `INSERT INTO lead (brand_id, ext_id, name, name_key, headline, username, title1, li_profile_url, profile_img_url, company,
       profile_times, signal_id, signal_ids, flags, score1, score_missing, created_at, updated_at, shown)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, 1, ?, ?, ?)`
  )
  const link = db.prepare("INSERT INTO lead_signal VALUES (?, ?, ?, 0)")
  const text = db.prepare("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)")
  const gram = db.prepare("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)")
  const insertEngagement = db.prepare(
    `INSERT INTO engagement (brand_id, id, lead_id, signal_id, type, comment_text, post_url, post_content, post_posted_at, post_author,
       post_author_detail, author_ext_id, emitted_at, tracked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const insertEvents = (count: number) =>
    db.prepare(
      `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
       VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?)").join(", ")}`
    )
  const event = insertEvents(1)
  const manyEvents = insertEvents(eventsAtOnce)
  const delivery = db.prepare(
    `INSERT INTO delivery (id, webhook_id, position, state, attempts, failures, due_at, created_at)
     VALUES (?, ?, ?, 'pending', 0, 0, ?, ?)`
  )
  let unindexed: Array<readonly [leadId: number, texts: PreparedRows["texts"]]> = []
  const record = db.transaction((all: ReadonlyArray<PreparedRows>) => {
    const events: Array<ReadonlyArray<string | number>> = []
    for (const rows of all) {
      const { now, signalId } = rows
      const leadId = Number(lead.run(...rows.lead).lastInsertRowid)
      link.run(signalId, now, leadId)
      const [brand, engagementId, ...rest] = rows.engagement
      insertEngagement.run(brand, engagementId, leadId, ...rest)
      events.push(["lead2.created", brandId, leadId, engagementId!, 0, now])
      events.push(["activity.detected", brandId, leadId, engagementId!, 1, now])
      unindexed.push([leadId, rows.texts])
    }
    let position = 0
    const together = events.length - (events.length % eventsAtOnce)
    for (let from = 0; from < together; from += eventsAtOnce) {
      const { lastInsertRowid } = manyEvents.run(...events.slice(from, from + eventsAtOnce).flat())
      position = Number(lastInsertRowid)
    }
    for (const each of events.slice(together)) position = Number(event.run(...each).lastInsertRowid)
    const nextId = DeliveryIds.sequence(randomBytes(DeliveryIds.seedBytes))
    for (const [i, { now }] of all.entries()) {
      delivery.run(nextId(), webhookId, position - 2 * (all.length - 1 - i), now, now)
    }
    if (unindexed.length > SearchTail.maxUnindexed) {
      for (const [leadId, { grams, headline, name }] of unindexed) {
        text.run(leadId, name, headline)
        gram.run(leadId, grams)
      }
      unindexed = []
    }
    return all.length
  })
  return { record: (all) => record.immediate(all), close: () => void db.close() }
}
