/** A lead: a person seen engaging with what a brand watches. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Company } from "./Company.ts"
import type { Instant } from "./Instant.ts"
import type { EngagementType, PostAuthor } from "./Observation.ts"
import type { Signal } from "./Signal.ts"

/** An integer of at least 1, never given twice in one store, not even after an erasure. */
export type LeadId = number

/** The flags that an operator sets and clients filter by. */
export interface LeadFlags {
  readonly qualified: boolean
  readonly exported: boolean
  readonly isEmployee: boolean
}

/** What is known of the person, each field as of the newest observation that had it. */
export interface Profile {
  readonly name: string
  readonly headline: string | null
  readonly username: string | null
  readonly title1: string | null
  readonly liProfileUrl: string | null
  readonly profileImgUrl: string | null
  readonly company: Company | null
}

/** When each field of a profile was seen as it is: the trackedAt of the observation it came from. */
export type ProfileTimes = { readonly [Field in keyof Profile]?: Instant }

export interface Lead extends LeadFlags {
  readonly id: LeadId
  readonly brandId: BrandId
  readonly extId: string
  readonly profile: Profile
  readonly profileTimes: ProfileTimes
  /** Of the signal that first caught the lead. */
  readonly signalId: string
  /** All signals that caught the lead, ascending by number. */
  readonly signalIds: ReadonlyArray<string>
  readonly score1: number | null
  readonly createdAt: Instant
  /** Moves with every change of the lead or of its engagements; never before createdAt, never backwards. */
  readonly updatedAt: Instant
}

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** What an operator can set on a lead; what is not named stays. */
export const LeadAmendment = Schema.Struct({
  qualified: optional(Schema.Boolean),
  exported: optional(Schema.Boolean),
  isEmployee: optional(Schema.Boolean),
  score1: optional(
    Schema.NullOr(Schema.Number.pipe(Schema.finite())).annotations({ description: "a number or null" })
  )
})
export type LeadAmendment = typeof LeadAmendment.Type

/** One engagement as it is kept. `reactionType` and `commentText` go with their type only. [ENG-2] */
export interface Engagement {
  readonly id: string
  readonly leadId: LeadId
  readonly signalId: string
  readonly type: EngagementType | null
  readonly reactionType: string | null
  readonly commentText: string | null
  readonly postUrl: string | null
  readonly postContent: string | null
  readonly postPostedAt: Instant | null
  readonly postAuthor: string | null
  readonly postAuthorDetail: PostAuthor | null
  readonly emittedAt: Instant | null
  readonly trackedAt: Instant
}

/** A post, as the engagements with it say. */
export type Post = Pick<
  Engagement,
  "postUrl" | "postContent" | "postPostedAt" | "postAuthor" | "postAuthorDetail"
>

/** An engagement with what is looked up at the time of reading. [ENG-7, ENG-8] */
export interface EngagementRead {
  readonly engagement: Engagement
  readonly signal: Signal
  /** Set while the post's author is a lead of the same brand. */
  readonly authorLead: { readonly id: LeadId; readonly company: Company | null } | null
}

/** A lead's newest engagements, newest first, and whether it has more than these. [ENG-1] */
export interface EngagementWindow {
  readonly engagements: ReadonlyArray<EngagementRead>
  readonly truncated: boolean
}
