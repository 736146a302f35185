/** The store of campaigns and of the readings of their posts. */
import { Context, type Option } from "effect"
import type { DayChange } from "../decisions/CampaignSeries.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Campaign, PostTotals, Reading } from "../model/Campaign.ts"
import type { Instant } from "../model/Instant.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The readings that a campaign's snapshot sums up: each post's last one up to and including the day. [MET-7] */
export interface SnapshotReadings {
  /** `YYYY-MM-DD`: the latest day in the span on which any post of the campaign was read; null when none was. [MET-3] */
  readonly snapshotDate: string | null
  /** One reading for each post that has one on or before that day, in no order; empty when `snapshotDate` is null. */
  readonly readings: ReadonlyArray<PostTotals>
}

/**
 * The port of a store for campaigns and their readings. Each method is atomic, and fails with `StoreUnavailable`
 * while the store can't answer.
 */
export class CampaignStore extends Context.Tag("@lead-signals/domain/CampaignStore")<
  CampaignStore,
  {
    /**
     * Creates a campaign with a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the
     * brand is being deleted, too.
     */
    readonly create: (campaign: Omit<Campaign, "id">) => StoreEffect<Campaign>
    /** Answers the brand's campaigns in order of creation. Empty for an unknown brand. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Campaign>>
    /** Renames the campaign and answers it. None when it is unknown or another brand's. */
    readonly rename: (brandId: BrandId, id: string, name: string) => StoreEffect<Option.Option<Campaign>>
    /**
     * Deletes the campaign with its readings. Answers whether the brand had such a campaign. A failure can leave
     * readings that no read answers; the repeated call removes them. [DEL-3]
     */
    readonly delete: (brandId: BrandId, id: string, now: Instant) => StoreEffect<boolean>
    /**
     * Stores a reading; a second one of the same post and day replaces the first. Answers whether the brand has such a
     * campaign. [MET-7]
     */
    readonly putReading: (brandId: BrandId, id: string, reading: Reading) => StoreEffect<boolean>
    /**
     * Answers the readings of the latest snapshot in the span. None when the campaign is unknown or another
     * brand's. [MET-2, MET-6]
     */
    readonly snapshot: (
      brandId: BrandId,
      id: string,
      span: DateSpan
    ) => StoreEffect<Option.Option<SnapshotReadings>>
    /**
     * Answers by how much the readings of each day changed the sums over the campaign's posts, or the totals of the post `postId`: the
     * differences of the readings to each post's reading before. Days ascend up to and including `endDate`; a day without a reading is left
     * out. None when the campaign is unknown or another brand's. [SERIES-3]
     */
    readonly dayChanges: (
      brandId: BrandId,
      id: string,
      query: { readonly postId: string | null; readonly endDate: string }
    ) => StoreEffect<Option.Option<ReadonlyArray<DayChange>>>
    /**
     * Answers each post's last reading: those with the most impressions first, ties by id in code-point order, at most `limit`. None when
     * the campaign is unknown or another brand's. [SERIES-4]
     */
    readonly posts: (
      brandId: BrandId,
      id: string,
      limit: number
    ) => StoreEffect<Option.Option<ReadonlyArray<Reading>>>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<CampaignStore["Type"]> = {
    create: "write",
    list: "read",
    rename: "write",
    delete: "write",
    putReading: "write",
    snapshot: "read",
    dayChanges: "read",
    posts: "read"
  }
}
