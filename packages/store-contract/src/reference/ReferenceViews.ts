/** Answers of the API spelled out key by key, from what the reference model holds. */
import {
  newest,
  newestCompany,
  type ReferenceEngagement,
  type ReferenceLead,
  type ReferenceSignal,
  type SeenAuthor
} from "./ReferenceLead.ts"

type Json = Record<string, unknown>

/** The signals and leads of a brand that an engagement refers to. */
export interface BrandLookup {
  /** The signals by which engagements were caught. */
  readonly signals: ReadonlyArray<ReferenceSignal>
  /** The lead of the person with this external id, if the person is one. */
  readonly leadOfPerson: (extId: string) => ReferenceLead | undefined
}

/** Milliseconds as answers show them. */
export const iso = (at: number): string => new Date(at).toISOString()

const isoOrNull = (at: number | null | undefined): string | null => (at == null ? null : iso(at))

const companyKeys = [
  "name",
  "url",
  "homepageUrl",
  "logoUrl",
  "industry",
  "staffCountRange",
  "staffCount",
  "location",
  "country",
  "city",
  "username",
  "description"
]

/** The company as answers show it, with all of its keys; null for null. [ENG-10] */
export const renderedCompany = (company: Json | null): Json | null => {
  if (company === null) return null
  const rendered: Json = { id: `${company["id"] as number}` }
  for (const key of companyKeys) rendered[key] = company[key] ?? null
  return rendered
}

/** The author of a post, without external id, company and lead. */
const renderedAuthor = (author: SeenAuthor): Json => ({
  name: author.name ?? null,
  firstName: author.firstName ?? null,
  lastName: author.lastName ?? null,
  headline: author.headline ?? null,
  username: author.username ?? null,
  linkedinProfileUrl: author.linkedinProfileUrl ?? null,
  profileImageUrl: author.profileImageUrl ?? null
})

/** The lead as webhook posts show it. */
export const renderedPerson = (lead: ReferenceLead): Json => {
  const company = newestCompany(lead)
  return {
    id: lead.id,
    extId: lead.extId,
    name: newest(lead, "name"),
    headline: newest(lead, "headline"),
    username: newest(lead, "username"),
    title1: newest(lead, "title1"),
    liProfileUrl: newest(lead, "liProfileUrl"),
    profileImgUrl: newest(lead, "profileImgUrl"),
    leadCompany:
      company === null
        ? null
        : { id: company["id"], name: company["name"] ?? null, domain: company["domain"] ?? null }
  }
}

/** The lead as every answer shows it, without engagements. */
export const renderedLead = (lead: ReferenceLead): Json => {
  const ids = [...lead.signals]
  return {
    ...renderedPerson(lead),
    signalId: lead.signalId,
    signalIds: ids.sort((a, b) => Number(a) - Number(b)),
    qualified: lead.qualified,
    exported: lead.exported,
    isEmployee: lead.isEmployee,
    score1: lead.score1,
    createdAt: iso(lead.createdAt),
    updatedAt: iso(lead.updatedAt)
  }
}

/** The newest engagements of the lead, at most 20. [ENG-2] */
export const engagementWindow = (lead: ReferenceLead, withDetail: boolean, brand: BrandLookup): Json => {
  const all = lead.engagements
  return {
    engagements: all.slice(0, 20).map((e) => renderedEngagement(e, withDetail, brand)),
    engagementsMeta: { truncated: all.length > 20 }
  }
}

/** An engagement as answers show it; detail adds the author of the post and the source of the signal. [ENG-1, ENG-3] */
export const renderedEngagement = (e: ReferenceEngagement, withDetail: boolean, brand: BrandLookup): Json => {
  const signal = brand.signals.find((each) => each.id === e.signalId)!
  const author = e.postAuthorDetail
  const authorLead = author?.extId == null ? undefined : brand.leadOfPerson(author.extId)
  const detail = {
    postAuthorDetail:
      author === null
        ? null
        : {
            ...renderedAuthor(author),
            company: authorLead === undefined ? null : renderedCompany(newestCompany(authorLead)),
            leadId: authorLead === undefined ? null : `${authorLead.id}`
          },
    source: {
      id: signal.id,
      type: signal.source.type,
      value: signal.source.value,
      liCompanyId: signal.source.liCompanyId,
      company: renderedCompany(signal.source.company)
    }
  }
  return {
    id: e.id,
    type: e.type,
    reactionType: e.reactionType,
    commentText: e.commentText,
    postUrl: e.postUrl,
    postContent: e.postContent ?? null,
    postPostedAt: isoOrNull(e.postPostedAt),
    postAuthor: e.postAuthor,
    ...(withDetail ? detail : {}),
    signal: { id: signal.id, name: signal.name, signalType: signal.signalType },
    emittedAt: isoOrNull(e.emittedAt),
    trackedAt: iso(e.trackedAt)
  }
}

/**
 * The posts of the person with which others engaged, each once, in the order of their JSON. [PII-5]
 */
export const postsOf = (author: ReferenceLead, leads: ReadonlyArray<ReferenceLead>): Array<unknown> => {
  const posts = new Map<string, Json>()
  for (const { engagements } of leads) {
    for (const e of engagements) {
      if (e.postAuthorDetail?.extId !== author.extId) continue
      const post = {
        postUrl: e.postUrl,
        postContent: e.postContent ?? null,
        postPostedAt: isoOrNull(e.postPostedAt),
        postAuthor: e.postAuthor,
        postAuthorDetail: { extId: author.extId, ...renderedAuthor(e.postAuthorDetail) }
      }
      posts.set(JSON.stringify(post), post)
    }
  }
  return [...posts.keys()].sort().map((text) => posts.get(text))
}
