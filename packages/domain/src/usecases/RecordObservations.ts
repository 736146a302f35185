/** Records observations: decodes each, and commits what `Observations.observe` decides about it. */
import { Effect, Either } from "effect"
import type { Brand } from "../model/Brand.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import { Observation, type Outcome } from "../model/Observation.ts"
import type { Retention } from "../model/Retention.ts"
import { CommitSize } from "../ports/CommitSize.ts"
import type { Entropy } from "../ports/Entropy.ts"
import { LeadStore, type Proposal } from "../ports/LeadStore.ts"
import * as Decoder from "../queries/Decoder.ts"
import { observe } from "../decisions/Observations.ts"
import * as Suppression from "../credentials/Suppression.ts"
import { freshDeliveryIds } from "./FreshIds.ts"
import { RetentionPolicy } from "./RetentionRounds.ts"

const read = Decoder.decode(Observation, { whole: "The observation", strict: false })

/** What the store needs in order to decide about an observation. */
const propose = (
  brand: Brand,
  hash: (extId: string) => string,
  retention: Retention,
  observation: Observation
): Proposal => {
  const authorExtId = observation.engagement.postAuthorDetail?.extId ?? null
  return {
    personExtId: observation.person.extId,
    personHash: () => hash(observation.person.extId),
    authorHash: authorExtId === null ? null : () => hash(authorExtId),
    engagementId: observation.engagement.id,
    signalId: observation.signalId,
    decide: (known, now) => observe(brand.id, observation, known, now, retention)
  }
}

/** Caches the results of `compute`: persons and authors of posts repeat within a batch. */
const memoized = (compute: (text: string) => string): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    const result = known.get(text) ?? compute(text)
    known.set(text, result)
    return result
  }
}

/** The engagement's id in a value that is no observation; null where it has none that can be shown. */
const engagementIdOf = (value: unknown): string | null => {
  const engagement = (value as { engagement?: { id?: unknown } } | null)?.engagement
  const id = engagement?.id
  return typeof id === "string" && id !== "" && id.isWellFormed() ? id : null
}

/**
 * The outcome of a value that can't be decoded as an observation: `rejected`, with the message, and with the engagement's id
 * where the value has one.
 */
export const rejectedOutcome = (value: unknown, message: string): Outcome => ({
  engagementId: engagementIdOf(value),
  outcome: "rejected",
  leadId: null,
  message
})

/**
 * As `recordObservations`, in one commit, however many values there are: for callers that serve no requests meanwhile. When it fails with
 * `StoreUnavailable`, none of them is recorded, except that a failed sync can leave all of them recorded.
 */
export const recordInOneCommit = (
  brand: Brand,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Outcome>, StoreUnavailable, LeadStore | Entropy> =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const retention = yield* RetentionPolicy
    const hash = memoized(Suppression.hasher(brand.suppressionSecret))
    const decoded = values.map((value) =>
      Either.map(read(value), (observation) => propose(brand, hash, retention, observation))
    )
    const proposals = decoded.flatMap((each) => (Either.isRight(each) ? [each.right] : []))
    const committed =
      proposals.length === 0 ? [] : yield* store.commit(brand.id, proposals, yield* freshDeliveryIds)
    let next = 0
    return decoded.map((each, i): Outcome => {
      if (Either.isLeft(each)) return rejectedOutcome(values[i], each.left.message)
      const { leadId, message, outcome } = committed[next++]!
      return {
        engagementId: each.right.engagementId,
        outcome,
        leadId,
        ...(message === undefined ? {} : { message })
      }
    })
  })

/**
 * Records observations in order, and answers the outcome of each in the same order. A value that is no observation is
 * rejected with a message, and the others are recorded all the same. It commits `CommitSize` values at a time, so that
 * other requests are served in between. When it fails with `StoreUnavailable`, a first part may be recorded; sending all
 * values again records the rest. [EVT-8]
 */
export const recordObservations = (
  brand: Brand,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Outcome>, StoreUnavailable, LeadStore | Entropy> =>
  Effect.gen(function* () {
    const size = yield* CommitSize
    const outcomes: Array<Outcome> = []
    for (let from = 0; from < values.length; from += size) {
      if (from > 0) yield* Effect.yieldNow()
      outcomes.push(...(yield* recordInOneCommit(brand, values.slice(from, from + size))))
    }
    return outcomes
  })
