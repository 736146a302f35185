/** The JSON of figures over time. [SERIES-1] */
import type { CountSeries } from "../decisions/CountSeries.ts"
import type { CampaignSeriesQuery } from "../queries/SeriesQueries.ts"
import type { MetricSnapshot, Reading } from "../model/Campaign.ts"
import { formatInstant } from "../model/Instant.ts"
import * as Intervals from "../model/Interval.ts"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"

const figuresView = (snapshot: MetricSnapshot | null) => ({
  impressions: snapshot?.impressions ?? null,
  reactions: snapshot?.reactions ?? null,
  comments: snapshot?.comments ?? null,
  reposts: snapshot?.reposts ?? null,
  engagementRate: snapshot?.engagementRate ?? null
})

/** A series of counts: the beginnings of the intervals, and for each group a count in each of them. [SERIES-5, SERIES-6] */
export const countSeriesView = (span: Intervals.IntervalSpan, { groups, rest }: CountSeries) => ({
  interval: span.interval,
  starts: Intervals.startsOf(span).map(formatInstant),
  series: groups.map(({ counts, group }) => ({ group, counts })),
  rest
})

/** The series of a campaign: cumulative figures at the end of each interval; null before the first reading. [SERIES-3] */
export const campaignSeriesView = (
  campaignId: string,
  { postId, span }: CampaignSeriesQuery,
  snapshots: ReadonlyArray<MetricSnapshot | null>
) => ({
  campaignId,
  postId,
  interval: span.interval,
  points: Intervals.startsOf(span).map((start, i) => ({
    start: formatInstant(start),
    ...figuresView(snapshots[i] ?? null)
  }))
})

/** A post of a campaign with its last reading. [SERIES-4] */
export const campaignPostView = ({ day, postId, totals }: Reading) => {
  const { comments, engagementRate, impressions, reactions, reposts } = MetricSnapshots.sum(day, [totals])
  return { postId, impressions, reactions, comments, reposts, engagementRate, snapshotDate: day }
}
