import type { MetricSnapshot } from "../model/Campaign.ts"

/** Every figure and snapshotDate are null where no snapshot lies in the span. [MET-1, MET-3] */
export const metricsView = (campaignId: string, snapshot: MetricSnapshot | null) => ({
  campaignId,
  impressions: snapshot?.impressions ?? null,
  reactions: snapshot?.reactions ?? null,
  comments: snapshot?.comments ?? null,
  reposts: snapshot?.reposts ?? null,
  engagementRate: snapshot?.engagementRate ?? null,
  snapshotDate: snapshot?.snapshotDate ?? null
})
