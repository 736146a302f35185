/** The bodies of leased deliveries on SQLite: made once, and kept until their delivery has ended. */
import type { BodyMaterial, LeadEvent, LeaseRequest, Webhook } from "@lead-signals/domain"
import { type EventRow, eventOf, type TakenDeliveryRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { engagementColumns, leadsById, readEngagements, windows, withAuthor } from "../rows/LeadReads.ts"

/** A due delivery that is being leased, with its webhook. */
export type Taken = TakenDeliveryRow & { readonly webhook: Webhook }

/** Reads the contents of the bodies with a few statements. */
const materials = (
  sql: Connection,
  taken: ReadonlyArray<Taken>
): ReadonlyArray<BodyMaterial & { readonly seq: number }> => {
  const rows = sql.all<EventRow>(
    "SELECT e.* FROM json_each(?) j CROSS JOIN event e ON e.position = j.value",
    [JSON.stringify(taken.flatMap(({ position }) => position ?? []))]
  )
  const events = new Map<number, LeadEvent>(rows.map((row) => [row.position, eventOf(row)]))
  const all = [...events.values()]
  const leadIds = [...new Set(all.map(({ leadId }) => leadId))]
  const leads = new Map(leadsById(sql, leadIds).map((lead) => [lead.id, lead]))
  const created = all.filter(({ event }) => event === "lead2.created")
  const newest = windows(sql, [...new Set(created.map(({ leadId }) => leadId))], "detailed")
  const fired = all.filter(({ event }) => event !== "lead2.created")
  const single = readEngagements(
    sql,
    `SELECT ${engagementColumns} FROM json_each(?) j
       CROSS JOIN engagement e ON e.brand_id = j.value ->> 0 AND e.id = j.value ->> 1 ${withAuthor}`,
    [JSON.stringify(fired.map(({ brandId, engagementId }) => [Number(brandId), engagementId]))]
  )
  const byId = new Map(single.map((read) => [`${read.engagement.leadId} ${read.engagement.id}`, read]))
  return taken.map(({ created_at, id, position, seq, webhook }) => {
    const subject = position === null ? null : events.get(position)!
    const engagements =
      subject === null
        ? []
        : subject.event === "lead2.created"
          ? (newest.get(subject.leadId)?.engagements ?? [])
          : [byId.get(`${subject.leadId} ${subject.engagementId}`) ?? []].flat()
    return {
      seq,
      deliveryId: id,
      webhookId: webhook.id,
      brandId: webhook.brandId,
      createdAt: created_at,
      format: webhook.format,
      subject,
      lead: subject === null ? null : (leads.get(subject.leadId) ?? null),
      engagements
    }
  })
}

/** The body of a due delivery; null where there is nothing to send. `isMade` says that it is new, and not kept yet. */
interface Body {
  readonly body: string | null
  readonly isMade: boolean
}

/** The bodies of the taken deliveries, by seq; renders missing ones. [EVT-5] */
const bodies = (
  sql: Connection,
  taken: ReadonlyArray<Taken>,
  make: LeaseRequest["body"]
): ReadonlyMap<number, Body> => {
  const kept = sql.all<{ seq: number; body: string }>(
    "SELECT b.seq, b.body FROM json_each(?) j CROSS JOIN delivery_body b ON b.seq = j.value",
    [JSON.stringify(taken.map(({ seq }) => seq))]
  )
  const found = new Map<number, Body>(kept.map(({ body, seq }) => [seq, { body, isMade: false }]))
  const missing = taken.filter(({ seq }) => !found.has(seq))
  for (const { seq, ...material } of missing.length === 0 ? [] : materials(sql, missing)) {
    const body = make(material)
    found.set(seq, { body, isMade: body !== null })
  }
  return found
}

/** Keeps the new bodies of leased deliveries, for their later attempts. [EVT-5] */
export const keepBodies = (sql: Connection, leased: ReadonlyArray<Taken & Body>): void => {
  for (const { body, isMade, seq } of leased) {
    if (isMade) sql.run("INSERT INTO delivery_body (seq, body) VALUES (?, ?)", [seq, body])
  }
}

/** Characters of all bodies in one lease, about, and deliveries: what is due beyond is leased next. */
const maxBodyCharacters = 8 * 1024 * 1024
const maxTaken = 500
const bodiesAtOnce = 64

/** What a process remembers from one lease to the next. */
export interface LeaseMemory {
  /** Characters of a body on average, of the last lease that took something; null before. */
  bodyLength: number | null
  /** Whether the last lease left due deliveries that there was no place for: then the next one need not look before it writes. */
  isMoreDue: boolean
}

/** Reads the first due deliveries with their bodies, up to the bounds of one lease, and at least one. `keepBodies` keeps the new ones. */
export const withBodies = (
  sql: Connection,
  due: ReadonlyArray<Taken>,
  make: LeaseRequest["body"],
  memory: LeaseMemory
): ReadonlyArray<Taken & Body> => {
  const found: Array<Taken & Body> = []
  let size = 0
  for (
    let from = 0, length = 1;
    from < due.length && from < maxTaken && size < maxBodyCharacters;
    from += length
  ) {
    // By the size of those before; a few large ones are not read with many others.
    const expected = from > 0 ? size / from : (memory.bodyLength ?? maxBodyCharacters)
    length = Math.max(1, Math.min(bodiesAtOnce, Math.floor(maxBodyCharacters / Math.max(1, expected))))
    const part = due.slice(from, from + length)
    const made = bodies(sql, part, make)
    for (const each of part) {
      const { body, isMade } = made.get(each.seq)!
      size += body?.length ?? 0
      found.push({ ...each, body, isMade })
    }
  }
  memory.bodyLength = size / found.length
  return found
}
