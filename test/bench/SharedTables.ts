/** Tables and columns that the product's schema and the plain reference have alike. */
import type { Row, SmallTable } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import type { EngagementFact } from "./Facts.ts"

/** The readings as a table, one row each. */
export const readingTable = (): SmallTable => ({
  table: "reading",
  columns: ["campaign_id", "post_id", "day", "impressions", "reactions", "comments", "reposts"],
  rows: Array.from(Data.readings(), (reading) => [
    reading.campaignId,
    reading.postId,
    reading.day,
    reading.impressions,
    reading.reactions,
    reading.comments,
    reading.reposts
  ])
})

/** The columns with which an engagement begins in every schema. */
export const firstEngagementColumns = [
  "seq",
  "brand_id",
  "id",
  "lead_id",
  "signal_id",
  "type",
  "reaction_type",
  "comment_text",
  "post_url",
  "post_content",
  "post_posted_at",
  "post_author"
] as const

/** Their values, in that order. */
export const firstEngagementValues = ({ post, ...engagement }: EngagementFact): Row => [
  engagement.seq,
  engagement.brandId,
  engagement.id,
  engagement.leadId,
  engagement.signalId,
  engagement.type,
  engagement.reactionType,
  engagement.commentText,
  post.url,
  post.content,
  post.postedAt,
  post.authorName
]
