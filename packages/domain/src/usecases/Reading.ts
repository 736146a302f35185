/** What an API client reads: the list, a lead's detail, a campaign's metrics. Each is of one brand only. [AUTH-3] */
import { Effect, Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { MetricSnapshot } from "../model/Campaign.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import type { LeadId } from "../model/Lead.ts"
import type { LeadQuery } from "../queries/LeadQuery.ts"
import { Directory } from "../ports/Directory.ts"
import { type LeadPage, LeadStore, type RenderedPage } from "../ports/LeadStore.ts"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import { orNotFound } from "./Found.ts"

export const listLeads = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<LeadPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) => store.list(brandId, query))

/** The same, ready to be shown. */
export const showLeads = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<RenderedPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) => store.listRendered(brandId, query))

/** In JSON, with the engagement window, always. [DET-1] */
export const leadDetail = (brandId: BrandId, id: LeadId, withDetail: boolean) =>
  Effect.flatMap(LeadStore, (store) =>
    Effect.flatMap(store.getRendered(brandId, id, withDetail ? "detailed" : "plain"), (found) =>
      orNotFound(found, "lead")
    )
  )

/** The latest snapshot in the span; null when there is none. [MET-2, MET-3, MET-6] */
export const campaignMetrics = (
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
