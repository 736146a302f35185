/** A campaign, and the readings of its posts: what each post has gathered up to the end of a day. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { requiredText } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/** A group of a brand's posts that are measured together. */
export interface Campaign {
  /** Decimal digits, never given twice in one store. */
  readonly id: string
  /** The brand that owns the campaign. */
  readonly brandId: BrandId
  /** The operator's name for the campaign: 1 to 256 characters. Two campaigns may have the same name. */
  readonly name: string
  /** When the operator created the campaign. */
  readonly createdAt: Instant
}

/** The schema of a new campaign: a `name` of 1 to 256 characters. */
export const NewCampaign = Schema.Struct({ name: requiredText(textLimits.name) })

/**
 * The greatest total of a post. No post comes near it, and the totals of thousands of posts still add up exactly in a
 * double.
 */
export const maxTotal = 1_000_000_000_000

const Total = Schema.Int.pipe(Schema.between(0, maxTotal)).annotations({
  description: `an integer from 0 to ${maxTotal}`
})

/** The schema of what one post has gathered up to the end of one day: integers from 0 to `maxTotal`. [MET-1] */
export const PostTotals = Schema.Struct({
  impressions: Total,
  reactions: Total,
  comments: Total,
  reposts: Total
})
export type PostTotals = typeof PostTotals.Type

/** The schema of a post's id in a campaign: 1 to 512 characters, well-formed and without U+0000. [OBS-3] */
export const PostId = requiredText(textLimits.externalId)

/** The totals of one post on one day. */
export interface Reading {
  /** The post's id, a `PostId`: the same post has the same id in every reading of the campaign. */
  readonly postId: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** What the post has gathered up to the end of that day. */
  readonly totals: PostTotals
}

/** The sums over a campaign's posts as of one day. [MET-1, MET-7] */
export interface MetricSnapshot extends PostTotals {
  /** (reactions + comments + reposts) / impressions, a fraction; 0 where impressions is 0. [MET-4] */
  readonly engagementRate: number
  /** The day of the sums, `YYYY-MM-DD`. */
  readonly snapshotDate: string
}
