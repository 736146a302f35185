/** Records attempts: locks their webhooks and deliveries, and writes what follows with one statement. [DELIV-3, DELIV-5] */
import { AttemptTransitions, LeadOrder, Retries } from "@lead-signals/domain"
import { currentDeliveryOf, type CurrentDeliveryRow, idOf, type WebhookRow } from "@lead-signals/sql-rows"
import { binaryArray } from "../connection/BinaryArrays.ts"
import type { Connection, Scalar } from "../connection/Connection.ts"
import { webhookColumns, webhookOf } from "../rows/DirectoryRows.ts"
import { attemptContext, keysOf, personsOf } from "../rows/SealedRows.ts"
import { maxHeaderBytes, type PersonKey, sealFor } from "../sealing/SealedValue.ts"
import { countDeliveries } from "./DeliveryCounts.ts"
import { keysOfEvents } from "./PersonKeys.ts"

/** A delivery that was attempted, or that comes next in its lead's order. */
interface AttemptedRow extends CurrentDeliveryRow {
  readonly brand_id: number
  readonly seq: number
  readonly created_at: number
}

/** An array keeps the planner from walking over all deliveries of each webhook until it meets one of these. */
const webhooksSql = `SELECT ${webhookColumns} FROM lead_signals.webhook w
  WHERE w.id = ANY (ARRAY(SELECT d.webhook_id FROM lead_signals.delivery d WHERE d.id = ANY ($1::text[]))) ORDER BY w.id`

/**
 * The webhooks of the deliveries, locked unless nothing of them can change: a success at a webhook that is not failing changes its delivery
 * alone, as if it had been recorded before whatever others change meanwhile. Where a webhook is ordered, the next one of the lead becomes due,
 * which a lease may set aside just then: the two wait for each other. Emitters that lease for the webhooks would wait for the lock.
 * Webhooks are locked before deliveries, and each in the order of their numbers, as by all that locks both.
 */
const readWebhooks = async (
  sql: Connection,
  ids: ReadonlyArray<string>,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>
): Promise<ReadonlyArray<WebhookRow>> => {
  if (attempts.every(({ result }) => Retries.isSuccess(result))) {
    const webhooks = await sql.all<WebhookRow>(webhooksSql, [ids])
    if (webhooks.every((each) => each.failing_since === null && each.ordering === "none")) return webhooks
  }
  return sql.all<WebhookRow>(`${webhooksSql} FOR NO KEY UPDATE`, [ids])
}

const attemptedColumns =
  "d.brand_id, d.seq, d.id, d.webhook_id, d.state, d.attempts, d.failures, d.failing_since, d.ordered_lead, d.lease, d.due_at, d.created_at, d.finished_at"

const lockSql = `SELECT ${attemptedColumns} FROM lead_signals.delivery d WHERE d.id = ANY ($1::text[]) ORDER BY d.seq FOR NO KEY UPDATE`

/**
 * Locks with them the next one of each in its lead's order, which may become due. An erasure locks several deliveries in the order of their
 * numbers, these among them: to lock the next ones later would be a deadlock. Each lookup is a step in an index, whatever the planner thinks of
 * the tables' sizes: the lock and the limit keep the joins as they are written.
 */
const lockWithNextSql = `WITH attempted AS MATERIALIZED (
    SELECT d.brand_id, d.seq, d.webhook_id, d.ordered_lead FROM lead_signals.delivery d WHERE d.id = ANY ($1::text[])),
  found AS MATERIALIZED (
    SELECT brand_id, seq FROM attempted
    UNION SELECT a.brand_id, next.seq FROM attempted a CROSS JOIN LATERAL (
      SELECT n.seq FROM lead_signals.delivery n
      WHERE n.webhook_id = a.webhook_id AND n.ordered_lead = a.ordered_lead AND n.seq > a.seq ORDER BY n.seq LIMIT 1) next)
  SELECT d.* FROM (SELECT brand_id, seq FROM found ORDER BY seq) f CROSS JOIN LATERAL (
    SELECT ${attemptedColumns} FROM lead_signals.delivery d WHERE d.brand_id = f.brand_id AND d.seq = f.seq FOR NO KEY UPDATE) d`

