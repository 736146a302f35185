/** Rows of leads, engagements and posts, and their translation into domain values. */
import type { Company, Engagement, Lead, LeadFlags, Post, Profile, ProfileText } from "@lead-signals/domain"
import { columnOf, profileTexts } from "@lead-signals/domain/pure"
import { idOf } from "./Ids.ts"
import type { RowOf } from "./RowOf.ts"

/** The columns of a profile's texts: `li_profile_url` and so on. */
export type ProfileColumns = RowOf<Pick<Profile, ProfileText>>

const columns = (Object.keys(profileTexts) as Array<ProfileText>).map(
  (field) => [field, columnOf(field) as keyof ProfileColumns] as const
)

/** The names of the columns of `profileTexts`, in its order. */
export const profileColumns: ReadonlyArray<keyof ProfileColumns> = columns.map(([, column]) => column)

/** The texts of a profile, in the order of `profileColumns`. */
export const profileValues = (profile: Profile): ReadonlyArray<string | null> =>
  columns.map(([field]) => profile[field])

/** The company of a column that holds its JSON, or null. */
export const companyOf = (column: string | null): Company | null =>
  column === null ? null : JSON.parse(column)

/** The JSON that a column holds of a company, or null. */
export const companyColumn = (company: Company | null): string | null =>
  company === null ? null : JSON.stringify(company)

/** The profile of the columns. */
export const profileOf = (
  row: ProfileColumns & { readonly name: string; readonly company: string | null }
): Profile => {
  const profile: Record<string, unknown> = { name: row.name }
  for (const [field, column] of columns) profile[field] = row[column]
  profile["company"] = companyOf(row.company)
  return profile as unknown as Profile
}

/** A row of the table `lead`, with the columns that are not derived. */
export type LeadRow = RowOf<
  Omit<Lead, "profile" | keyof LeadFlags> & Pick<Profile, "name" | "company">,
  "brandId" | "signalId",
  "profileTimes" | "signalIds" | "company"
> &
  ProfileColumns & {
    /** As `flagsOf` adds the flags up. */
    readonly flags: number
  }

/** The columns of a lead that are not derived, by name. */
export const leadRowColumns: ReadonlyArray<keyof LeadRow> = [
  "id",
  "brand_id",
  "ext_id",
  "name",
  ...profileColumns,
  "company",
  "profile_times",
  "signal_id",
  "signal_ids",
  "flags",
  "score1",
  "created_at",
  "updated_at"
]

/** The column `flags` of a lead: 1 for qualified, 2 for exported, 4 for an employee, added up. */
export const flagsOf = (lead: LeadFlags): number =>
  Number(lead.qualified) + 2 * Number(lead.exported) + 4 * Number(lead.isEmployee)

/** The lead of a row. `profileTimes` is parsed on first use: rendering a lead does not need it. */
export const leadOf = (row: LeadRow): Lead => ({
  id: row.id,
  brandId: String(row.brand_id),
  extId: row.ext_id,
  profile: profileOf(row),
  get profileTimes() {
    return JSON.parse(row.profile_times) as Lead["profileTimes"]
  },
  signalId: String(row.signal_id),
  signalIds: JSON.parse(row.signal_ids),
  qualified: (row.flags & 1) !== 0,
  exported: (row.flags & 2) !== 0,
  isEmployee: (row.flags & 4) !== 0,
  score1: row.score1,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

/** The columns of the table `engagement` that describe its post. */
export type PostRow = RowOf<Post, never, "postAuthorDetail">

/** The post of a row. */
export const postOf = (row: PostRow): Post => ({
  postUrl: row.post_url,
  postContent: row.post_content,
  postPostedAt: row.post_posted_at,
  postAuthor: row.post_author,
  postAuthorDetail: row.post_author_detail === null ? null : JSON.parse(row.post_author_detail)
})

/** The columns of the table `engagement`, in the order of `engagementValues`. On Postgres further ones follow, which are sealed. */
export const engagementColumns = [
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
  "post_author",
  "post_author_detail",
  "author_ext_id",
  "emitted_at",
  "tracked_at"
] as const

/** The columns of an engagement of the brand, in the order of `engagementColumns`. */
export const engagementValues = (
  brandId: number,
  engagement: Engagement
): ReadonlyArray<string | number | null> => [
  brandId,
  engagement.id,
  engagement.leadId,
  idOf(engagement.signalId),
  engagement.type,
  engagement.reactionType,
  engagement.commentText,
  engagement.postUrl,
  engagement.postContent,
  engagement.postPostedAt,
  engagement.postAuthor,
  engagement.postAuthorDetail === null ? null : JSON.stringify(engagement.postAuthorDetail),
  engagement.postAuthorDetail?.extId ?? null,
  engagement.emittedAt,
  engagement.trackedAt
]
