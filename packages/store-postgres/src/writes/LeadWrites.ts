/** Writes leads with all that is derived from them, whatever their number, in two statements. */
import type { DeliveryId, Engagement, EventType, Instant, Lead } from "@lead-signals/domain"
import { flagsOf, idOf } from "@lead-signals/sql-rows"
import type { Connection, Scalar } from "../connection/Connection.ts"
import { gramsOf, searchTextsOf } from "../query/Grams.ts"
import {
  engagementColumns,
  engagementValues,
  leadValues,
  type Person,
  sealedEngagementValues,
  sealedLeadValues,
  writtenLeadColumns
} from "../rows/LeadRows.ts"
import { nextPosition, noteSql } from "./ChangedLeads.ts"
import { type CounterChanges, countedOf } from "./LeadCounters.ts"
import { type Column, namesOf, Params } from "./Rows.ts"

/** A lead before and after a transaction; `before` is null where the transaction creates it. */
export interface LeadChange {
  readonly before: Lead | null
  readonly after: Lead
  /** Null in a database that is not encrypted. */
  readonly person: Person | null
}

/** An engagement with its brand, and the persons for whom it is sealed. */
type WrittenEngagement = Engagement & {
  readonly brandId: number
  /** Who engaged; null in a database that is not encrypted. */
  readonly person: Person | null
  /** The post's author; null where no external id is known. */
  readonly author: Person | null
}

/** An event with the ids of its deliveries. */
export interface FiredEvent {
  readonly brandId: number
  readonly event: EventType
  readonly leadId: number
  readonly engagementId: string
  readonly isFirstActivity: boolean
  readonly deliveries: ReadonlyArray<{ readonly id: DeliveryId; readonly webhookId: number }>
}

/** All rows that a transaction writes. */
export interface Written {
  readonly leads: ReadonlyArray<LeadChange>
  readonly engagements: ReadonlyArray<WrittenEngagement>
  readonly events: ReadonlyArray<FiredEvent>
}

const textColumns: ReadonlyArray<Column> = [
  ["brand_id", "bigint"],
  ["lead_id", "bigint"],
  ["name_key", "text"],
  ["headline_key", "text"],
  ["first_gram", "integer"],
  ["last_gram", "integer"]
]

const signalColumns: ReadonlyArray<Column> = [
  ["brand_id", "bigint"],
  ["signal_id", "bigint"],
  ["created_at", "bigint"],
  ["lead_id", "bigint"],
  ["flags", "smallint"]
]

const flagColumns: ReadonlyArray<Column> = [
  ["brand_id", "bigint"],
  ["lead_id", "bigint"],
  ["flags", "smallint"]
]

const changedColumns: ReadonlyArray<Column> = [
  ["brand_id", "bigint"],
  ["lead_id", "bigint"]
]

const eventColumns: ReadonlyArray<Column> = [
  ["brand_id", "bigint"],
  ["event", "text"],
  ["lead_id", "bigint"],
  ["engagement_id", "text"],
  ["is_first_activity", "boolean"],
  ["delivery_ids", "text"],
  ["webhook_ids", "text"]
]

/** Texts that no id holds stand between ids: an event's deliveries are one column. */
const eventValues = (fired: FiredEvent): ReadonlyArray<Scalar> => [
  fired.brandId,
  fired.event,
  fired.leadId,
  fired.engagementId,
  fired.isFirstActivity,
  fired.deliveries.map(({ id }) => id).join("\n"),
  fired.deliveries.map(({ webhookId }) => webhookId).join("\n")
]

/** The lead's columns that an update sets: all but its keys and what never changes. */
const updated = writtenLeadColumns.filter(([name]) => !["brand_id", "id", "ext_id"].includes(name))

/** Rows of one kind in one statement, which keeps its parameters small. */
const maxRows = 2000

/** The parts of a statement that writes, each with the number of its rows as its result. */
class Parts {
  readonly params = new Params()
  private readonly texts: Array<string> = []
  private readonly writing: Array<string> = []

  /** A part that others read. */
  read(name: string, text: string): void {
    this.texts.push(`${name} AS MATERIALIZED (${text})`)
  }

  write(text: string): void {
    const name = `w${this.writing.length}`
    this.writing.push(name)
    this.texts.push(`${name} AS (${text} RETURNING 1)`)
  }

  rows<A>(
    rows: ReadonlyArray<A>,
    values: (row: A) => ReadonlyArray<Scalar>,
    columns: ReadonlyArray<Column>,
    textOf: (table: string) => string
  ): void {
    if (rows.length > 0) this.write(textOf(this.params.rows("u", columns, rows.map(values))))
  }

