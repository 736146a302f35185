/** Removes a campaign with its readings. [DEL-3] */
import { idOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { maxRowsPerPiece, type Piece } from "./RemovalPiece.ts"

/**
 * Hides the campaign and removes some of its readings; with the last of them, removes the campaign too. A call after one that
 * failed continues where that one ended.
 */
export const removeCampaignPiece =
  (brandId: string, id: string, now: number) =>
  (sql: Connection): Piece => {
    const params = [idOf(id), idOf(brandId)]
    const campaigns = sql.all(
      "UPDATE campaign SET deleted_at = coalesce(deleted_at, ?) WHERE id = ? AND brand_id = ? RETURNING id",
      [now, ...params]
    )
    if (campaigns.length === 0) return "missing"
    sql.run(
      `DELETE FROM reading WHERE (campaign_id, post_id, day) IN (
         SELECT campaign_id, post_id, day FROM reading WHERE campaign_id = ? LIMIT ?)`,
      [idOf(id), maxRowsPerPiece]
    )
    if (sql.get("SELECT 1 FROM reading WHERE campaign_id = ?", [idOf(id)]) !== undefined) return "some"
    sql.run("DELETE FROM campaign WHERE id = ? AND brand_id = ?", params)
    return "gone"
  }
