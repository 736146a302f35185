/** Campaigns and their readings on SQLite. */
import { type Campaign, CampaignStore, type PostTotals } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer, Option } from "effect"
import type { QueryConnection } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { dayChanges, lastReadings } from "../rows/ReadingRows.ts"
import { campaignOf, type CampaignRow, idOf } from "@lead-signals/sql-rows"
import { removeCampaignPiece } from "../writes/CampaignRemoval.ts"
import { removeInPieces } from "./PiecewiseRemoval.ts"
import { createInBrand, readAll, readOne, rename } from "./Statements.ts"

const isThere = (sql: QueryConnection, brandId: string, id: string): boolean =>
  sql.get("SELECT 1 FROM campaign WHERE id = ? AND brand_id = ? AND deleted_at IS NULL", [
    idOf(id),
    idOf(brandId)
  ]) !== undefined

const make = Effect.gen(function* () {
  const database = yield* Database
  return CampaignStore.of({
    create: (campaign) =>
      database.write(
        createInBrand(
          campaign.brandId,
          readOne<CampaignRow, Campaign>(
            campaignOf,
            "INSERT INTO campaign (brand_id, name, created_at) VALUES (?, ?, ?) RETURNING *",
            [idOf(campaign.brandId), campaign.name, campaign.createdAt]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        readAll(campaignOf, "SELECT * FROM campaign WHERE brand_id = ? AND deleted_at IS NULL ORDER BY id", [
          idOf(brandId)
        ])
      ),
    rename: (brandId, id, name) =>
      database.write(
        rename<CampaignRow, Campaign>(campaignOf, "campaign", name, "id = ? AND brand_id = ?", [
          idOf(id),
          idOf(brandId)
        ])
      ),
    delete: (brandId, id, now) =>
      journaled(database, removeInPieces(database, removeCampaignPiece(brandId, id, now))),
    putReading: (brandId, id, { day, postId, totals: { comments, impressions, reactions, reposts } }) =>
      database.write((sql) => {
        if (!isThere(sql, brandId, id)) return false
        sql.run(
          `INSERT INTO reading (campaign_id, post_id, day, impressions, reactions, comments, reposts)
             VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET impressions = excluded.impressions, reactions = excluded.reactions,
               comments = excluded.comments, reposts = excluded.reposts`,
          [idOf(id), postId, day, impressions, reactions, comments, reposts]
        )
        return true
      }),
    snapshot: (brandId, id, span) =>
      database.read((sql) => {
        if (!isThere(sql, brandId, id)) return Option.none()
        const latest = sql.get<{ day: string | null }>(
          "SELECT max(day) AS day FROM reading WHERE campaign_id = ? AND day BETWEEN ? AND ?",
          [idOf(id), span.startDate ?? "", span.endDate ?? "9999-12-31"]
        )
        if (latest!.day === null) return Option.some({ snapshotDate: null, readings: [] })
        const readings = sql.all<PostTotals>(
          `SELECT impressions, reactions, comments, reposts, max(day)
             FROM reading WHERE campaign_id = ? AND day <= ? GROUP BY post_id`,
          [idOf(id), latest!.day]
        )
        return Option.some({ snapshotDate: latest!.day, readings })
      }),
    dayChanges: (brandId, id, query) =>
      database.read((sql) =>
        isThere(sql, brandId, id) ? Option.some(dayChanges(sql, idOf(id), query)) : Option.none()
      ),
    posts: (brandId, id, limit) =>
      database.read((sql) =>
        isThere(sql, brandId, id) ? Option.some(lastReadings(sql, idOf(id), limit)) : Option.none()
      )
  })
})

/** The port of campaigns. Needs the file's `Database`. */
export const layer = Layer.effect(CampaignStore, make)
