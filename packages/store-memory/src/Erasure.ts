/** Erases a person from the memory: the lead, its events and deliveries, and the person as the author of posts. [PII-3] */
import type { Attempt, DeliveryId, LeadEvent, LeadId } from "@lead-signals/domain"
import type { BrandLeads } from "./BrandLeads.ts"
import type { DeliveryRecord } from "./DeliveryBook.ts"
import type { Memory } from "./MemoryState.ts"

/**
 * Removes the body and the logged responses of a delivery about another lead, which may name the erased
 * person as a post's author. Returns the delivery's id, a new one when it had a body.
 */
const redactAuthor = (memory: Memory, deliveryId: DeliveryId, ids: () => DeliveryId): DeliveryId => {
  const record = memory.deliveries.byId.get(deliveryId)!
  const log = record.log.map((attempt) => ({ ...attempt, response: null }))
  if (record.body === null) {
    memory.deliveries.put({ ...record, log })
    return deliveryId
  }
  const id = ids()
  memory.deliveries.remove(record)
  memory.deliveries.put({ ...record, log, id, body: null, lease: null })
  return id
}

/** Replaces the old ids of deliveries in those that refer to them. */
const updateReferences = (memory: Memory, renewed: ReadonlyMap<DeliveryId, DeliveryId>): void => {
  if (renewed.size === 0) return
  const current = (id: DeliveryId | null): DeliveryId | null => (id === null ? null : (renewed.get(id) ?? id))
  for (const record of memory.deliveries.all()) {
    const [resendOf, resentAs] = [current(record.resendOf), current(record.resentAs)]
    if (resendOf !== record.resendOf || resentAs !== record.resentAs)
      memory.deliveries.put({ ...record, resendOf, resentAs })
  }
}

/** The batches that the delivery was attempted in. */
const batchesOf = ({ log }: DeliveryRecord): ReadonlyArray<string> =>
  log.flatMap(({ batchId }) => batchId ?? [])

/** Removes the logged responses to the batches: a receiver answers all events of a batch at once, and the log of each has the answer. [BATCH-3] */
const redactBatches = (memory: Memory, batches: ReadonlySet<string>): void => {
  if (batches.size === 0) return
  const answers = ({ batchId, response }: Attempt): boolean =>
    response !== null && batchId !== null && batches.has(batchId)
  for (const record of memory.deliveries.all()) {
    if (!record.log.some(answers)) continue
    const log = record.log.map((attempt) => (answers(attempt) ? { ...attempt, response: null } : attempt))
    memory.deliveries.put({ ...record, log })
  }
}

/** The engagements with posts of the erased person, and the leads that engaged with them. */
interface Authored {
  readonly engagementIds: ReadonlySet<string>
  readonly readers: ReadonlySet<LeadId>
}

/**
 * Removes the deliveries of the erased lead, and redacts those about leads that engaged with the person's posts, with the answers to batches in
 * which either went.
 */
const eraseDeliveries = (
  memory: Memory,
  id: LeadId,
  { engagementIds, readers }: Authored,
  ids: () => DeliveryId
): void => {
  const canShow = ({ engagementId, event }: LeadEvent): boolean =>
    event === "lead2.created" || engagementIds.has(engagementId)
  const renewed = new Map<DeliveryId, DeliveryId>()
  const batches = new Set<string>()
  for (const record of memory.deliveries.all()) {
    if (record.event === null) continue
    const isOwn = record.event.leadId === id
    if (!isOwn && !(readers.has(record.event.leadId) && canShow(record.event))) continue
    for (const batch of batchesOf(record)) batches.add(batch)
    if (isOwn) memory.deliveries.remove(record)
    else {
      const renewedAs = redactAuthor(memory, record.id, ids)
      if (renewedAs !== record.id) renewed.set(record.id, renewedAs)
    }
  }
  redactBatches(memory, batches)
  updateReferences(memory, renewed)
}

/** Removes the person as the author of posts, and moves the `updatedAt` of the leads that engaged with them. */
const eraseAuthor = (leads: BrandLeads, { engagementIds }: Authored, now: number): void => {
  for (const engagementId of engagementIds) {
    const earlier = leads.engagements.get(engagementId)!
    leads.replaceEngagement(earlier, {
      ...earlier,
      postUrl: null,
      postContent: null,
      postAuthor: null,
      postAuthorDetail: null
    })
    const { lead } = leads.byId.get(earlier.leadId)!
    leads.put({ ...lead, updatedAt: Math.max(lead.updatedAt, now) })
  }
}

/** As `LeadStore.erase`, at the time `now`. */
export const erase = (
  memory: Memory,
  brandId: string,
  id: LeadId,
  personHash: string,
  ids: () => DeliveryId,
  now: number
): boolean => {
  const leads = memory.leadsOf(brandId)
  const found = leads.byId.get(id)
  if (found === undefined) return false
  leads.suppressed.set(personHash, leads.suppressed.get(personHash) ?? now)
  leads.remove(id)
  memory.events.removeLead(id)
  memory.noteRemoved(brandId, id, now)
  const engagementIds = new Set(leads.byAuthor.get(found.lead.extId))
  const readers = new Set(
    [...engagementIds].map((engagementId) => leads.engagements.get(engagementId)!.leadId)
  )
  eraseDeliveries(memory, id, { engagementIds, readers }, ids)
  eraseAuthor(leads, { engagementIds, readers }, now)
  const others = [...readers].filter((reader) => reader !== id).sort((a, b) => a - b)
  for (const reader of others) memory.noteChanged(brandId, reader)
  return true
}
