/** Where a brand's campaigns are kept, with the readings of their posts. */
import { Context, type Option } from "effect"
import type { BrandId } from "../model/Brand.ts"
import type { Campaign, PostTotals, Reading } from "../model/Campaign.ts"
import type { Instant } from "../model/Instant.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** The readings that make a campaign's snapshot: each post's last one up to and including the day. [MET-7] */
export interface SnapshotReadings {
  /** `YYYY-MM-DD`: the latest day in the span on which any post of the campaign was read; null when none was. [MET-3] */
  readonly snapshotDate: string | null
  /** Empty when `snapshotDate` is null. */
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
    /** None when it is unknown or another brand's. */
    readonly rename: (brandId: BrandId, id: string, name: string) => StoreEffect<Option.Option<Campaign>>
    /**
     * Removes it with its readings; answers whether the brand had such a campaign. A failure can leave readings that nothing
     * shows: the same call removes them.
     */
    readonly delete: (brandId: BrandId, id: string, now: Instant) => StoreEffect<boolean>
    /** A second reading of a post's day replaces the first; answers whether the brand has such a campaign. [MET-7] */
    readonly putReading: (brandId: BrandId, id: string, reading: Reading) => StoreEffect<boolean>
    /** None when the campaign is unknown or another brand's. [MET-2, MET-6] */
    readonly snapshot: (
      brandId: BrandId,
      id: string,
      span: DateSpan
    ) => StoreEffect<Option.Option<SnapshotReadings>>
  }
>() {
  static readonly operations: Operations<CampaignStore["Type"]> = {
    create: "write",
    list: "read",
    rename: "write",
    delete: "write",
    putReading: "write",
    snapshot: "read"
  }
}
