/** The erasure of a person: the lead, its events and deliveries, and the person as the author of posts. */
import type { Attempt, DeliveryId, Engagement, Lead } from "@lead-signals/domain"
import { engagementsOf } from "./engagements.ts"
import type { DeliveryRow, Tables } from "./Tables.ts"

/** The engagements with posts of the person. */
export const authoredBy = (tables: Tables, brandId: string, extId: string): Array<Engagement> =>
  tables
    .engagements(brandId)
    .all()
    .filter(({ postAuthorDetail }) => postAuthorDetail?.extId === extId)

/** Deliveries about those who engaged with the erased person's posts can name that person. */
const forgetAuthor = (tables: Tables, row: DeliveryRow, ids: () => DeliveryId): void => {
  const log = row.log.map((attempt) => ({ ...attempt, response: null }))
  if (row.body === null) {
    tables.deliveries.put(row.id, { ...row, log })
    return
  }
  // One id has one body: the body is made anew, under another id.
  const id = ids()
  tables.deliveries.remove(row.id)
  tables.deliveries.put(id, { ...row, id, log, body: null, lease: null })
  for (const other of tables.deliveries.all()) {
    if (other.resendOf === row.id) tables.deliveries.put(other.id, { ...other, resendOf: id })
    else if (other.resentAs === row.id) tables.deliveries.put(other.id, { ...other, resentAs: id })
  }
}

/** A receiver answers all events of a batch at once, and the log of each delivery has the answer. */
const forgetAnswers = (tables: Tables, batches: ReadonlySet<string>): void => {
  const answers = ({ batchId, response }: Attempt): boolean =>
    response !== null && batchId !== null && batches.has(batchId)
  for (const row of tables.deliveries.all()) {
    if (!row.log.some(answers)) continue
    const log = row.log.map((attempt) => (answers(attempt) ? { ...attempt, response: null } : attempt))
    tables.deliveries.put(row.id, { ...row, log })
  }
}

/** Erases the lead, the answers to batches in which the person can be, and moves the `updatedAt` of leads that engaged with the person's posts. */
export const erase = (
  tables: Tables,
  brandId: string,
  lead: Lead,
  ids: () => DeliveryId,
  now: number
): void => {
  tables.leads(brandId).remove(String(lead.id))
  tables.noteChange(brandId, lead.id, now)
  for (const { id } of engagementsOf(tables, brandId, lead.id)) tables.engagements(brandId).remove(id)
  for (const event of tables.events(brandId).all())
    if (event.leadId === lead.id) tables.events(brandId).remove(String(event.position))
  const authored = authoredBy(tables, brandId, lead.extId)
  const readers = new Set(authored.map(({ leadId }) => leadId).sort((a, b) => a - b))
  const read = new Set(authored.map(({ id }) => id))
  const batches = new Set<string>()
  for (const row of tables.deliveries.all()) {
    if (row.event === null || row.event.brandId !== brandId) continue
    const { engagementId, event, leadId } = row.event
    const isOwn = leadId === lead.id
    if (!isOwn && !(readers.has(leadId) && (event === "lead2.created" || read.has(engagementId)))) continue
    for (const { batchId } of row.log) if (batchId !== null) batches.add(batchId)
    if (isOwn) tables.deliveries.remove(row.id)
    // Read anew: an earlier iteration of this loop can have changed what it refers to.
    else forgetAuthor(tables, tables.deliveries.get(row.id)!, ids)
  }
  if (batches.size > 0) forgetAnswers(tables, batches)
  const nothing = { postUrl: null, postContent: null, postAuthor: null, postAuthorDetail: null }
  for (const engagement of authored)
    tables.engagements(brandId).put(engagement.id, { ...engagement, ...nothing })
  for (const id of readers) {
    const reader = tables.leads(brandId).get(String(id))!
    tables.leads(brandId).put(String(id), { ...reader, updatedAt: Math.max(reader.updatedAt, now) })
    tables.noteChange(brandId, id, null)
  }
}
