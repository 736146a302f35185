/**
 * Fills an empty store with the demo brand, through the same use cases as all other data, each part at the
 * time at which it happened. A kill at any moment is safe: the next start continues, and the key, created
 * last, marks the end. Only one process may fill a store at a time.
 */
import {
  Brands,
  BrandStore,
  Campaigns,
  CampaignStore,
  Keys,
  KeyStore,
  Leads,
  LeadStore,
  millisPerDay,
  Page,
  RateLimit,
  recordInOneCommit,
  Signals,
  SignalStore
} from "@lead-signals/domain"
import { brandHistory } from "./BrandHistory.ts"
import { Clock, Duration, Effect } from "effect"

const seed = 1
const days = 90
/** Small, because the first start waits for it. */
const scale = { days, people: 900, engagements: 2700 }

/** Engagements in one commit. */
const batchLength = 100

/** Runs independent calls concurrently, so that they share commits. */
const unorderedConcurrently = { concurrency: 64, discard: true } as const

/** A clock that stays at one instant. */
const clockAt = (millis: number): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => millis,
  unsafeCurrentTimeNanos: () => BigInt(millis) * 1_000_000n,
  currentTimeMillis: Effect.succeed(millis),
  currentTimeNanos: Effect.succeed(BigInt(millis) * 1_000_000n),
  sleep: (duration) =>
    Effect.async<void>((resume) => {
      const timer = setTimeout(() => resume(Effect.void), Duration.toMillis(duration))
      return Effect.sync(() => clearTimeout(timer))
    })
})

const at = (millis: number) => Effect.withClock(clockAt(millis))

const batchesOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / batchLength) }, (_, i) =>
    items.slice(i * batchLength, (i + 1) * batchLength)
  )

interface DemoFilled {
  /** The value of the key, which is not stored. */
  readonly key: string
  readonly brandId: string
}

/** The brand to fill and the end of its history. Null when the store has other data, or the complete demo. */
export const unfinished = Effect.gen(function* () {
  const [brandStore, keyStore] = yield* Effect.all([BrandStore, KeyStore])
  const brands = yield* brandStore.list
  const today = Math.floor((yield* Clock.currentTimeMillis) / millisPerDay) * millisPerDay
  if (brands.length === 0) return { brand: null, endsAt: today }
  const [only, ...others] = brands
  // The demo brand begins at midnight UTC, a brand of the same name that a user created almost never does.
  const isDemo = only!.name === "Demo" && only!.createdAt % millisPerDay === 0
  const keys = others.length > 0 || !isDemo ? null : yield* keyStore.list(only!.id)
  return keys?.length === 0 ? { brand: only!, endsAt: only!.createdAt + days * millisPerDay } : null
})

/**
 * Fills an empty store with the demo brand, or goes on where a start before ended half way. Its history ends today, in UTC. Answers null
 * when there is nothing to fill.
 */
export const fill = ({
  onProgress,
  requestsPerMinute = RateLimit.defaultRequestsPerMinute
}: {
  readonly requestsPerMinute?: number
  readonly onProgress: (done: number, of: number) => Effect.Effect<void>
}) =>
  Effect.gen(function* () {
    const work = yield* unfinished
    if (work === null) return null
    const [signalStore, campaignStore] = yield* Effect.all([SignalStore, CampaignStore])
    const history = brandHistory({ seed, endsAt: work.endsAt, ...scale })
    const startsAt = work.endsAt - days * millisPerDay
    const brand = work.brand ?? (yield* Brands.create(history.name).pipe(at(startsAt)))

    const signals = [...(yield* signalStore.list(brand.id))]
    for (const signal of history.signals.slice(signals.length)) {
      signals.push(yield* Signals.create(brand.id, signal).pipe(at(startsAt)))
    }

    const parts = batchesOf(history.seen)
    for (const [i, part] of parts.entries()) {
      const observations = part.map(({ engagement, person, signal }) => ({
        signalId: signals[signal]!.id,
        person,
        engagement
      }))
      yield* recordInOneCommit(brand, observations).pipe(at(part.at(-1)!.at))
      yield* onProgress(i + 1, parts.length)
    }

    yield* amendAll(brand.id, history.amendments, work.endsAt - 1)

    const campaigns = [...(yield* campaignStore.list(brand.id))]
    for (const [i, { name, readings }] of history.campaigns.entries()) {
      campaigns[i] ??= yield* Campaigns.create(brand.id, name).pipe(at(startsAt))
      const campaignId = campaigns[i].id
      yield* Effect.forEach(
        readings,
        ({ day, postId, totals }) => campaignStore.putReading(brand.id, campaignId, { postId, day, totals }),
        unorderedConcurrently
      )
    }
    const { value } = yield* Keys.create(brand.id, { label: "Demo", requestsPerMinute })
    return { key: value, brandId: brand.id } satisfies DemoFilled
  }).pipe(
    // The brand, signals and leads were created above, and the key has no end.
    Effect.catchTags({
      "@lead-signals/domain/NotFound": (missing) => Effect.die(missing),
      "@lead-signals/domain/InvalidParameter": (invalid) => Effect.die(invalid)
    })
  )

/** The operator reviews a lead some hours after its last engagement. */
const reviewedAfterMillis = 5 * 3_600_000

const amendAll = (
  brandId: string,
  amendments: ReturnType<typeof brandHistory>["amendments"],
  latest: number
) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    for (let page = 1; ; page++) {
      const { leads } = yield* store.list(brandId, {
        filter: {},
        sort: { field: "createdAt", direction: "asc" },
        page: { page, pageSize: Page.maxPageSize },
        engagements: "none"
      })
      if (leads.length === 0) return
      const amended = leads.flatMap(({ lead }) => {
        const amendment = amendments.get(lead.extId)
        return amendment === undefined ? [] : [{ lead, amendment }]
      })
      yield* Effect.forEach(
        amended,
        ({ amendment, lead }) =>
          Leads.amend(brandId, lead.id, amendment).pipe(
            at(Math.min(lead.updatedAt + reviewedAfterMillis, latest))
          ),
        unorderedConcurrently
      )
    }
  })
