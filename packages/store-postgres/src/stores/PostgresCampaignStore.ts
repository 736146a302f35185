/** Campaigns and their readings on Postgres. */
import { type Campaign, CampaignStore, type PostTotals } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { campaignOf, type CampaignRow, idOf } from "@lead-signals/sql-rows"
import { Effect, Layer, Option } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { campaignColumns } from "../rows/DirectoryRows.ts"
import { dayChanges, lastReadings } from "../rows/ReadingRows.ts"
import { maxRowsPerPiece, type Piece, removeInPieces } from "./PiecewiseRemoval.ts"
import { createInBrand, readAll, readFirst, readOne } from "./Statements.ts"

/**
 * Hides the campaign and removes some of its readings; with the last of them, removes the campaign too. A call after one that
 * failed continues where that one ended.
 */
export const removeCampaignPiece =
  (brandId: string, id: string, now: number) =>
  async (sql: Connection): Promise<Piece> => {
    const params = [idOf(brandId), idOf(id)]
    const hidden = await sql.run(
      "UPDATE lead_signals.campaign SET deleted_at = coalesce(deleted_at, $3) WHERE brand_id = $1 AND id = $2",
      [...params, now]
    )
    if (hidden === 0) return "missing"
    const removed = await sql.run(
      `DELETE FROM lead_signals.reading WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM lead_signals.reading WHERE brand_id = $1 AND campaign_id = $2 LIMIT $3))`,
      [...params, maxRowsPerPiece]
    )
    if (removed === maxRowsPerPiece) return "some"
    await sql.run("DELETE FROM lead_signals.campaign WHERE brand_id = $1 AND id = $2", params)
    return "gone"
  }

const isThere = async (sql: Connection, brandId: string, id: string, lock: string): Promise<boolean> =>
  (await sql.get(
    `SELECT 1 FROM lead_signals.campaign WHERE brand_id = $1 AND id = $2 AND deleted_at IS NULL ${lock}`,
    [idOf(brandId), idOf(id)]
  )) !== undefined

const make = Effect.map(Database, (database) =>
  CampaignStore.of({
    create: (campaign) =>
      database.write(
        createInBrand(
          campaign.brandId,
          readOne<CampaignRow, Campaign>(
            campaignOf,
            `INSERT INTO lead_signals.campaign (brand_id, name, created_at) VALUES ($1, $2, $3) RETURNING ${campaignColumns}`,
            [idOf(campaign.brandId), campaign.name, campaign.createdAt]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        readAll(
          campaignOf,
          `SELECT ${campaignColumns} FROM lead_signals.campaign WHERE brand_id = $1 AND deleted_at IS NULL ORDER BY id`,
          [idOf(brandId)]
        )
      ),
    rename: (brandId, id, name) =>
      database.write(
        readFirst<CampaignRow, Campaign>(
          campaignOf,
          `UPDATE lead_signals.campaign SET name = $3 WHERE brand_id = $1 AND id = $2 AND deleted_at IS NULL
           RETURNING ${campaignColumns}`,
          [idOf(brandId), idOf(id), name]
        )
      ),
    delete: (brandId, id, now) =>
      journaled(database, removeInPieces(database, removeCampaignPiece(brandId, id, now))),
    putReading: (brandId, id, { day, postId, totals: { comments, impressions, reactions, reposts } }) =>
      database.write(async (sql) => {
        // A deletion waits for the lock: it must find every reading.
        if (!(await isThere(sql, brandId, id, "FOR SHARE"))) return false
        await sql.run(
          `INSERT INTO lead_signals.reading (brand_id, campaign_id, post_id, day, impressions, reactions, comments, reposts)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (brand_id, campaign_id, post_id, day) DO UPDATE SET impressions = excluded.impressions,
               reactions = excluded.reactions, comments = excluded.comments, reposts = excluded.reposts`,
          [idOf(brandId), idOf(id), postId, day, impressions, reactions, comments, reposts]
        )
        return true
      }),
    snapshot: (brandId, id, span) =>
      database.readSnapshot(async (sql) => {
        if (!(await isThere(sql, brandId, id, ""))) return Option.none()
        const latest = await sql.get<{ readonly day: string | null }>(
          "SELECT max(day) AS day FROM lead_signals.reading WHERE brand_id = $1 AND campaign_id = $2 AND day BETWEEN $3 AND $4",
          [idOf(brandId), idOf(id), span.startDate ?? "", span.endDate ?? "9999-12-31"]
        )
        if (latest!.day === null) return Option.some({ snapshotDate: null, readings: [] })
        const readings = await sql.all<PostTotals>(
          `SELECT DISTINCT ON (post_id) impressions, reactions, comments, reposts FROM lead_signals.reading
             WHERE brand_id = $1 AND campaign_id = $2 AND day <= $3 ORDER BY post_id, day DESC`,
          [idOf(brandId), idOf(id), latest!.day]
        )
        return Option.some({ snapshotDate: latest!.day, readings })
      }),
    dayChanges: (brandId, id, query) =>
      database.readSnapshot(async (sql) =>
        (await isThere(sql, brandId, id, ""))
          ? Option.some(await dayChanges(sql, idOf(brandId), idOf(id), query))
          : Option.none()
      ),
    posts: (brandId, id, limit) =>
      database.readSnapshot(async (sql) =>
        (await isThere(sql, brandId, id, ""))
          ? Option.some(await lastReadings(sql, idOf(brandId), idOf(id), limit))
          : Option.none()
      )
  })
)

/** The port of campaigns. Needs the `Database`. */
export const layer = Layer.effect(CampaignStore, make)
