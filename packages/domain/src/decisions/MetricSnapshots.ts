/** The sum of a campaign's posts. [MET-1, MET-4, MET-7] */
import type { MetricSnapshot, PostTotals } from "../model/Campaign.ts"

/**
 * The snapshot of a day, `YYYY-MM-DD`, from the last reading of each post. Without readings every figure is 0;
 * `engagementRate` is 0 where `impressions` is. [MET-1, MET-4, MET-7]
 */
export const sum = (snapshotDate: string, readings: ReadonlyArray<PostTotals>): MetricSnapshot => {
  const total = (figure: keyof PostTotals): number =>
    readings.reduce((all, reading) => all + reading[figure], 0)
  const [impressions, reactions, comments, reposts] = [
    total("impressions"),
    total("reactions"),
    total("comments"),
    total("reposts")
  ]
  return {
    impressions,
    reactions,
    comments,
    reposts,
    engagementRate: impressions === 0 ? 0 : (reactions + comments + reposts) / impressions,
    snapshotDate
  }
}
