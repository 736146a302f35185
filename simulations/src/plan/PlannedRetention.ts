/** The retention of a seed: what the service of a run keeps how long, and how it prunes. */
import { Retention, type RetentionKind } from "@lead-signals/domain"
import { Prng } from "@lead-signals/simulation-kernel"
import type { Scenario } from "../Scenario.ts"

const minute = 60_000
const hour = 60 * minute
const long = [15 * minute, 40 * minute, 90 * minute, 180 * minute]
/** Retentions by which a run of the given hours prunes much of what happens in it. */
const shortFor = (hours: number): ReadonlyArray<number> =>
  hours < 0.3 ? [minute, minute, 2 * minute, 4 * minute] : [minute, 2 * minute, 4 * minute, 10 * minute]

/** How a service prunes while the actions of a run go on. What is absent is as in production, as all of it is after these. */
export interface PlannedPruning {
  /** Milliseconds from the end of a round to the next. */
  readonly intervalMillis?: number
  /** Milliseconds of a lease. That of an interval ends as the next round of another process begins. */
  readonly leaseMillis?: number
  /** Rows that one piece removes at most, of `kindsInOrder`. */
  readonly rows?: number
}

/** What a plan says of retention. */
export interface RetentionPlan {
  readonly retention: Retention.Retention
  readonly pruning?: PlannedPruning
}

/** Kinds whose rows go in one order over every store, so that a run is the same over each. Pieces of the others are as large as in production. */
export const kindsInOrder: ReadonlySet<RetentionKind> = new Set<RetentionKind>([
  "deliveries",
  "deadLetters",
  "leads"
])

const pruningOfSeed = (seed: number): PlannedPruning => {
  const draw = Prng.of(seed, "pruning")
  const intervalMillis = draw.pick([20_000, 60_000, 150_000, 300_000])
  return {
    intervalMillis,
    ...(draw.chance(0.75) ? { leaseMillis: intervalMillis } : {}),
    ...(draw.chance(0.7) ? { rows: draw.pick([1, 1, 2, 3]) } : {})
  }
}

const shareOfSwarm = 1 / 2

/**
 * Null where the service of the seed prunes nothing. Half of the seeds of some hours, and all shorter ones, prune soon and often. Erased
 * persons are remembered: other rules demand that they stay gone.
 */
export const retentionOfSeed = (
  { retention, swarm }: Pick<Scenario, "retention" | "swarm">,
  seed: number,
  hours: number
): RetentionPlan | null => {
  if (!retention || (swarm && !Prng.of(seed, "prunes").chance(shareOfSwarm))) return null
  const draw = Prng.of(seed, "retention")
  const isShort = hours < 1 || Prng.of(seed, "prunes soon").chance(0.5)
  const drawn = (keepShare: number): number | null =>
    draw.chance(keepShare) ? null : draw.pick(isShort ? shortFor(hours) : long)
  return {
    retention: {
      deliveries: drawn(0.15),
      // Dead letters that outlive what was delivered after them are named no more. [ORD-5]
      deadLetters: drawn(isShort ? 0.5 : 0.3),
      events: drawn(0.15),
      engagements: drawn(0.3),
      leads: drawn(0.4),
      suppressions: null
    },
    ...(isShort ? { pruning: pruningOfSeed(seed) } : {})
  }
}

/** Milliseconds for which the plan's pruning goes on after `elapsed`. */
export const pruningMillisLeft = ({ hours }: { readonly hours: number }, elapsed: number): number =>
  Math.max(0, hours * hour - elapsed)
