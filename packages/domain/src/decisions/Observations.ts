/**
 * The central rule of the product: what one observation changes and which events it fires, as a plain function of the
 * current state, the observation and the time of the commit.
 */
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Engagement, Lead, LeadId } from "../model/Lead.ts"
import type { EventType } from "../model/LeadEvent.ts"
import * as Retention from "../model/Retention.ts"
import type { ObservedEngagement, Observation } from "../model/Observation.ts"
import * as CommentText from "../text/CommentText.ts"
import * as Profiles from "./Profiles.ts"

/** The part of a store's state that an observation depends on, read in the transaction that commits the decision. */
export interface CurrentState {
  /** Whether the brand has the signal that the observation names. */
  readonly signalExists: boolean
  /** The lead that has an engagement with the observation's engagement id; null when none does. */
  readonly engagementOf: LeadId | null
  /** Whether the person was erased. */
  readonly personSuppressed: boolean
  /** Whether the post's author was erased; then the engagement keeps nothing of the author. */
  readonly authorSuppressed: boolean
  /** The person's lead; null for a person who was not observed before. */
  readonly lead: Lead | null
}

/** A lead after the commit, without its id: the store gives a new lead one. */
export type LeadDraft = Omit<Lead, "id">

/** The decision about an observation. A store writes something for `recorded` alone. */
export type Decision =
  /** The brand has no such signal, or the observation is too old to be kept; `message` tells the operator which. */
  | { readonly outcome: "rejected"; readonly message: string }
  /** The person was erased: nothing is kept. [PII-3] */
  | { readonly outcome: "suppressed" }
  /** `leadId` has an engagement of this id already. [EVT-8] */
  | { readonly outcome: "duplicate"; readonly leadId: LeadId }
  /** The lead as it is after the commit, its new engagement, and the events that the commit fires. [EVT-2, EVT-3] */
  | {
      readonly outcome: "recorded"
      readonly lead: LeadDraft
      readonly engagement: Omit<Engagement, "leadId">
      readonly events: ReadonlyArray<{ readonly event: EventType; readonly isFirstActivity: boolean }>
    }

const ascending = (a: string, b: string): number => Number(a) - Number(b)

const withSignal = (signalIds: ReadonlyArray<string>, signalId: string): ReadonlyArray<string> =>
  signalIds.includes(signalId) ? signalIds : [...signalIds, signalId].sort(ascending)

/** The engagement without its post's author, who was erased, and without the text of the author's post. [PII-3] */
const withoutAuthor = (engagement: ObservedEngagement): ObservedEngagement => ({
  ...engagement,
  postUrl: null,
  postContent: null,
  postAuthor: null,
  postAuthorDetail: null
})

/** The engagement as it is stored: a reactionType only on a reaction, a sanitised commentText only on a comment. [ENG-2, ENG-6] */
const kept = (signalId: string, seen: ObservedEngagement, now: Instant): Omit<Engagement, "leadId"> => ({
  ...seen,
  signalId,
  reactionType: seen.type === "reaction" ? seen.reactionType : null,
  commentText:
    seen.type === "comment" && seen.commentText !== null ? CommentText.sanitise(seen.commentText) : null,
  trackedAt: seen.trackedAt ?? now
})

/** A lead before its first observation is merged into it. */
const unseen = (brandId: BrandId, observation: Observation, now: Instant) => ({
  brandId,
  extId: observation.person.extId,
  signalId: observation.signalId,
  signalIds: [] as ReadonlyArray<string>,
  qualified: false,
  exported: false,
  isEmployee: false,
  score1: null,
  createdAt: now,
  updatedAt: now
})

const profileOf = (lead: Lead): Profiles.CurrentProfile => ({
  profile: lead.profile,
  times: lead.profileTimes
})

/**
 * Decides about one observation, in this order: it is rejected when the brand has no such signal, suppressed when the
 * person was erased, a duplicate when the engagement's id is known, and rejected when it is older than the retention.
 * None of these changes anything. [EVT-8, PII-3, RET-8]
 *
 * Otherwise it is recorded. A person who was not observed before becomes a lead and fires lead2.created, once ever; every
 * engagement fires activity.detected, and that of the first one says so. [EVT-2, EVT-3]
 *
 * `now`, the time of the commit, becomes createdAt of a new lead and updatedAt; a clock that was set back does not move
 * updatedAt back. [OBS-10]
 */
export const observe = (
  brandId: BrandId,
  observation: Observation,
  known: CurrentState,
  now: Instant,
  retention: Retention.Retention = Retention.keepAll
): Decision => {
  const { engagement: seen, person, signalId } = observation
  if (!known.signalExists) {
    return {
      outcome: "rejected",
      message: `signalId takes the id of a signal of this brand; the brand has no signal ${signalId}.`
    }
  }
  if (known.personSuppressed) return { outcome: "suppressed" }
  if (known.engagementOf !== null) return { outcome: "duplicate", leadId: known.engagementOf }
  const { trackedAt } = seen
  const tooOld = Retention.tooOld(retention, { trackedAt, isLead: known.lead !== null }, now)
  if (tooOld !== null) return { outcome: "rejected", message: tooOld }
  const engagement = kept(signalId, known.authorSuppressed ? withoutAuthor(seen) : seen, now)
  const lead = known.lead
  const merged = Profiles.merge(lead === null ? null : profileOf(lead), person, engagement.trackedAt)
  const before = lead ?? unseen(brandId, observation, now)
  return {
    outcome: "recorded",
    lead: {
      ...before,
      profile: merged.profile,
      profileTimes: merged.times,
      signalIds: withSignal(before.signalIds, signalId),
      updatedAt: Math.max(before.updatedAt, now)
    },
    engagement,
    events: [
      ...(lead === null ? [{ event: "lead2.created" as const, isFirstActivity: false }] : []),
      { event: "activity.detected" as const, isFirstActivity: lead === null }
    ]
  }
}
