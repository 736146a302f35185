/**
 * The changes and events of one observation: the heart of the product, as a plain function of the current state, the
 * observation and the time of the commit.
 */
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Engagement, Lead, LeadId } from "../model/Lead.ts"
import type { EventType } from "../model/LeadEvent.ts"
import * as Retention from "../model/Retention.ts"
import type { ObservedEngagement, Observation } from "../model/Observation.ts"
import * as CommentText from "../text/CommentText.ts"
import * as Profiles from "./Profiles.ts"

/** The state of a store that bears on an observation, read in the transaction that will commit the decision. */
export interface CurrentState {
  /** Whether the brand has the signal that caught it. */
  readonly signalExists: boolean
  /** The lead that has an engagement of this id; null when none does. */
  readonly engagementOf: LeadId | null
  /** Whether the person was erased. */
  readonly personSuppressed: boolean
  /** Whether the post's author was erased; then nothing of the author is kept with the engagement. */
  readonly authorSuppressed: boolean
  /** The lead that the person is already; null for a person not seen before. */
  readonly lead: Lead | null
}

/** The lead as it is to be after the commit; the store gives a new one its id. */
export type LeadDraft = Omit<Lead, "id">

/** The decision over an observation. A store writes `recorded` and nothing else. */
export type Decision =
  /** The brand has no such signal, or the observation is too old to be kept; `message` says so for the operator. */
  | { readonly outcome: "rejected"; readonly message: string }
  /** The person was erased: nothing is kept. [PII-3] */
  | { readonly outcome: "suppressed" }
  /** The lead has an engagement of this id already. [EVT-8] */
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

/** An erased author leaves nothing in the posts of which others are seen engaging. [PII-3] */
const withoutAuthor = (engagement: ObservedEngagement): ObservedEngagement => ({
  ...engagement,
  postUrl: null,
  postContent: null,
  postAuthor: null,
  postAuthorDetail: null
})

/** What is kept of an engagement: a reactionType and a commentText only with their type. [ENG-2, ENG-6] */
const kept = (signalId: string, seen: ObservedEngagement, now: Instant): Omit<Engagement, "leadId"> => ({
  ...seen,
  signalId,
  reactionType: seen.type === "reaction" ? seen.reactionType : null,
  commentText:
    seen.type === "comment" && seen.commentText !== null ? CommentText.sanitise(seen.commentText) : null,
  trackedAt: seen.trackedAt ?? now
})

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
 * An observation of a signal that the brand doesn't have is rejected, one of an erased person suppressed, one whose
 * engagement is known a duplicate, and one that is older than what is kept rejected; none of these changes anything.
 * [EVT-8, PII-3, RET-8]
 *
 * Otherwise it is recorded: a person not seen before becomes a lead and fires lead2.created, once ever; every engagement
 * fires activity.detected, and the first says so. [EVT-2, EVT-3] createdAt and updatedAt are the time of the commit;
 * a clock that was set back does not take updatedAt back.
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
