/** Campaigns, the readings of their posts, and their sums. */
import { Clock, Effect } from "effect"
import * as CampaignSeries from "../decisions/CampaignSeries.ts"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"
import type { BrandId } from "../model/Brand.ts"
import type { MetricSnapshot, Reading } from "../model/Campaign.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import * as SeriesQueries from "../queries/SeriesQueries.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

/**
 * Creates a campaign of the brand. Fails with `NotFound` when there is no such brand or it is being deleted, and with
 * `StoreUnavailable`.
 */
export const create = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    const { id } = yield* Brands.get(brandId)
    return yield* campaignStore.create({ brandId: id, name, createdAt: yield* Clock.currentTimeMillis })
  })

/**
 * Renames the campaign and answers it as it is now. Fails with `NotFound` when the brand is gone or has no such
 * campaign, and with `StoreUnavailable`.
 */
export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* campaignStore.rename(brandId, id, name), "campaign")
  })

/**
 * Deletes the campaign with its readings. Fails with `NotFound` when the brand is gone or has no such campaign, also on
 * a second call, and with `StoreUnavailable`. [DEL-3]
 */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    if (!(yield* campaignStore.delete(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "campaign" })
    }
  })

/**
 * Keeps one post's reading of a day, `YYYY-MM-DD`; a second reading of the day replaces the first. Answers the
 * campaign's snapshot as of that day. Fails with `NotFound` when the brand is gone or has no such campaign, and with
 * `StoreUnavailable`. [MET-7]
 */
export const putReading = (brandId: BrandId, campaignId: string, reading: Reading) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    if (!(yield* campaignStore.putReading(brandId, campaignId, reading))) {
      return yield* new NotFound({ resource: "campaign" })
    }
    return yield* metrics(brandId, campaignId, { endDate: reading.day })
  })

/**
 * Answers the latest snapshot in the span, null when no post was read in it. Fails with `NotFound` when the brand has
 * no such campaign. [MET-2, MET-3, MET-6]
 */
export const metrics = (
  brandId: BrandId,
  campaignId: string,
  span: DateSpan
): Effect.Effect<MetricSnapshot | null, NotFound | StoreUnavailable, CampaignStore> =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    const found = yield* campaignStore.snapshot(brandId, campaignId, span)
    const { readings, snapshotDate } = yield* orNotFound(found, "campaign")
    return snapshotDate === null ? null : MetricSnapshots.sum(snapshotDate, readings)
  })

/**
 * Answers the figures of the campaign, or of one of its posts, at the end of each interval: null before the first reading. Fails with `NotFound`
 * when the brand is gone or has no such campaign, and with `StoreUnavailable`. [SERIES-3]
 */
export const series = (
  brandId: BrandId,
  campaignId: string,
  { postId, span }: SeriesQueries.CampaignSeriesQuery
) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    const days = SeriesQueries.lastDaysOf(span)
    const found = yield* campaignStore.dayChanges(brandId, campaignId, { postId, endDate: span.endDate })
    return CampaignSeries.snapshots(days, yield* orNotFound(found, "campaign"))
  })

/** The maximum number of posts of a campaign in one answer. */
export const maxPosts = 100

/**
 * Answers the campaign's posts, each with its last reading, those with the most impressions first, at most `maxPosts`. Fails with
 * `NotFound` when the brand is gone or has no such campaign, and with `StoreUnavailable`. [SERIES-4]
 */
export const posts = (brandId: BrandId, campaignId: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* campaignStore.posts(brandId, campaignId, maxPosts), "campaign")
  })
