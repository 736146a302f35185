/** Where brands are kept, and what an operator sets up for them: keys, signals, campaigns, webhooks. */
import { Context, type Effect, type Option } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Brand, BrandId } from "../model/Brand.ts"
import type { Campaign, PostTotals } from "../model/Campaign.ts"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import type { NewSignal, Signal } from "../model/Signal.ts"
import type { Webhook, WebhookId } from "../model/Webhook.ts"
import type { DateSpan } from "../queries/MetricsQueries.ts"

/** The readings that make a campaign's snapshot: each post's last one up to and including the day. [MET-7] */
export interface SnapshotReadings {
  /** `YYYY-MM-DD`: the latest day in the span on which any post of the campaign was read. */
  readonly snapshotDate: string
  readonly readings: ReadonlyArray<PostTotals>
}

/** What a store that can be read can do besides. */
export interface StoreStatus {
  /** Why nothing can be written, in words for any client; null while it can, as far as is known. */
  readonly writeProblem: string | null
}

type Answer<A> = Effect.Effect<A, StoreUnavailable>

/** Lists are in order of creation. A new thing's id is decimal digits, never given twice. */
export class Directory extends Context.Tag("@lead-signals/domain/Directory")<
  Directory,
  {
    readonly createBrand: (brand: Omit<Brand, "id" | "deletionStartedAt">) => Answer<Brand>
    /** Those that are being deleted, too. */
    readonly brands: Answer<ReadonlyArray<Brand>>
    readonly brand: (id: BrandId) => Answer<Option.Option<Brand>>
    /** From the answer on the name is shown everywhere, other processes on the store included; so it is of all that are renamed. */
    readonly renameBrand: (id: BrandId, name: string) => Answer<Option.Option<Brand>>

    /**
     * Begins the brand's deletion, in one transaction: its keys are revoked and its signals deleted, so that no observation of
     * it is recorded any more, and creating something for it fails with `StoreUnavailable` from then on. A brand whose deletion
     * began before keeps its time. None when there is no such brand.
     */
    readonly startBrandDeletion: (id: BrandId, now: Instant) => Answer<Option.Option<Brand>>
    /**
     * Removes what is left of a brand whose deletion began: keys, signals, campaigns, hashes of erased persons, counters. False,
     * having removed nothing, while the brand has a lead or a webhook, or when no deletion of such a brand began.
     */
    readonly finishBrandDeletion: (id: BrandId) => Answer<boolean>

    /** `hash` is what the key is found by; the key itself is never stored. [AUTH-4] */
    readonly createKey: (
      key: Omit<ApiKey, "id" | "lastUsedAt" | "revokedAt"> & { readonly hash: string }
    ) => Answer<ApiKey>
    readonly keys: (brandId: BrandId) => Answer<ReadonlyArray<ApiKey>>
    /** Revoked keys are found, too: the caller refuses them. Must not be cached beyond a revocation. [AUTH-5] */
    readonly keyByHash: (hash: string) => Answer<Option.Option<ApiKey>>
    /** Answers whether the brand has such a key; a key that was revoked before keeps its time. */
    readonly revokeKey: (brandId: BrandId, keyId: string, now: Instant) => Answer<boolean>
    /**
     * Notes the use. It may be written after this has ended, since reads never wait for writes; that write's failure is not
     * reported. Never moves backwards. [AUTH-8]
     */
    readonly markKeyUsed: (keyId: string, minute: Instant) => Answer<void>

    readonly createSignal: (brandId: BrandId, signal: NewSignal, now: Instant) => Answer<Signal>
    readonly signals: (brandId: BrandId) => Answer<ReadonlyArray<Signal>>
    /** None when it is unknown or another brand's. */
    readonly renameSignal: (brandId: BrandId, id: string, name: string) => Answer<Option.Option<Signal>>

    /**
     * Observations of it are rejected from then on as of an unknown signal; leads and engagements that it caught still show it.
     * Answers whether the brand had such a signal.
     */
    readonly deleteSignal: (brandId: BrandId, id: string, now: Instant) => Answer<boolean>

    readonly createCampaign: (campaign: Omit<Campaign, "id">) => Answer<Campaign>
    readonly campaigns: (brandId: BrandId) => Answer<ReadonlyArray<Campaign>>
    /** None when it is unknown or another brand's. */
    readonly campaign: (brandId: BrandId, id: string) => Answer<Option.Option<Campaign>>
    readonly renameCampaign: (brandId: BrandId, id: string, name: string) => Answer<Option.Option<Campaign>>
    /**
     * Removes it with its readings; answers whether the brand had such a campaign. A failure can leave readings that nothing
     * shows: the same call removes them.
     */
    readonly deleteCampaign: (brandId: BrandId, id: string, now: Instant) => Answer<boolean>
    /** A second reading of a post's day replaces the first. [MET-7] */
    readonly putReading: (campaignId: string, postId: string, day: string, totals: PostTotals) => Answer<void>
    /** None when no post was read in the span. [MET-2, MET-3] */
    readonly snapshot: (campaignId: string, span: DateSpan) => Answer<Option.Option<SnapshotReadings>>

    readonly createWebhook: (webhook: Omit<Webhook, "id">) => Answer<Webhook>
    readonly webhooks: (brandId: BrandId) => Answer<ReadonlyArray<Webhook>>
    /** None when it is unknown or another brand's. */
    readonly webhook: (brandId: BrandId, id: WebhookId) => Answer<Option.Option<Webhook>>
    /**
     * Replaces the webhook by what `change`, a plain function, makes of it, in one transaction. One that is enabled by
     * this starts fresh: its pending deliveries are due at once, with no failures before them. Deliveries under way keep their
     * lease, marked by `AttemptTransitions.ofEarlierEnabling`. [DELIV-4]
     */
    readonly updateWebhook: (
      brandId: BrandId,
      id: WebhookId,
      change: (webhook: Webhook, now: Instant) => Webhook
    ) => Answer<Option.Option<Webhook>>
    /** Removes it with its deliveries and their log; answers whether there was such a webhook. */
    readonly deleteWebhook: (brandId: BrandId, id: WebhookId) => Answer<boolean>

    /** Succeeds while the store can be read, and says whether it can be written. [HEALTH-2] */
    readonly ping: Answer<StoreStatus>
  }
>() {}
