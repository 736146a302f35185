/** The lead store, on Postgres. */
import { type Lead, LeadStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { idOf, leadOf } from "@lead-signals/sql-rows"
import { Effect, Layer, Option } from "effect"
import { Database } from "../connection/Database.ts"
import type { Connection } from "../connection/Connection.ts"
import { groupCommit } from "../connection/GroupCommit.ts"
import { defaults, type ListingOptions, readLeadPage, readRenderedPage } from "../query/LeadPages.ts"
import { plannerSettings } from "../query/PlannerSettings.ts"
import { TotalCache } from "../query/TotalCache.ts"
import { countActivity } from "../rows/IntervalCounts.ts"
import { changesAfter } from "../query/ChangeReads.ts"
import { eventsAfter } from "../query/EventReads.ts"
import { allEngagements, authoredPosts, leadById, renderedDetail, windowOfLead } from "../rows/LeadReads.ts"
import { leadColumns, leadIdOf, type LeadRow, leadValues, type Person } from "../rows/LeadRows.ts"
import { openLeads } from "../rows/SealedRows.ts"
import { type CallResult, type CommitCall, commitBatch } from "../writes/CommitBatch.ts"
import * as Erasure from "../writes/Erasure.ts"
import { CounterChanges } from "../writes/LeadCounters.ts"
import { writeLeads } from "../writes/LeadWrites.ts"
import { holdEncryptionKey } from "../writes/Locks.ts"
import { personKeysOf } from "../writes/PersonKeys.ts"

/** Totals of filters that one process keeps. */
const maxTotals = 2000

/**
 * Proposals of one call at best, and of several calls that share a transaction: a commit takes six round trips, whatever their number. Each takes
 * three locks, and two transactions of a node are under way at once; the server has 64 locks for each connection that it allows, of which a node
 * has eleven.
 */
export const commitSize = 100
/** Transactions of this process that record at once: one reads and decides while another waits for the disk. */
const maxGroups = 2

const isSame = (before: Lead, after: Lead): boolean => {
  const values = leadValues(after)
  return leadValues(before).every((value, i) => value === values[i])
}

/** The person of a lead's row that is not opened yet; null where the database is not encrypted. The caller holds the encryption key. */
const personOfRow = async (db: Connection, row: LeadRow): Promise<Person | null> => {
  if (db.keys === null) return null
  const { brand_id: brandId, ext_id: hash } = row
  return (await personKeysOf(db, [{ brandId, hash }]))!.of({ brandId, hash })
}

const make = (options: ListingOptions) =>
  Effect.map(Database, (database) => {
    const { maxBucketLeads } = options
    const totals = new TotalCache(maxTotals)
    const commitCall = groupCommit<CommitCall, CallResult>(
      (calls) => database.write((db, now) => commitBatch(db, now, calls, maxBucketLeads)),
      { weight: ({ proposals }) => proposals.length, maxWeight: commitSize, maxUnderWay: maxGroups }
    )
    return LeadStore.of({
      commit: (brandId, proposals, ids) =>
        Effect.flatMap(commitCall({ brandId, proposals, ids }), (result) => {
          if ("thrown" in result) return Effect.die(result.thrown)
          const { committed, queued } = result
          return queued === 0 ? Effect.succeed(committed) : Effect.as(database.announceQueued, committed)
        }),
      list: (brandId, query) =>
        database.readSnapshot((db) => readLeadPage(db, brandId, query, options, totals)),
      listRendered: (brandId, query) =>
        database.readSnapshot((db) => readRenderedPage(db, brandId, query, options, totals)),
      get: (brandId, id, engagements) =>
        database.readSnapshot(async (db) => {
          const brand = idOf(brandId)
          const lead = await leadById(db, brand, id)
          if (lead === null) return Option.none()
          const window = engagements === "none" ? null : await windowOfLead(db, brand, id, engagements)
          return Option.some({ lead, window })
        }),
      getRendered: (brandId, id, engagements) =>
        Effect.map(
          database.readSnapshot((db) => renderedDetail(db, idOf(brandId), id, engagements)),
          Option.fromNullable
        ),
      exportData: (brandId, id) =>
        database.readSnapshot(async (db) => {
          const brand = idOf(brandId)
          const lead = await leadById(db, brand, id)
          if (lead === null) return Option.none()
          return Option.some({
            lead,
            engagements: await allEngagements(db, brand, id),
            posts: await authoredPosts(db, brand, lead.id)
          })
        }),
      update: (brandId, id, change) =>
        database.write(async (db, now) => {
          await holdEncryptionKey(db)
          const row = await db.get<LeadRow>(
            `SELECT ${plannerSettings}, ${leadColumns} FROM lead_signals.lead l
               WHERE l.brand_id = $1 AND l.id = $2 FOR NO KEY UPDATE`,
            [idOf(brandId), leadIdOf(id)]
          )
          if (row === undefined) return Option.none()
          const person = await personOfRow(db, row)
          await openLeads(db, [row])
          const before = leadOf(row)
          const after = change(before, now)
          if (isSame(before, after)) return Option.some(after)
          const counters = new CounterChanges()
          await writeLeads(
            db,
            { leads: [{ before, after, person }], engagements: [], events: [] },
            now,
            counters
          )
          await counters.apply(db, maxBucketLeads)
          return Option.some(after)
        }),
      erase: (brandId, id, personHash, nextId) =>
        journaled(
          database,
          // Any number of leads may have engaged with the person's posts.
          database.write(
            (db, now) => Erasure.erase(db, { brandId, id }, { personHash, nextId, now, maxBucketLeads }),
            { isLong: true }
          )
        ),
      eventsAfter: (brandId, after, limit) =>
        database.readSnapshot((db) => eventsAfter(db, idOf(brandId), after, limit)),
      changesAfter: (brandId, after, query) =>
        database.readSnapshot((db) => changesAfter(db, idOf(brandId), after, query)),
      counts: (brandId, counted, intervals) =>
        database.read((db) => countActivity(db, idOf(brandId), counted, intervals)),
      removeSome: (brandId) => database.write((db) => Erasure.removeSome(db, brandId, maxBucketLeads))
    })
  })

/** The port of leads. Needs the `Database`. */
export const layer = (
  options: Partial<ListingOptions> | undefined
): Layer.Layer<LeadStore, never, Database> => Layer.effect(LeadStore, make({ ...defaults, ...options }))
