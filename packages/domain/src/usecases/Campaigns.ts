/** Campaigns, the readings of their posts, and what these come to. */
import { Clock, Effect } from "effect"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"
import type { BrandId } from "../model/Brand.ts"
import type { MetricSnapshot, Reading } from "../model/Campaign.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

export const create = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    const { id } = yield* Brands.get(brandId)
    return yield* campaignStore.create({ brandId: id, name, createdAt: yield* Clock.currentTimeMillis })
  })

export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* campaignStore.rename(brandId, id, name), "campaign")
  })

/** Deletes it with its readings. [DEL-3] */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    if (!(yield* campaignStore.delete(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "campaign" })
    }
  })

/** Keeps one post's reading of a day; answers the campaign's snapshot of that day. [MET-7] */
export const putReading = (brandId: BrandId, campaignId: string, reading: Reading) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    yield* Brands.get(brandId)
    if (!(yield* campaignStore.putReading(brandId, campaignId, reading))) {
      return yield* new NotFound({ resource: "campaign" })
    }
    return yield* metrics(brandId, campaignId, { endDate: reading.day })
  })

/** The latest snapshot in the span; null when there is none. [MET-2, MET-3, MET-6] */
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
