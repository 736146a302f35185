/** Where a brand's campaigns are kept, with the readings of their posts. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Campaign, PostTotals } from "../model/Campaign.ts"
import type { Instant } from "../model/Instant.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The readings that make a campaign's snapshot: each post's last one up to and including the day. [MET-7] */
export interface SnapshotReadings {
  /** `YYYY-MM-DD`: the latest day in the span on which any post of the campaign was read. */
  readonly snapshotDate: string
  readonly readings: ReadonlyArray<PostTotals>
}

export class CampaignStore extends Context.Tag("@lead-signals/domain/CampaignStore")<
  CampaignStore,
  {
    /**
     * Gives the campaign a new id: decimal digits, never given twice. Fails with `StoreUnavailable` when the brand is being
     * deleted.
     */
    readonly create: (campaign: Omit<Campaign, "id">) => StoreEffect<Campaign>
    /** In order of creation. */
    readonly list: (brandId: BrandId) => StoreEffect<ReadonlyArray<Campaign>>
    /** None when it is unknown or another brand's. [MET-6] */
    readonly get: (brandId: BrandId, id: string) => StoreEffect<Option.Option<Campaign>>
    /** None when it is unknown or another brand's. */
    readonly rename: (brandId: BrandId, id: string, name: string) => StoreEffect<Option.Option<Campaign>>
    /**
     * Removes it with its readings; answers whether the brand had such a campaign. A failure can leave readings that nothing
     * shows: the same call removes them.
     */
    readonly delete: (brandId: BrandId, id: string, now: Instant) => StoreEffect<boolean>
    /** A second reading of a post's day replaces the first. A campaign that is gone gets none. [MET-7] */
    readonly putReading: (
      campaignId: string,
      postId: string,
      day: string,
      totals: PostTotals
    ) => StoreEffect<void>
    /** None when no post was read in the span. [MET-2, MET-3] */
    readonly snapshot: (campaignId: string, span: DateSpan) => StoreEffect<Option.Option<SnapshotReadings>>
  }
>() {
  static readonly operations: Operations<CampaignStore["Type"]> = {
    create: "write",
    list: "read",
    get: "read",
    rename: "write",
    delete: "write",
    putReading: "write",
    snapshot: "read"
  }
}
