/** A campaign and the daily readings of its posts. Totals are cumulative. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { requiredText, textLimits } from "./Text.ts"

export interface Campaign {
  /** Decimal digits. */
  readonly id: string
  readonly brandId: BrandId
  readonly name: string
  readonly createdAt: Instant
}

/** What an operator says of a new campaign. */
export const NewCampaign = Schema.Struct({ name: requiredText(textLimits.name) })

/** Far beyond any post, and small enough that thousands of posts add up exactly in a double. */
export const maxTotal = 1_000_000_000_000

const Total = Schema.Int.pipe(Schema.between(0, maxTotal)).annotations({
  description: `an integer from 0 to ${maxTotal}`
})

/** What one post has gathered up to the end of one day. */
export const PostTotals = Schema.Struct({
  impressions: Total,
  reactions: Total,
  comments: Total,
  reposts: Total
})
export type PostTotals = typeof PostTotals.Type

/** What was read of one post on one day. */
export interface Reading {
  readonly postId: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly totals: PostTotals
}

/** The sum over a campaign's posts as of one day. */
export interface MetricSnapshot extends PostTotals {
  /** (reactions + comments + reposts) / impressions, a fraction; 0 where impressions is 0. [MET-4] */
  readonly engagementRate: number
  /** `YYYY-MM-DD`. */
  readonly snapshotDate: string
}
