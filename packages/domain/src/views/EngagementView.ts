/**
 * The JSON of an engagement, the same on the list, the detail and webhooks. The views name each key and spread no stored
 * object, so no internal field can leak. [ENG-2, ENG-9, DET-4]
 */
import { formatInstant, formatInstantOrNull } from "../model/Instant.ts"
import type { EngagementDepth, LeadQuery } from "../queries/LeadQuery.ts"
import type { EngagementRead, EngagementWindow, Post } from "../model/Lead.ts"
import type { PostAuthor } from "../model/Observation.ts"
import { companyView } from "./CompanyView.ts"

const authorView = (author: PostAuthor) => ({
  name: author.name,
  firstName: author.firstName,
  lastName: author.lastName,
  headline: author.headline,
  username: author.username,
  linkedinProfileUrl: author.linkedinProfileUrl,
  profileImageUrl: author.profileImageUrl
})

/** The post's author. `company` and `leadId` are null unless the author is a lead of the brand. [ENG-7] */
const postAuthorDetailView = ({ engagement, authorLead }: EngagementRead) => {
  const author = engagement.postAuthorDetail
  return author === null
    ? null
    : {
        ...authorView(author),
        company: companyView(authorLead?.company ?? null),
        leadId: authorLead === null ? null : String(authorLead.id)
      }
}

/** The source of the signal. A signal has one source, whose `id` is the signal's. [ENG-8] */
const sourceView = ({ signal }: EngagementRead) => ({
  id: signal.id,
  type: signal.source.type,
  value: signal.source.value,
  liCompanyId: signal.source.liCompanyId,
  company: companyView(signal.source.company)
})

/** An engagement: `detailed` with the keys `postAuthorDetail` and `source`, `plain` without both. [ENG-2, ENG-3] */
export const engagementView = (read: EngagementRead, depth: EngagementDepth) => {
  const { engagement, signal } = read
  return {
    id: engagement.id,
    type: engagement.type,
    reactionType: engagement.reactionType,
    commentText: engagement.commentText,
    postUrl: engagement.postUrl,
    postContent: engagement.postContent,
    postPostedAt: formatInstantOrNull(engagement.postPostedAt),
    postAuthor: engagement.postAuthor,
    ...(depth === "detailed"
      ? { postAuthorDetail: postAuthorDetailView(read), source: sourceView(read) }
      : {}),
    signal: { id: signal.id, name: signal.name, signalType: signal.signalType },
    emittedAt: formatInstantOrNull(engagement.emittedAt),
    trackedAt: formatInstant(engagement.trackedAt)
  }
}

/** A post that the exported person wrote. It shows the author's `extId`, because the author is the person. */
export const postView = ({ postAuthor, postAuthorDetail, postContent, postPostedAt, postUrl }: Post) => ({
  postUrl,
  postContent,
  postPostedAt: formatInstantOrNull(postPostedAt),
  postAuthor,
  postAuthorDetail:
    postAuthorDetail === null ? null : { extId: postAuthorDetail.extId, ...authorView(postAuthorDetail) }
})

/** The two keys of a lead with engagements: `engagements`, and `engagementsMeta` with `truncated`. [ENG-1] */
export const windowView = (window: EngagementWindow, engagements: LeadQuery["engagements"]) => ({
  engagements: window.engagements.map((read) =>
    engagementView(read, engagements === "detailed" ? "detailed" : "plain")
  ),
  engagementsMeta: { truncated: window.truncated }
})