  /** A part that writes after all parts before it. */
  writeLast(name: string, textOf: (afterAll: string) => string): void {
    const counts = this.writing.map((written) => `(SELECT count(*) FROM ${written})`)
    this.texts.push(`${name} AS (${textOf(`${["0", ...counts].join(" + ")} >= 0`)} RETURNING 1)`)
  }

  /** The statement, whose row is there once the part is written. */
  statement(last: string): string {
    return `WITH ${this.texts.join(", ")} SELECT count(*) FROM ${last}`
  }
}

/**
 * Writes what searches find leads by. The grams of all leads are one array, of which each lead takes a part: Postgres has no arrays of arrays
 * of different lengths.
 */
const addTexts = (parts: Parts, leads: ReadonlyArray<Lead>): void => {
  const grams: Array<number> = []
  const rows = leads.map(({ brandId, id, profile }): ReadonlyArray<Scalar> => {
    const { headline, name } = searchTextsOf(profile.name, profile.headline)
    const first = grams.length + 1
    grams.push(...gramsOf(idOf(brandId), [name, headline]))
    return [idOf(brandId), id, name, headline, first, grams.length]
  })
  const all = parts.params.array("integer", grams)
  parts.rows(
    rows,
    (row) => row,
    textColumns,
    (table) => `INSERT INTO lead_signals.lead_text (brand_id, lead_id, name_key, headline_key, grams)
      SELECT brand_id, lead_id, name_key, headline_key, (${all})[first_gram:last_gram] FROM ${table}
      ON CONFLICT (brand_id, lead_id) DO UPDATE
        SET name_key = excluded.name_key, headline_key = excluded.headline_key, grams = excluded.grams`
  )
}

const insert = (table: string, columns: ReadonlyArray<Column>) => (from: string) =>
  `INSERT INTO lead_signals.${table} (${namesOf(columns)}) SELECT ${namesOf(columns)} FROM ${from}`

const valuesOf = ({ after, person }: LeadChange): ReadonlyArray<Scalar> =>
  person === null ? leadValues(after) : sealedLeadValues(after, person)

const engagementValuesOf = (engagement: WrittenEngagement): ReadonlyArray<Scalar> => {
  const { author, brandId, person } = engagement
  return person === null
    ? engagementValues(brandId, engagement)
    : sealedEngagementValues(brandId, engagement, person, author)
}

/**
 * Adds the statements about leads and what lists read beside them. Each kind of row is one part of one statement, however many leads there
 * are, and parts without rows are left out; unchanged texts are not written again.
 */
const addLeads = (parts: Parts, leads: ReadonlyArray<LeadChange>): void => {
  const changed = leads.filter(({ before }) => before !== null)
  parts.rows(
    leads.filter(({ before }) => before === null),
    valuesOf,
    writtenLeadColumns,
    insert("lead", writtenLeadColumns)
  )
  parts.rows(
    changed,
    valuesOf,
    writtenLeadColumns,
    (table) => `UPDATE lead_signals.lead l SET ${updated.map(([name]) => `${name} = u.${name}`).join(", ")}
      FROM ${table} WHERE l.brand_id = u.brand_id AND l.id = u.id`
  )
  const texts = leads.filter(
    ({ after, before }) =>
      before?.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline
  )
  if (texts.length > 0)
    addTexts(
      parts,
      texts.map(({ after }) => after)
    )
  const caught = leads.flatMap(({ after, before }) =>
    after.signalIds
      .filter((id) => before?.signalIds.includes(id) !== true)
      .map((id) => [idOf(after.brandId), idOf(id), after.createdAt, after.id, flagsOf(after)])
  )
  parts.rows(caught, (row) => row, signalColumns, insert("lead_signal", signalColumns))
  parts.rows(
    changed.filter(({ after, before }) => flagsOf(before!) !== flagsOf(after)),
    ({ after }) => [idOf(after.brandId), after.id, flagsOf(after)],
    flagColumns,
    (table) => `UPDATE lead_signals.lead_signal g SET flags = u.flags
      FROM ${table} WHERE g.brand_id = u.brand_id AND g.lead_id = u.lead_id`
  )
}

