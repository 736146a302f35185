/**
 * What a brand's operator should look at and no store keeps: refusals of keys at their limit, and rejected observations. They are counted
 * in this process since it began, and end with it. [OPER-13]
 */
import type { ApiKey, BrandId, Instant, Outcome } from "@lead-signals/domain"
import { Clock, Context, Effect } from "effect"

/** How often something happened, and when last. */
export interface Tally {
  readonly count: number
  /** Milliseconds since the epoch. */
  readonly lastAt: Instant
}

/** Brands, and keys, of which something is counted; of further ones the oldest is forgotten. */
const maxTallies = 10_000

class Tallies {
  private readonly byId = new Map<string, Tally>()

  add(id: string, n: number, now: Instant): void {
    const count = (this.byId.get(id)?.count ?? 0) + n
    // The newest stands last.
    this.byId.delete(id)
    this.byId.set(id, { count, lastAt: now })
    if (this.byId.size > maxTallies) this.byId.delete(this.byId.keys().next().value!)
  }

  of(id: string): Tally | null {
    return this.byId.get(id) ?? null
  }
}

/**
 * Counts of one server since now: rejected observations by brand, requests refused for a used-up window by key. Made once a server.
 * [OPER-13]
 */
export const makeAttention = Effect.map(Clock.currentTimeMillis, (since) => {
  const rejections = new Tallies()
  const refusals = new Tallies()
  return {
    since,
    /** Counts the rejected ones among the outcomes. */
    noteOutcomes: (brandId: BrandId, outcomes: ReadonlyArray<Outcome>): Effect.Effect<void> => {
      const rejected = outcomes.filter(({ outcome }) => outcome === "rejected").length
      return rejected === 0
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => rejections.add(brandId, rejected, now))
    },
    /** Counts a request that the key's rate window refused. */
    noteRefusal: ({ id }: ApiKey): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => refusals.add(id, 1, now)),
    rejectionsOf: (brandId: BrandId): Tally | null => rejections.of(brandId),
    refusalsOf: ({ id }: ApiKey): Tally | null => refusals.of(id)
  }
})

/** The counts of one server. */
export class Attention extends Context.Tag("@lead-signals/http/Attention")<
  Attention,
  Effect.Effect.Success<typeof makeAttention>
>() {}
