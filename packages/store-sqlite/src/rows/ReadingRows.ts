/** What readings of a campaign's posts add up to, day by day. */
import type { CampaignSeries, PostTotals, Reading } from "@lead-signals/domain"
import type { QueryConnection } from "../connection/Connection.ts"

const figures = ["impressions", "reactions", "comments", "reposts"] as const

const changes = figures
  .map((figure) => `${figure} - lag(${figure}, 1, 0) OVER of_post AS ${figure}`)
  .join(", ")
const sums = figures.map((figure) => `sum(${figure}) AS ${figure}`).join(", ")

/** What each day's readings changed in the sum over the posts, or in the totals of one post. */
export const dayChanges = (
  sql: QueryConnection,
  campaign: number,
  { endDate, postId }: { readonly postId: string | null; readonly endDate: string }
): ReadonlyArray<CampaignSeries.DayChange> =>
  sql.all(
    `SELECT day, ${sums} FROM (
       SELECT day, ${changes} FROM reading WHERE campaign_id = ? AND day <= ? ${postId === null ? "" : "AND post_id = ?"}
       WINDOW of_post AS (PARTITION BY post_id ORDER BY day)) d
     GROUP BY day ORDER BY day`,
    [campaign, endDate, ...(postId === null ? [] : [postId])]
  )

/** Each post's last reading, those with the most impressions first. */
export const lastReadings = (
  sql: QueryConnection,
  campaign: number,
  limit: number
): ReadonlyArray<Reading> => {
  const rows = sql.all<PostTotals & { readonly post_id: string; readonly day: string }>(
    `SELECT post_id, max(day) AS day, ${figures.join(", ")} FROM reading WHERE campaign_id = ?
     GROUP BY post_id ORDER BY impressions DESC, post_id LIMIT ?`,
    [campaign, limit]
  )
  return rows.map(({ comments, day, impressions, post_id, reactions, reposts }) => ({
    postId: post_id,
    day,
    totals: { impressions, reactions, comments, reposts }
  }))
}
