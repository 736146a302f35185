/** Campaigns, the readings of their posts, and what these come to. */
import { Clock, Effect, Option } from "effect"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"
import type { BrandId } from "../model/Brand.ts"
import type { MetricSnapshot, PostTotals } from "../model/Campaign.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import { Directory } from "../ports/Directory.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"

export const create = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* Brands.get(brandId)
    return yield* directory.createCampaign({ brandId: id, name, createdAt: yield* Clock.currentTimeMillis })
  })

export const rename = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return yield* orNotFound(yield* directory.renameCampaign(brandId, id, name), "campaign")
  })

/** Deletes it with its readings. [DEL-3] */
export const remove = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if (!(yield* directory.deleteCampaign(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "campaign" })
    }
  })

/** Keeps one post's reading of a day; answers the campaign's snapshot of that day. [MET-7] */
export const putReading = (
  brandId: BrandId,
  campaignId: string,
  reading: { readonly postId: string; readonly day: string; readonly totals: PostTotals }
) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const campaign = yield* orNotFound(yield* directory.campaign(brandId, campaignId), "campaign")
    yield* directory.putReading(campaign.id, reading.postId, reading.day, reading.totals)
    const found = yield* directory.snapshot(campaign.id, { endDate: reading.day })
    const { snapshotDate, readings } = yield* orNotFound(found, "campaign")
    return MetricSnapshots.sum(snapshotDate, readings)
  })

/** The latest snapshot in the span; null when there is none. [MET-2, MET-3, MET-6] */
export const metrics = (
  brandId: BrandId,
  campaignId: string,
  span: DateSpan
): Effect.Effect<MetricSnapshot | null, NotFound | StoreUnavailable, Directory> =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if (Option.isNone(yield* directory.campaign(brandId, campaignId))) {
      return yield* new NotFound({ resource: "campaign" })
    }
    const found = Option.getOrNull(yield* directory.snapshot(campaignId, span))
    return found === null ? null : MetricSnapshots.sum(found.snapshotDate, found.readings)
  })