/**
 * The waiting ones among the locked that come next after the ended ones, and when they become due. The lock on the webhook keeps a lease from
 * setting others aside. [ORD-2]
 */
const nextInOrder = (
  ended: ReadonlyArray<AttemptedRow>,
  locked: ReadonlyArray<AttemptedRow>,
  now: number
): ReadonlyArray<{ readonly row: AttemptedRow; readonly to: AttemptTransitions.CurrentDelivery }> =>
  ended.flatMap(({ ordered_lead, seq, webhook_id }) => {
    const next = locked.find(
      (each) => each.seq > seq && each.webhook_id === webhook_id && each.ordered_lead === ordered_lead
    )
    if (next === undefined || next.state !== "pending") return []
    const { attempts, created_at: createdAt, lease } = next
    const dueAt = LeadOrder.releasedDueAt({ attempts, createdAt, dueAt: next.due_at!, lease }, now)
    return dueAt === next.due_at ? [] : { row: next, to: { ...currentDeliveryOf(next), dueAt } }
  })

const writeSql = `WITH changed AS (
    UPDATE lead_signals.delivery d SET state = given.state, attempts = given.attempts, failures = given.failures,
      lease = given.lease, due_at = given.due_at, finished_at = given.finished_at,
      failing_since = given.failing_since
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::text[], $7::bigint[], $8::bigint[], $24::bigint[])
      AS given(brand_id, seq, state, attempts, failures, lease, due_at, finished_at, failing_since)
    WHERE d.brand_id = given.brand_id AND d.seq = given.seq),
  unneeded AS (
    DELETE FROM lead_signals.delivery_body b USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS given(brand_id, seq, state)
    WHERE given.state <> 'pending' AND b.brand_id = given.brand_id AND b.seq = given.seq),
  settled AS (
    UPDATE lead_signals.webhook w SET enabled = given.enabled, disabled_reason = given.disabled_reason,
      failing_since = given.failing_since
    FROM unnest($9::bigint[], $10::boolean[], $11::text[], $12::bigint[]) AS given(id, enabled, disabled_reason, failing_since)
    WHERE w.id = given.id)
  INSERT INTO lead_signals.attempt (brand_id, delivery_seq, number, at, duration_millis, status, error, response, batch_id, format, sealed)
  SELECT * FROM unnest($13::bigint[], $14::bigint[], $15::int[], $16::bigint[], $17::bigint[], $18::int[], $19::text[], $20::text[],
    $21::text[], $22::text[], $23::bytea[])`

/** For whom the response to a delivery is sealed. None: it is about nobody. Null: a key is gone, and the text is not kept. */
type Readers = ReadonlyArray<PersonKey> | null

/**
 * For whom responses are sealed, by the deliveries' seq: they can repeat what a body says. A late attempt finds the body gone that it posted,
 * and is sealed for the persons of the event.
 */
const readersOfResponses = async (
  sql: Connection,
  deliveries: ReadonlyArray<AttemptedRow>
): Promise<ReadonlyMap<number, Readers>> => {
  if (sql.keys === null || deliveries.length === 0) return new Map()
  const rows = await sql.all<{
    readonly brand_id: number
    readonly seq: number
    readonly has_body: boolean
    readonly header: Buffer | null
  }>(
    `SELECT given.brand_id, given.seq, b.seq IS NOT NULL AS has_body, substring(b.sealed FROM 1 FOR ${maxHeaderBytes}) AS header
     FROM unnest($1::bigint[], $2::bigint[]) AS given(brand_id, seq) LEFT JOIN LATERAL (
       SELECT * FROM lead_signals.delivery_body b WHERE b.brand_id = given.brand_id AND b.seq = given.seq OFFSET 0) b ON true`,
    [deliveries.map(({ brand_id }) => brand_id), deliveries.map(({ seq }) => seq)]
  )
  const values = rows.map(({ brand_id, header }) => [{ brandId: brand_id, value: header, context: "" }])
  const keys = await keysOf(sql, values.flat())
  const readers = new Map<number, Readers>()
  for (const [i, { header, seq }] of rows.entries()) {
    const persons = personsOf(keys, values[i]!)
    readers.set(seq, persons.length < (header?.[0] ?? 0) ? null : persons)
  }
  const late = rows.flatMap(({ brand_id: brandId, has_body, seq }) => (has_body ? [] : { brandId, seq }))
  for (const [seq, persons] of late.length === 0 ? [] : await keysOfEvents(sql, late))
    readers.set(seq, persons)
  return readers
}

