/** A naive model of a campaign and its readings, written from the clauses alone. */

/** The totals of a post up to the end of a day; each figure is an integer of at least 0. */
export interface Totals {
  /** How often the post was shown. */
  readonly impressions: number
  /** Reactions to the post. */
  readonly reactions: number
  /** Comments on the post. */
  readonly comments: number
  /** Reposts of the post. */
  readonly reposts: number
}

/** By code points, as stores order texts: UTF-16 puts U+E000 to U+FFFF behind what has two units. */
const compareTexts = (a: string, b: string): number => {
  const [left, right] = [Array.from(a), Array.from(b)]
  for (const [i, character] of left.entries()) {
    const difference = character.codePointAt(0)! - (right[i]?.codePointAt(0) ?? -1)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const figures = ["impressions", "reactions", "comments", "reposts"] as const

/**
 * A naive campaign: it keeps every reading and sums them anew for every query, from the clauses alone. [MET-1 …
 * MET-7]
 */
export class ReferenceCampaign {
  private readonly readings = new Map<string, Map<string, Totals>>()

  /** A campaign of this id, without readings. */
  constructor(readonly id: string) {}

  /** Keeps the totals of a post on a day, `YYYY-MM-DD`; a second reading of the day replaces the first. [MET-7] */
  put(postId: string, day: string, totals: Totals): void {
    const ofPost = this.readings.get(postId) ?? new Map<string, Totals>()
    this.readings.set(postId, ofPost.set(day, totals))
  }

  /**
   * The figures of one post, or of all with null, at the end of a day: each post's last reading up to it, summed. Null when there is none.
   * [SERIES-3]
   */
  figures(postId: string | null, endOfDay: string): Record<string, number> | null {
    const posts = [...this.readings].filter(([id]) => postId === null || id === postId)
    const last = posts.flatMap(([, ofPost]) => {
      const day = [...ofPost.keys()]
        .filter((each) => each <= endOfDay)
        .sort()
        .at(-1)
      return day === undefined ? [] : [ofPost.get(day)!]
    })
    if (last.length === 0) return null
    const sum = (figure: (typeof figures)[number]): number =>
      last.reduce((all, each) => all + each[figure], 0)
    const [impressions, reactions, comments, reposts] = [
      sum("impressions"),
      sum("reactions"),
      sum("comments"),
      sum("reposts")
    ]
    const engagementRate = impressions === 0 ? 0 : (reactions + comments + reposts) / impressions
    return { impressions, reactions, comments, reposts, engagementRate }
  }

  /** The posts with their last totals, those with the most impressions first, and equal ones by their ids. [SERIES-4] */
  posts(limit: number): ReadonlyArray<Totals & { readonly postId: string; readonly day: string }> {
    return [...this.readings]
      .map(([postId, ofPost]) => {
        const day = [...ofPost.keys()].sort().at(-1)!
        return { postId, day, ...ofPost.get(day)! }
      })
      .sort((a, b) => b.impressions - a.impressions || compareTexts(a.postId, b.postId))
      .slice(0, limit)
  }

  /** The data of `GET /campaign/{id}/metrics`. Both days belong to the span; null: no bound. [MET-2, MET-3] */
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
