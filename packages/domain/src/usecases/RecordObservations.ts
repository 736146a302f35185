/** Takes in observations: reads each, lets the rule decide over what is known, commits. */
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

/** A function that computes its result once for each text: authors of posts repeat in a batch, and so do the persons who engage with them. */
const once = (compute: (text: string) => string): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    const result = known.get(text) ?? compute(text)
    known.set(text, result)
    return result
  }
}

/** The engagement's id as far as it can be made out in something that is no observation. */
const engagementIdOf = (value: unknown): string | null => {
  const engagement = (value as { engagement?: { id?: unknown } } | null)?.engagement
  const id = engagement?.id
  return typeof id === "string" && id !== "" && id.isWellFormed() ? id : null
}

/**
 * The outcome of a value that can't be read as an observation: `rejected`, with the engagement's id where the value
 * has one.
 */
export const rejectedOutcome = (value: unknown, message: string): Outcome => ({
  engagementId: engagementIdOf(value),
  outcome: "rejected",
  leadId: null,
  message
})

/** As `recordObservations`, in one commit, however long it takes: for callers that serve no requests meanwhile. */
export const recordInOneCommit = (
  brand: Brand,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Outcome>, StoreUnavailable, LeadStore | Entropy> =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const retention = yield* RetentionPolicy
    const hash = once(Suppression.hasher(brand.suppressionSecret))
    const readings = values.map((value) =>
      Either.map(read(value), (observation) => propose(brand, hash, retention, observation))
    )
    const proposals = readings.flatMap((reading) => (Either.isRight(reading) ? [reading.right] : []))
    const committed =
      proposals.length === 0 ? [] : yield* store.commit(brand.id, proposals, yield* freshDeliveryIds)
    let next = 0
    return readings.map((reading, i): Outcome => {
      if (Either.isLeft(reading)) return rejectedOutcome(values[i], reading.left.message)
      const { leadId, message, outcome } = committed[next++]!
      return {
        engagementId: reading.right.engagementId,
        outcome,
        leadId,
        ...(message === undefined ? {} : { message })
      }
    })
  })

/**
 * Records observations in order, and answers the outcome of each in the same order. A value that is no observation is
 * rejected with what is wrong with it; its neighbours are not. It commits `CommitSize` at a time, so that others are
 * served meanwhile. When it fails with `StoreUnavailable`, those before may have been recorded; sending all again changes
 * nothing that is recorded. [EVT-8]
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
