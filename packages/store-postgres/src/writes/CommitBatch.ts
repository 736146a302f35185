/** Commits the proposals of several calls in one transaction, in a number of statements that does not depend on theirs. */
import type { Committed, DeliveryId, Engagement, Instant, Lead, Proposal } from "@lead-signals/domain"
import { idOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import type { Person } from "../rows/LeadRows.ts"
import { type Known, type KnownState, type Proposed, readKnownState } from "./KnownState.ts"
import { CounterChanges } from "./LeadCounters.ts"
import { type FiredEvent, type LeadChange, writeLeads, type Written } from "./LeadWrites.ts"
import { type Lock, takeLocks } from "./Locks.ts"
import type { PersonKeys } from "./PersonKeys.ts"

/** The arguments of one call of `LeadStore.commit`. */
export interface CommitCall {
  readonly brandId: string
  readonly proposals: ReadonlyArray<Proposal>
  /** Gives the ids of the deliveries. */
  readonly ids: () => DeliveryId
}

/** What became of one call: its answer and the number of deliveries that it started, or what its `decide` or `ids` threw. */
export type CallResult =
  | { readonly committed: ReadonlyArray<Committed>; readonly queued: number }
  | { readonly thrown: unknown }

/** A change of a lead, with the hash of its person. */
type RecordedLead = Omit<LeadChange, "person"> & { readonly hash: string }

/** An engagement, with the hashes of who engaged and of the post's author. */
type RecordedEngagement = Engagement & {
  readonly brandId: number
  readonly hash: string
  readonly authorHash: string | null
}

/** What a call adds to the transaction. */
interface Recorded {
  readonly committed: ReadonlyArray<Committed>
  readonly leads: ReadonlyArray<RecordedLead>
  readonly engagements: ReadonlyArray<RecordedEngagement>
  readonly events: ReadonlyArray<FiredEvent>
}

const locksOf = ({ brandId, proposal }: Proposed): ReadonlyArray<Lock> => [
  { locked: { kind: "brand", brandId }, isShared: true },
  { locked: { kind: "person", brandId, hash: proposal.personHash() }, isShared: false },
  { locked: { kind: "engagement", brandId, id: proposal.engagementId }, isShared: false },
  ...(proposal.authorHash === null
    ? []
    : [{ locked: { kind: "person", brandId, hash: proposal.authorHash() }, isShared: true } as const])
]

/** Decides over the proposals of one call, each over what those before it left. */
const record = (
  { brandId, ids, proposals }: CommitCall,
  { freshIds, subscriptions }: Known,
  state: KnownState,
  now: Instant
): Recorded => {
  const brand = idOf(brandId)
  const webhooks = subscriptions.get(brand) ?? []
  const leads: Array<RecordedLead> = []
  const engagements: Array<RecordedEngagement> = []
  const events: Array<FiredEvent> = []
  const committed = proposals.map((proposal): Committed => {
    const known = state.of({ brandId: brand, proposal })
    const decision = proposal.decide(known, now)
    if (decision.outcome !== "recorded") return { leadId: null, ...decision }
    const before = known.lead
    const lead: Lead = { ...decision.lead, id: before === null ? freshIds.shift()! : before.id }
    state.setLead(brand, lead)
    state.setEngagement(brand, decision.engagement.id, lead.id)
    const { authorHash } = proposal
    const hash = proposal.personHash()
    const hasAuthor = (decision.engagement.postAuthorDetail?.extId ?? null) !== null
    const author = hasAuthor && authorHash !== null ? authorHash() : null
    leads.push({ before, after: lead, hash })
    engagements.push({ ...decision.engagement, leadId: lead.id, brandId: brand, hash, authorHash: author })
    for (const { event, isFirstActivity } of decision.events) {
      events.push({
        brandId: brand,
        event,
        leadId: lead.id,
        engagementId: decision.engagement.id,
        isFirstActivity,
        deliveries: webhooks
          .filter((webhook) => webhook.events.includes(event))
          .map(({ webhookId }) => ({ id: ids(), webhookId }))
      })
    }
    return { outcome: decision.outcome, leadId: lead.id }
  })
  return { committed, leads, engagements, events }
}

/** One change for each lead, from before the transaction to after it. */
const changesOf = (leads: ReadonlyArray<RecordedLead>): ReadonlyArray<RecordedLead> => {
  const byId = new Map<number, RecordedLead>()
  for (const { after, before, hash } of leads) {
    const earlier = byId.get(after.id)
    byId.set(after.id, { before: earlier === undefined ? before : earlier.before, after, hash })
  }
  return [...byId.values()]
}

/** The rows to be written, with the keys of their persons, which are made where they are missing. */
const writtenOf = async (
  db: Connection,
  recorded: ReadonlyArray<Recorded>,
  persons: PersonKeys | null
): Promise<Written> => {
  const engagements = recorded.flatMap(({ engagements }) => engagements)
  // A person with a lead here has an engagement.
  await persons?.create(
    db,
    engagements.flatMap(({ authorHash, brandId, hash }) => [
      { brandId, hash },
      ...(authorHash === null ? [] : [{ brandId, hash: authorHash }])
    ])
  )
  const personOf = (brandId: number, hash: string | null): Person | null =>
    persons === null || hash === null ? null : persons.of({ brandId, hash })
  return {
    leads: changesOf(recorded.flatMap(({ leads }) => leads)).map(({ after, before, hash }) => ({
      before,
      after,
      person: personOf(idOf(after.brandId), hash)
    })),
    engagements: engagements.map(({ authorHash, hash, ...engagement }) => ({
      ...engagement,
      person: personOf(engagement.brandId, hash),
      author: personOf(engagement.brandId, authorHash)
    })),
    events: recorded.flatMap(({ events }) => events)
  }
}

/**
 * Commits the calls within a transaction, in order, and answers the result of each in the same order. A call whose `decide` or `ids` throws
 * changes nothing; the others are committed. The transaction must have locked nothing before.
 */
export const commitBatch = async (
  db: Connection,
  now: Instant,
  calls: ReadonlyArray<CommitCall>,
  maxBucketLeads: number
): Promise<ReadonlyArray<CallResult>> => {
  const proposed = calls.flatMap(({ brandId, proposals }) =>
    proposals.map((proposal): Proposed => ({ brandId: idOf(brandId), proposal }))
  )
  if (proposed.length === 0) return calls.map(() => ({ committed: [], queued: 0 }))
  await takeLocks(db, proposed.flatMap(locksOf))
  const known = await readKnownState(db, proposed)
  const recorded: Array<Recorded> = []
  const results = calls.map((call): CallResult => {
    const state = known.state.fork()
    try {
      const made = record(call, known, state, now)
      known.state.merge(state)
      recorded.push(made)
      return {
        committed: made.committed,
        queued: made.events.reduce((sum, { deliveries }) => sum + deliveries.length, 0)
      }
    } catch (thrown) {
      return { thrown }
    }
  })
  const counters = new CounterChanges()
  await writeLeads(db, await writtenOf(db, recorded, known.persons), now, counters)
  await counters.apply(db, maxBucketLeads)
  return results
}
