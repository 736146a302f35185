/** A naive campaign: every reading is kept, and summed anew for every question. From docs/specification.md alone. [MET-1 … MET-7] */
export interface Totals {
  readonly impressions: number
  readonly reactions: number
  readonly comments: number
  readonly reposts: number
}

const figures = ["impressions", "reactions", "comments", "reposts"] as const

export class ReferenceCampaign {
  private readonly readings = new Map<string, Map<string, Totals>>()

  constructor(readonly id: string) {}

  /** A second reading of a day replaces the first. */
  put(postId: string, day: string, totals: Totals): void {
    const ofPost = this.readings.get(postId) ?? new Map<string, Totals>()
    this.readings.set(postId, ofPost.set(day, totals))
  }

  /** The data of GET /campaign/{id}/metrics; both ends of the span belong to it. */
  metrics(startDate: string | null, endDate: string | null): Record<string, unknown> {
    const days = [...this.readings.values()].flatMap((ofPost) => [...ofPost.keys()])
    const inSpan = days.filter(
      (day) => (startDate === null || day >= startDate) && (endDate === null || day <= endDate)
    )
    const latest = inSpan.sort().at(-1)
    const sums: Record<string, number | null> = {}
    for (const figure of figures) {
      sums[figure] = latest === undefined ? null : 0
      for (const ofPost of this.readings.values()) {
        if (latest === undefined) continue
        // A post without a reading that day counts with its last one before it.
        const day = [...ofPost.keys()]
          .filter((each) => each <= latest)
          .sort()
          .at(-1)
        if (day !== undefined) sums[figure]! += ofPost.get(day)![figure]
      }
    }
    const { comments, impressions, reactions, reposts } = sums
    return {
      campaignId: this.id,
      ...sums,
      engagementRate:
        latest === undefined
          ? null
          : impressions === 0
            ? 0
            : (reactions! + comments! + reposts!) / impressions!,
      snapshotDate: latest ?? null
    }
  }
}
