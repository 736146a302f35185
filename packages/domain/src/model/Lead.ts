/** A lead: a person seen engaging with what a brand watches. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Company } from "./Company.ts"
import type { Instant } from "./Instant.ts"
import type { EngagementType, PostAuthor } from "./Observation.ts"
import type { Profile, ProfileTimes } from "./Profile.ts"
import type { Signal } from "./Signal.ts"

/** An integer of at least 1, never given twice in one store, not even after an erasure. */
export type LeadId = number

/** The flags that an operator sets and clients filter by. */
export interface LeadFlags {
  /** Whether the brand calls the lead qualified; false at first. [LIST-3] */
  readonly qualified: boolean
  /** Whether the brand has taken the lead over into another system; false at first. [LIST-3] */
  readonly exported: boolean
  /** Whether the lead works for the brand itself; false at first. [LIST-3] */
  readonly isEmployee: boolean
}

/** A person seen engaging with what a brand watches, as the store keeps it. */
export interface Lead extends LeadFlags {
  /** The number by which API clients read the lead. */
  readonly id: LeadId
  /** The brand that owns the lead. A person seen by two brands is two leads. */
  readonly brandId: BrandId
  /** The person's id on the network: 1 to 512 characters, unique within the brand. */
  readonly extId: string
  /** The newest fields of the person. */
  readonly profile: Profile
  /** When each field of `profile` was observed. */
  readonly profileTimes: ProfileTimes
  /** The signal that first caught the lead. */
  readonly signalId: string
  /** All signals that caught the lead, ascending by number. */
  readonly signalIds: ReadonlyArray<string>
  /** The operator's score, any finite number, higher is better; null until the operator sets one. [SORT-6] */
  readonly score1: number | null
  /** The time of the commit that made the lead. */
  readonly createdAt: Instant
  /** When the lead or its engagements last changed. Never before `createdAt`, never moved back. [OBS-10] */
  readonly updatedAt: Instant
}

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * The schema of what an operator changes on a lead: flags, and a score that is a finite number or null. A field that
 * is not there stays as it is. [OPER-5]
 */
export const LeadAmendment = Schema.Struct({
  qualified: optional(Schema.Boolean),
  exported: optional(Schema.Boolean),
  isEmployee: optional(Schema.Boolean),
  score1: optional(
    Schema.NullOr(Schema.Number.pipe(Schema.finite())).annotations({ description: "a number or null" })
  )
})
export type LeadAmendment = typeof LeadAmendment.Type

/** One engagement as the store keeps it. [ENG-2] */
export interface Engagement {
  /** The id that the observation gave: 1 to 512 characters, unique within the brand. [EVT-8] */
  readonly id: string
  /** The lead that engaged. */
  readonly leadId: LeadId
  /** The signal that caught the engagement. */
  readonly signalId: string
  /** Comment, reaction or repost; null when the observation did not say. */
  readonly type: EngagementType | null
  /** Which reaction, such as `LIKE`, at most 256 characters; null on anything but a reaction. */
  readonly reactionType: string | null
  /** The comment as plain text without markup; null on anything but a comment. [ENG-6] */
  readonly commentText: string | null
  /** The address of the post engaged with; null when unknown, or after its author was erased. */
  readonly postUrl: string | null
  /** The text of the post, at most 100,000 characters; null when unknown, or after its author was erased. */
  readonly postContent: string | null
  /** When the post appeared; null when unknown. */
  readonly postPostedAt: Instant | null
  /** The name of the post's author; null when unknown, or after the author was erased. */
  readonly postAuthor: string | null
  /** The post's author in full; null when unknown, or after the author was erased. [ENG-7] */
  readonly postAuthorDetail: PostAuthor | null
  /** When the collector says that the engagement happened; null when unknown. */
  readonly emittedAt: Instant | null
  /** When the engagement was seen: the observation's time, or the time of the commit where it gave none. */
  readonly trackedAt: Instant
}

/** A post as an engagement with it describes it. */
export type Post = Pick<
  Engagement,
  "postUrl" | "postContent" | "postPostedAt" | "postAuthor" | "postAuthorDetail"
>

/** An engagement with its signal and its post's author, both looked up when it is read. [ENG-7, ENG-8] */
export interface EngagementRead {
  /** The engagement itself, as it was recorded. */
  readonly engagement: Engagement
  /** The signal that caught it, with its present name. A deleted signal is still read. [DEL-2] */
  readonly signal: Signal
  /** The post's author, while that person is a lead of the same brand; null otherwise. [ENG-7] */
  readonly authorLead: { readonly id: LeadId; readonly company: Company | null } | null
}

/** A lead's newest engagements, newest first, and whether it has more than these. [ENG-1] */
export interface EngagementWindow {
  /** At most 20, newest `trackedAt` first, ties by id in descending code-point order. */
  readonly engagements: ReadonlyArray<EngagementRead>
  /** True exactly when the lead has more engagements than these. */
  readonly truncated: boolean
}