/** Events and their deliveries, which are due at once; after the part `version`. [DELIV-2] */
const addEvents = (parts: Parts, events: ReadonlyArray<FiredEvent>, now: Instant): void => {
  if (events.length === 0) return
  const table = parts.params.rows("u", eventColumns, events.map(eventValues))
  const at = `${parts.params.add(now)}::bigint`
  // The brand's row is locked until the end of the transaction: positions ascend as the brand's commits do. [LIVE-1]
  parts.read(
    "fired",
    `SELECT nextval('lead_signals.event_position_seq') AS position, u.* FROM ${table}
     WHERE (SELECT count(*) FROM version) >= 0`
  )
  parts.write(
    `INSERT INTO lead_signals.event
       (brand_id, position, event, lead_id, engagement_id, is_first_activity, occurred_at) OVERRIDING SYSTEM VALUE
     SELECT brand_id, position, event, lead_id, engagement_id, is_first_activity, ${at} FROM fired`
  )
  if (events.every(({ deliveries }) => deliveries.length === 0)) return
  parts.write(
    `INSERT INTO lead_signals.delivery
       (brand_id, id, webhook_id, position, state, attempts, failures, due_at, created_at, ordered_lead)
     SELECT f.brand_id, d.id, d.webhook_id, f.position, 'pending', 0, 0, ${at}, ${at},
       (SELECT f.lead_id FROM lead_signals.webhook w WHERE w.id = d.webhook_id AND w.ordering = 'lead')
     FROM fired f CROSS JOIN LATERAL unnest(
       string_to_array(f.delivery_ids, E'\\n'), string_to_array(f.webhook_ids, E'\\n')::bigint[]) AS d(id, webhook_id)`
  )
}

/** Leads that change without an event have a position of their own; after the part `version`. [CHG-1] */
const addChanged = (parts: Parts, { events, leads }: Pick<Written, "events" | "leads">): void => {
  const announced = new Set(events.map(({ leadId }) => leadId))
  parts.rows(
    leads.filter(({ after }) => !announced.has(after.id)),
    ({ after }) => [idOf(after.brandId), after.id],
    changedColumns,
    (table) =>
      noteSql(
        `SELECT u.brand_id, u.lead_id, ${nextPosition}, NULL::bigint FROM ${table} WHERE (SELECT count(*) FROM version) >= 0`
      )
  )
}

/** The time, so that a server which took over without the last commits of another gives no number again. */
const microseconds = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/** Numbers the brands' change, and keeps other writers of their counters waiting until the end of the transaction. */
const versionSql = (brands: string, afterAll: string): string =>
  `INSERT INTO lead_signals.brand_version AS v (brand_id, n)
   SELECT b.id, ${microseconds} FROM unnest(${brands}::bigint[]) AS b(id) WHERE ${afterAll}
   ON CONFLICT (brand_id) DO UPDATE SET n = greatest(v.n + 1, ${microseconds})`

const ascending = (a: number, b: number): number => a - b

/** Locks the brands' version rows for a writer of their counters, and numbers its change. */
export const lockBrandVersions = async (db: Connection, brandIds: ReadonlyArray<number>): Promise<void> => {
  await db.run(versionSql("$1", "true"), [[...new Set(brandIds)].sort(ascending)])
}

/** Writes the rows, and their brands' versions last; the counters are for the caller to apply. */
export const writeLeads = async (
  db: Connection,
  { engagements, events, leads }: Written,
  now: Instant,
  counters: CounterChanges
): Promise<void> => {
  const brandIds = new Set<number>()
  for (const { after, before } of leads) {
    const brandId = idOf(after.brandId)
    brandIds.add(brandId)
    counters.change({ brandId, before: before === null ? null : countedOf(before), after: countedOf(after) })
  }
  for (const { brandId, deliveries } of events) {
    for (const { webhookId } of deliveries) counters.changeDeliveries(1, brandId, webhookId, "pending")
  }
  const rows = Math.max(leads.length, engagements.length)
  for (let from = 0; from < rows; from += maxRows) {
    const parts = new Parts()
    addLeads(parts, leads.slice(from, from + maxRows))
    parts.rows(
      engagements.slice(from, from + maxRows),
      engagementValuesOf,
      engagementColumns,
      insert("engagement", engagementColumns)
    )
    const isLast = from + maxRows >= rows
    const brands = parts.params.add(isLast ? [...brandIds].sort(ascending) : [])
    parts.writeLast("version", (afterAll) => versionSql(brands, afterAll))
    if (isLast) {
      addEvents(parts, events, now)
      addChanged(parts, { events, leads })
    }
    await db.run(parts.statement("version"), parts.params.all)
  }
}
