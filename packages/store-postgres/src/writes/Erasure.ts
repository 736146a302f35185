/** Removes persons from every table. [PII-3, DEL-1] */
import type { BrandId, DeliveryId, Instant, LeadId } from "@lead-signals/domain"
import { idOf, leadOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { conflict } from "../connection/Failures.ts"
import { leadColumns, leadIdOf, type LeadRow } from "../rows/LeadRows.ts"
import { openLeads } from "../rows/SealedRows.ts"
import { noteChanged, noteRemoved } from "./ChangedLeads.ts"
import { countedOf, CounterChanges } from "./LeadCounters.ts"
import { lockBrandVersions } from "./LeadWrites.ts"
import { lockBrand, takeLocks } from "./Locks.ts"

/** The leads that were seen engaging with posts of the author. */
const readersOf = (author: string): string =>
  `SELECT lead_id FROM lead_signals.engagement WHERE brand_id = $1 AND author_ext_id = ${author}`

/** Deliveries of the leads. An array for each step keeps the planner from reading all of the brand. */
const deliveriesOfLeads = `SELECT d.seq, true AS is_own FROM lead_signals.delivery d WHERE d.brand_id = $1 AND d.position = ANY (ARRAY(
     SELECT e.position FROM lead_signals.event e WHERE e.brand_id = $1 AND e.lead_id = ANY ($2::bigint[])))`

/** Deliveries that can show the author: of the engagements with the posts, and all that list a reader's engagements. */
const deliveriesOfReaders = `SELECT d.seq, false AS is_own FROM lead_signals.delivery d WHERE d.brand_id = $1 AND d.position = ANY (ARRAY(
     SELECT e.position FROM lead_signals.event e
     WHERE e.brand_id = $1 AND e.lead_id = ANY (ARRAY(${readersOf("$3")}))
       AND (e.event = 'lead2.created' OR e.engagement_id IN (
         SELECT id FROM lead_signals.engagement WHERE brand_id = $1 AND author_ext_id = $3))))`

/** Attempts, those of the deliveries among them, in the batches in which the deliveries went, whose answer is logged. */
const batchResponsesOf = (deliveries: string): string => `lead_signals.attempt m
   WHERE m.brand_id = $1 AND m.batch_id IS NOT NULL AND (m.response IS NOT NULL OR m.sealed IS NOT NULL) AND m.batch_id = ANY (ARRAY(
     SELECT DISTINCT a.batch_id FROM lead_signals.attempt a
     WHERE a.brand_id = $1 AND a.delivery_seq = ANY (${deliveries}) AND a.batch_id IS NOT NULL))`

interface LockedDelivery {
  readonly seq: number
  readonly webhook_id: number
  readonly state: string
  /** Whether it is of one of the leads. */
  readonly is_own: boolean
  /** Whether it only went in a batch with one that is, or that can show the author. */
  readonly is_batch_mate: boolean
}

/** The deliveries of the leads, as `found`. */
const foundOfLeads = `WITH found AS MATERIALIZED (SELECT seq, is_own, false AS is_batch_mate FROM (${deliveriesOfLeads}) of_leads)`

/** The deliveries of the leads, those that can show the author, and those that went in a batch with either, as `found`. */
const foundOfPerson = `WITH of_person AS MATERIALIZED (${deliveriesOfLeads} UNION ALL ${deliveriesOfReaders}),
  found AS MATERIALIZED (
    SELECT seq, bool_or(is_own) AS is_own, bool_and(is_batch_mate) AS is_batch_mate FROM (
      SELECT seq, is_own, false AS is_batch_mate FROM of_person
      UNION ALL SELECT m.delivery_seq, false, true FROM ${batchResponsesOf("ARRAY(SELECT seq FROM of_person)")}) each
    GROUP BY seq)`

/**
 * Locks the deliveries of the leads. Where there is an author, also those that can show the author, and those that went in a batch with either.
 * It waits for those that make bodies of them. One statement locks all, in the order of all transactions that lock several: two would wait for
 * a record of attempts that waits for them.
 */
const lockDeliveries = (
  db: Connection,
  brandId: number,
  leads: ReadonlyArray<LeadId>,
  author: string | null
): Promise<ReadonlyArray<LockedDelivery>> =>
  db.all<LockedDelivery>(
    `${author === null ? foundOfLeads : foundOfPerson}
     SELECT d.seq, d.webhook_id, d.state, f.is_own, f.is_batch_mate FROM (SELECT * FROM found ORDER BY seq) f CROSS JOIN LATERAL (
       SELECT * FROM lead_signals.delivery d WHERE d.brand_id = $1 AND d.seq = f.seq FOR UPDATE) d`,
    author === null ? [brandId, leads] : [brandId, leads, author]
  )

const removedLeads = "brand_id = $1 AND lead_id = ANY ($2::bigint[])"

/**
 * Removes the leads and their deliveries from all tables, and adds the changes of counters. The rows of both are locked; those of leads are
 * opened where they are sealed.
 */
const removeLocked = async (
  db: Connection,
  brandId: number,
  {
    deliveries,
    rows
  }: { readonly rows: ReadonlyArray<LeadRow>; readonly deliveries: ReadonlyArray<LockedDelivery> },
  counters: CounterChanges
): Promise<void> => {
  const ids = rows.map(({ id }) => id)
  for (const { state, webhook_id } of deliveries) counters.changeDeliveries(-1, brandId, webhook_id, state)
  for (const row of rows) counters.change({ brandId, before: countedOf(leadOf(row)), after: null })
  await db.run(
    `WITH attempts AS (
         DELETE FROM lead_signals.attempt WHERE brand_id = $1 AND delivery_seq = ANY ($3::bigint[])),
       bodies AS (DELETE FROM lead_signals.delivery_body WHERE brand_id = $1 AND seq = ANY ($3::bigint[])),
       deliveries AS (DELETE FROM lead_signals.delivery WHERE brand_id = $1 AND seq = ANY ($3::bigint[])),
       events AS (DELETE FROM lead_signals.event WHERE ${removedLeads}),
       engagements AS (DELETE FROM lead_signals.engagement WHERE ${removedLeads}),
       signals AS (DELETE FROM lead_signals.lead_signal WHERE ${removedLeads}),
       texts AS (DELETE FROM lead_signals.lead_text WHERE ${removedLeads})
     DELETE FROM lead_signals.lead WHERE brand_id = $1 AND id = ANY ($2::bigint[])`,
    [brandId, ids, deliveries.map(({ seq }) => seq)]
  )
}

/** Removes the leads from all tables, and adds the changes of counters. Their rows are locked, and opened where they are sealed. */
export const removeLeads = async (
  db: Connection,
  brandId: number,
  rows: ReadonlyArray<LeadRow>,
  counters: CounterChanges
): Promise<void> => {
  const ids = rows.map(({ id }) => id)
  const deliveries = await lockDeliveries(db, brandId, ids, null)
  await removeLocked(db, brandId, { rows, deliveries }, counters)
}

/**
 * Removes what receivers answered to batches in which one of the deliveries went: they answer all events of a batch at once, and the log of each
 * has the answer. Fails with a conflict where an attempt was recorded while the locks were waited for, in a batch with a delivery that is not
 * locked: to lock it now would be out of order. [BATCH-3]
 */
const forgetBatchResponses = async (
  db: Connection,
  brandId: number,
  deliveries: ReadonlyArray<LockedDelivery>
): Promise<void> => {
  const ofPerson = deliveries.flatMap(({ is_batch_mate, seq }) => (is_batch_mate ? [] : seq))
  if (ofPerson.length === 0) return
  const logged = await db.all<{ readonly delivery_seq: number; readonly number: number }>(
    `SELECT m.delivery_seq, m.number FROM ${batchResponsesOf("$2::bigint[]")}`,
    [brandId, ofPerson]
  )
  if (logged.length === 0) return
  const locked = new Set(deliveries.map(({ seq }) => seq))
  if (logged.some(({ delivery_seq }) => !locked.has(delivery_seq))) throw conflict()
  await db.run(
    `UPDATE lead_signals.attempt a SET response = NULL, sealed = NULL
       FROM unnest($2::bigint[], $3::int[]) AS given(delivery_seq, number)
       WHERE a.brand_id = $1 AND a.delivery_seq = given.delivery_seq AND a.number = given.number`,
    [brandId, logged.map(({ delivery_seq }) => delivery_seq), logged.map(({ number }) => number)]
  )
}

interface MadeBody {
  readonly seq: number
  readonly id: DeliveryId
  readonly position: number
}

/** Removes bodies and logs of deliveries about other leads that can name the person as a post's author. They are locked: no body is under way. */
const forgetAuthor = async (
  db: Connection,
  brandId: number,
  seqs: ReadonlyArray<number>,
  nextId: () => DeliveryId
): Promise<void> => {
  if (seqs.length === 0) return
  await db.run(
    `UPDATE lead_signals.attempt SET response = NULL, sealed = NULL
       WHERE brand_id = $1 AND delivery_seq = ANY ($2::bigint[]) AND (response IS NOT NULL OR sealed IS NOT NULL)`,
    [brandId, seqs]
  )
  const made = await db.all<MadeBody>(
    `WITH bodies AS (
         DELETE FROM lead_signals.delivery_body WHERE brand_id = $1 AND seq = ANY ($2::bigint[]) RETURNING seq)
       SELECT d.seq, d.id, d.position FROM bodies b
         JOIN lead_signals.delivery d ON d.brand_id = $1 AND d.seq = b.seq`,
    [brandId, seqs]
  )
  if (made.length === 0) return
  const fresh = [...made].sort((a, b) => a.seq - b.seq).map((body) => ({ ...body, fresh: nextId() }))
  await db.run(
    `UPDATE lead_signals.delivery d SET id = u.fresh, lease = NULL
       FROM unnest($2::bigint[], $3::text[]) AS u(seq, fresh) WHERE d.brand_id = $1 AND d.seq = u.seq`,
    [brandId, fresh.map(({ seq }) => seq), fresh.map((each) => each.fresh)]
  )
  // Deliveries that resend these, or that these resend, have the same event.
  await db.run(
    `WITH u AS MATERIALIZED (SELECT * FROM unnest($2::bigint[], $3::text[], $4::text[]) AS u(position, id, fresh))
     UPDATE lead_signals.delivery d SET
       resend_of = coalesce((SELECT u.fresh FROM u WHERE u.id = d.resend_of), d.resend_of),
       resent_as = coalesce((SELECT u.fresh FROM u WHERE u.id = d.resent_as), d.resent_as)
     WHERE d.brand_id = $1 AND d.position = ANY ($2::bigint[])
       AND (d.resend_of = ANY ($3::text[]) OR d.resent_as = ANY ($3::text[]))`,
    [
      brandId,
      fresh.map(({ position }) => position),
      fresh.map(({ id }) => id),
      fresh.map((each) => each.fresh)
    ]
  )
}

/** The fields of a reader that move. */
interface Reader {
  readonly id: LeadId
  readonly flags: number
  readonly updated_at: number
}

/** Without the key no copy of what was sealed for the person opens. [PII-4] */
const removePersonKey = async (db: Connection, brandId: number, hash: string): Promise<void> => {
  if (db.keys === null) return
  const removed = await db.all<{ readonly id: number }>(
    "DELETE FROM lead_signals.person_key WHERE brand_id = $1 AND person = $2 RETURNING id",
    [brandId, hash]
  )
  for (const { id } of removed) db.keys.forgetPerson(id)
}

/** What an erasure needs besides the lead. */
export interface ErasureOptions {
  readonly personHash: string
  /** Replaces the id of each other delivery whose body names the person. */
  readonly nextId: () => DeliveryId
  readonly now: Instant
  readonly maxBucketLeads: number
}

/** A person within a brand. */
interface Person {
  readonly brandId: number
  readonly hash: string
}

/** Waits until nobody writes the person, and keeps others waiting until the end of the transaction. */
const lockPerson = (db: Connection, { brandId, hash }: Person): Promise<void> =>
  takeLocks(db, [
    { locked: { kind: "brand", brandId }, isShared: true },
    { locked: { kind: "person", brandId, hash }, isShared: false }
  ])

/** Locks the author's readers, and the lead where one is given, in the order in which all transactions lock leads. */
const lockReaders = (
  db: Connection,
  brandId: number,
  author: string,
  leadId: LeadId | null
): Promise<ReadonlyArray<Reader>> =>
  db.all<Reader>(
    `WITH found AS MATERIALIZED (${readersOf("$2")} UNION SELECT $3::bigint WHERE $3 IS NOT NULL)
     SELECT l.id, l.flags, l.updated_at FROM (SELECT lead_id FROM found ORDER BY lead_id) f CROSS JOIN LATERAL (
       SELECT * FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id = f.lead_id FOR UPDATE) l`,
    [brandId, author, leadId]
  )

/** Removes the person as the author of posts. The readers show something else from now on; they and the deliveries are locked. */
const removeAuthor = async (
  db: Connection,
  { brandId, hash }: Person,
  {
    author,
    deliveries,
    readers
  }: {
    readonly author: string
    readonly readers: ReadonlyArray<Reader>
    readonly deliveries: ReadonlyArray<LockedDelivery>
  },
  { nextId, now }: Pick<ErasureOptions, "nextId" | "now">,
  counters: CounterChanges
): Promise<void> => {
  await forgetAuthor(
    db,
    brandId,
    deliveries.map(({ seq }) => seq),
    nextId
  )
  const moved = readers.filter((each) => each.updated_at < now)
  await db.run(
    `WITH kept AS (
         INSERT INTO lead_signals.suppression (brand_id, hash, erased_at) VALUES ($1, $2, $4) ON CONFLICT DO NOTHING),
       posts AS (
         UPDATE lead_signals.engagement SET post_url = NULL, post_content = NULL, post_author = NULL,
           post_author_detail = NULL, author_ext_id = NULL, post_sealed = NULL
         WHERE brand_id = $1 AND author_ext_id = $3)
     UPDATE lead_signals.lead SET updated_at = $4, shown = NULL WHERE brand_id = $1 AND id = ANY ($5::bigint[])`,
    [brandId, hash, author, now, moved.map((reader) => reader.id)]
  )
  await removePersonKey(db, brandId, hash)
  for (const { flags, id, updated_at } of moved) counters.moveUpdated(brandId, { id, flags }, updated_at, now)
}

/** Removes the lead everywhere, within a transaction that has locked nothing before. Returns false when there is no such lead. */
export const erase = async (
  db: Connection,
  lead: { readonly brandId: BrandId; readonly id: LeadId },
  options: ErasureOptions
): Promise<boolean> => {
  const [brandId, id] = [idOf(lead.brandId), leadIdOf(lead.id)]
  const { maxBucketLeads, now, personHash: hash } = options
  await lockPerson(db, { brandId, hash })
  const found = await db.get<{ ext_id: string }>(
    "SELECT ext_id FROM lead_signals.lead WHERE brand_id = $1 AND id = $2",
    [brandId, id]
  )
  if (found === undefined) return false
  const author = found.ext_id
  const locked = await lockReaders(db, brandId, author, id)
  const row = await db.get<LeadRow>(
    `SELECT ${leadColumns} FROM lead_signals.lead l WHERE l.brand_id = $1 AND l.id = $2`,
    [brandId, id]
  )
  if (row === undefined) return false
  await openLeads(db, [row])
  const counters = new CounterChanges()
  const deliveries = await lockDeliveries(db, brandId, [id], author)
  await forgetBatchResponses(db, brandId, deliveries)
  const own = deliveries.filter((each) => each.is_own)
  await removeLocked(db, brandId, { rows: [row], deliveries: own }, counters)
  const others = {
    author,
    readers: locked.filter((each) => each.id !== id),
    deliveries: deliveries.filter((each) => !each.is_own && !each.is_batch_mate)
  }
  await removeAuthor(db, { brandId, hash }, others, options, counters)
  await lockBrandVersions(db, [brandId])
  await noteRemoved(db, brandId, [id], now)
  await noteChanged(
    db,
    brandId,
    others.readers.map((each) => each.id)
  )
  await counters.apply(db, maxBucketLeads)
  return true
}

/**
 * Removes a person who is no lead as the author of posts, within a transaction that has locked nothing before: for a restored database, in which
 * the person is not yet the lead that was erased. `author` is the external id as the rows have it.
 */
export const eraseAuthor = async (
  db: Connection,
  { author, brandId }: { readonly brandId: number; readonly author: string },
  options: ErasureOptions
): Promise<void> => {
  const person = { brandId, hash: options.personHash }
  await lockPerson(db, person)
  const readers = await lockReaders(db, brandId, author, null)
  const counters = new CounterChanges()
  const locked = await lockDeliveries(db, brandId, [], author)
  await forgetBatchResponses(db, brandId, locked)
  const deliveries = locked.filter((each) => !each.is_batch_mate)
  await removeAuthor(db, person, { author, readers, deliveries }, options, counters)
  await lockBrandVersions(db, [brandId])
  await noteChanged(
    db,
    brandId,
    readers.map((each) => each.id)
  )
  await counters.apply(db, options.maxBucketLeads)
}

/** Leads that one transaction removes at most: more would keep other writes waiting. */
const maxRemoved = 100

/** Removes some of the brand's leads with all that is theirs, within a transaction. Returns how many the brand has left. */
export const removeSome = async (db: Connection, lead: BrandId, maxBucketLeads: number): Promise<number> => {
  const brandId = idOf(lead)
  // Observations that are being recorded are counted among what is left, or not begun.
  await lockBrand(db, brandId)
  const rows = await db.all<LeadRow>(
    `SELECT ${leadColumns} FROM lead_signals.lead l WHERE l.brand_id = $1 ORDER BY l.id LIMIT ${maxRemoved} FOR UPDATE`,
    [brandId]
  )
  if (rows.length > 0) {
    const counters = new CounterChanges()
    await openLeads(db, rows)
    await removeLeads(db, brandId, rows, counters)
    await lockBrandVersions(db, [brandId])
    await counters.apply(db, maxBucketLeads)
  }
  const left = await db.get<{ n: number }>(
    "SELECT coalesce(sum(n), 0)::bigint AS n FROM lead_signals.lead_count WHERE brand_id = $1 AND signal_id = 0",
    [brandId]
  )
  return left!.n
}