/** Postgres holds no U+0000, and a receiver may answer it. */
const storable = (text: string | null): string | null => text?.replaceAll("\0", "\uFFFD") ?? null

type Column = ReadonlyArray<Scalar>

/** The rows as an array of each column. */
const columnsOf = (width: number, rows: ReadonlyArray<Column>): ReadonlyArray<Column> =>
  Array.from({ length: width }, (_, i) => rows.map((row) => row[i]!))

/** Logs and settles the attempts within a transaction. */
export const recordAttempts = async (
  sql: Connection,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>,
  now: number
): Promise<ReadonlyArray<AttemptTransitions.Recorded>> => {
  const ids = [...new Set(attempts.map(({ deliveryId }) => deliveryId))]
  const webhooks = await readWebhooks(sql, ids, attempts)
  const isInOrder = webhooks.some(({ ordering }) => ordering === "lead")
  const locked = await sql.all<AttemptedRow>(isInOrder ? lockWithNextSql : lockSql, [ids])
  // An erasure that was waited for may have given one another id.
  const wanted = new Set(ids)
  const rows = locked.filter(({ id }) => wanted.has(id))
  const known = {
    deliveries: rows.map(currentDeliveryOf),
    webhooks: webhooks.map((row) => webhookOf(row, sql.keys))
  }
  const changes = AttemptTransitions.settleAll(known, attempts, now)
  if (rows.length === 0) return changes.recorded
  const byId = new Map(rows.map((row) => [row.id, row]))
  const ended = changes.endedInOrder.map(({ id }) => byId.get(id)!)
  const next = nextInOrder(ended, locked, now)
  const written = [...changes.deliveries.map((to) => ({ row: byId.get(to.id)!, to })), ...next]
  const deliveries = written.map(({ row: { brand_id, seq }, to }): Column => [
    brand_id,
    seq,
    to.state,
    to.attempts,
    to.failures,
    to.lease,
    to.dueAt,
    to.finishedAt
  ])
  const settled = changes.webhooks.map(
    ({ disabledReason, enabled, failingSince, id }) =>
      [idOf(id), enabled, disabledReason, failingSince] as Column
  )
  const answered = new Set(
    changes.log.flatMap(({ deliveryId, response }) => (response === null ? [] : deliveryId))
  )
  const readers = await readersOfResponses(
    sql,
    rows.filter(({ id }) => answered.has(id))
  )
  const log = changes.log.map(
    ({ at, batchId, deliveryId, durationMillis, error, format, number, response: given, status }): Column => {
      const { brand_id, seq } = byId.get(deliveryId)!
      const response = storable(given)
      const persons = readers.get(seq) ?? (sql.keys === null ? [] : null)
      const isSealed = response !== null && persons !== null && persons.length > 0
      const sealed = isSealed ? sealFor(persons, response, attemptContext(brand_id, seq, number)) : null
      const open = isSealed || persons === null ? null : response
      return [brand_id, seq, number, at, durationMillis, status, error, open, batchId, format, sealed]
    }
  )
  const columns = columnsOf(11, log)
  await sql.run(writeSql, [
    ...columnsOf(8, deliveries),
    ...columnsOf(4, settled),
    ...columns.slice(0, 10),
    binaryArray("bytea", columns[10]!),
    written.map(({ to }) => to.failingSince)
  ])
  await countDeliveries(
    sql,
    changes.deliveries.flatMap(({ id, state }) => {
      const { brand_id: brandId, state: before, webhook_id: webhookId } = byId.get(id)!
      return before === state
        ? []
        : [
            { brandId, webhookId, state: before, n: -1 },
            { brandId, webhookId, state, n: 1 }
          ]
    })
  )
  return changes.recorded
}
