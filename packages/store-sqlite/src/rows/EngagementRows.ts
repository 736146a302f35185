/** Rows of engagements with their signal and their author, and their translation into domain values. */
import type { EngagementRead, EngagementType, Signal } from "@lead-signals/domain"
import { companyOf } from "@lead-signals/sql-rows"

/** In the order of `engagementColumns`. Many are read at once, and objects of so many columns would take a fifth of the time. */
export type EngagementRow = readonly [
  id: string,
  leadId: number,
  signalId: number,
  type: EngagementType | null,
  reactionType: string | null,
  commentText: string | null,
  postUrl: string | null,
  postContent: string | null,
  postPostedAt: number | null,
  postAuthor: string | null,
  postAuthorDetail: string | null,
  emittedAt: number | null,
  trackedAt: number,
  authorLeadId: number | null,
  authorCompany: string | null
]

/** The signal of the row. */
export const signalIdOf = (row: EngagementRow): number => row[2]

/** Adds to an engagement its signal and the author's lead. */
export const engagementReadOf =
  (signals: ReadonlyMap<number, Signal>) =>
  ([
    id,
    leadId,
    signalId,
    type,
    reactionType,
    commentText,
    postUrl,
    postContent,
    postPostedAt,
    postAuthor,
    postAuthorDetail,
    emittedAt,
    trackedAt,
    authorLeadId,
    authorCompany
  ]: EngagementRow): EngagementRead => ({
    engagement: {
      id,
      leadId,
      signalId: String(signalId),
      type,
      reactionType,
      commentText,
      postUrl,
      postContent,
      postPostedAt,
      postAuthor,
      postAuthorDetail: postAuthorDetail === null ? null : JSON.parse(postAuthorDetail),
      emittedAt,
      trackedAt
    },
    signal: signals.get(signalId)!,
    authorLead: authorLeadId === null ? null : { id: authorLeadId, company: companyOf(authorCompany) }
  })
