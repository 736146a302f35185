/** Counts of a brand's leads, engagements and deliveries over time. */
import { Effect } from "effect"
import * as CountSeries from "../decisions/CountSeries.ts"
import type { BrandId } from "../model/Brand.ts"
import { engagementTypes } from "../model/Observation.ts"
import { Deliveries } from "../ports/Deliveries.ts"
import { LeadStore } from "../ports/LeadStore.ts"
import type { IntervalSpan } from "../model/Interval.ts"
import * as Brands from "./Brands.ts"

/** The groups that a series has even if nothing of them was counted. */
const always = (by: CountSeries.Counted["by"]) =>
  by === "none" ? [null] : by === "type" ? engagementTypes : []

/**
 * Counts the brand's leads or engagements in each interval, by group. Fails with `NotFound` when there is no such brand, and with
 * `StoreUnavailable`. [SERIES-5]
 */
export const counts = (brandId: BrandId, counted: CountSeries.Counted, span: IntervalSpan) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const { id } = yield* Brands.get(brandId)
    const found = yield* store.counts(id, counted, CountSeries.intervalsOf(span))
    return CountSeries.largest(CountSeries.byGroup(span.count, found, always(counted.by)))
  })

/**
 * Counts in each interval the deliveries to the brand's webhooks that ended, by their state. Fails with `NotFound` when there is no such
 * brand, and with `StoreUnavailable`. [SERIES-6]
 */
export const deliveries = (brandId: BrandId, span: IntervalSpan) =>
  Effect.gen(function* () {
    const store = yield* Deliveries
    const { id } = yield* Brands.get(brandId)
    const found = yield* store.counts(id, CountSeries.intervalsOf(span))
    const groups = CountSeries.byGroup(span.count, found, CountSeries.finishedStates)
    return { groups, rest: null } satisfies CountSeries.CountSeries
  })
