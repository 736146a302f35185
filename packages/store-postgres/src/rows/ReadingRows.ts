/** What readings of a campaign's posts add up to, day by day. */
import type { CampaignSeries, PostTotals, Reading } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { keyText } from "./Ids.ts"

const figures = ["impressions", "reactions", "comments", "reposts"] as const

const changes = figures
  .map((figure) => `${figure} - lag(${figure}, 1, 0::bigint) OVER of_post AS ${figure}`)
  .join(", ")
const sums = figures.map((figure) => `sum(${figure})::bigint AS ${figure}`).join(", ")

/** What each day's readings changed in the sum over the posts, or in the totals of one post. */
export const dayChanges = (
  sql: Connection,
  brand: number,
  campaign: number,
  { endDate, postId }: { readonly postId: string | null; readonly endDate: string }
): Promise<ReadonlyArray<CampaignSeries.DayChange>> =>
  sql.all(
    `SELECT day, ${sums} FROM (
       SELECT day, ${changes} FROM lead_signals.reading
       WHERE brand_id = $1 AND campaign_id = $2 AND day <= $3 ${postId === null ? "" : "AND post_id = $4"}
       WINDOW of_post AS (PARTITION BY post_id ORDER BY day)) d
     GROUP BY day ORDER BY day`,
    [brand, campaign, endDate, ...(postId === null ? [] : [keyText(postId)])]
  )

/** Each post's last reading, those with the most impressions first. */
export const lastReadings = async (
  sql: Connection,
  brand: number,
  campaign: number,
  limit: number
): Promise<ReadonlyArray<Reading>> => {
  const rows = await sql.all<PostTotals & { readonly post_id: string; readonly day: string }>(
    `SELECT * FROM (
       SELECT DISTINCT ON (post_id) post_id, day, ${figures.join(", ")} FROM lead_signals.reading
       WHERE brand_id = $1 AND campaign_id = $2 ORDER BY post_id, day DESC) r
     ORDER BY impressions DESC, post_id LIMIT $3`,
    [brand, campaign, limit]
  )
  return rows.map(({ comments, day, impressions, post_id, reactions, reposts }) => ({
    postId: post_id,
    day,
    totals: { impressions, reactions, comments, reposts }
  }))
}
