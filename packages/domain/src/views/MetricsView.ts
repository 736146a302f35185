import type { MetricSnapshot } from "../model/Campaign.ts"

/** The data of a campaign's metrics. Every figure and `snapshotDate` are null without a snapshot. [MET-1, MET-3] */
export const metricsView = (campaignId: string, snapshot: MetricSnapshot | null) => ({
  campaignId,
  impressions: snapshot?.impressions ?? null,
  reactions: snapshot?.reactions ?? null,
  comments: snapshot?.comments ?? null,
  reposts: snapshot?.reposts ?? null,
  engagementRate: snapshot?.engagementRate ?? null,
  snapshotDate: snapshot?.snapshotDate ?? null
})
