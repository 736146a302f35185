/** What an operator does: brands, keys, signals, campaigns, flags, export and erasure. */
import { Clock, Effect, Encoding } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Brand, BrandId } from "../model/Brand.ts"
import type { PostTotals } from "../model/Campaign.ts"
import { NotFound } from "../model/Failure.ts"
import type { Lead, LeadAmendment, LeadId } from "../model/Lead.ts"
import type { NewSignal } from "../model/Signal.ts"
import { Directory } from "../ports/Directory.ts"
import { Entropy } from "../ports/Entropy.ts"
import { LeadStore } from "../ports/LeadStore.ts"
import { amend } from "../decisions/Amendments.ts"
import * as KeyFormat from "../credentials/KeyFormat.ts"
import * as MetricSnapshots from "../decisions/MetricSnapshots.ts"
import * as Suppression from "../credentials/Suppression.ts"
import { orNotFound } from "./Found.ts"
import { freshDeliveryIds } from "./FreshIds.ts"

export const createBrand = (name: string) =>
  Effect.gen(function* () {
    const [directory, entropy] = yield* Effect.all([Directory, Entropy])
    const suppressionSecret = Encoding.encodeHex(yield* entropy.bytes(Suppression.secretBytes))
    return yield* directory.createBrand({
      name,
      suppressionSecret,
      createdAt: yield* Clock.currentTimeMillis
    })
  })

/** Fails with `NotFound` for a brand that is being deleted, too. */
export const brand = (brandId: BrandId) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const found = yield* orNotFound(yield* directory.brand(brandId), "brand")
    return found.deletionStartedAt === null ? found : yield* new NotFound({ resource: "brand" })
  })

export const renameBrand = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* brand(brandId)
    return yield* orNotFound(yield* directory.renameBrand(id, name), "brand")
  })

/** One call of `deleteSomeOfBrand` removes leads so often, each time some hundred where the store is on a disk. */
const removalsACall = 10

/** How far a brand's deletion is. */
export interface BrandDeletion {
  readonly isFinished: boolean
  /** How many of its leads are to be removed yet. */
  readonly leadsLeft: number
}

/**
 * Deletes some of a brand: to be called until it is finished, by anybody and after any failure. The first call revokes its
 * keys and hides it from everything but the list of brands; each removes some of its leads, and the last one the rest. Fails
 * with `NotFound` when there is no such brand, or its deletion is finished. [DEL-1]
 */
export const deleteSomeOfBrand = (brandId: BrandId) =>
  Effect.gen(function* () {
    const [directory, store] = yield* Effect.all([Directory, LeadStore])
    const now = yield* Clock.currentTimeMillis
    const { id } = yield* orNotFound(yield* directory.startBrandDeletion(brandId, now), "brand")
    // Before the leads: what no webhook waits for need not be looked at with each of them.
    yield* Effect.forEach(yield* directory.webhooks(id), (webhook) => directory.deleteWebhook(id, webhook.id))
    let leadsLeft = yield* store.removeSome(id)
    for (let done = 1; leadsLeft > 0 && done < removalsACall; done++) leadsLeft = yield* store.removeSome(id)
    if (leadsLeft > 0) return { isFinished: false, leadsLeft } satisfies BrandDeletion
    yield* Effect.forEach(yield* directory.campaigns(id), (each) =>
      directory.deleteCampaign(id, each.id, now)
    )
    // A request that was under way as the deletion began can have created something since.
    return { isFinished: yield* directory.finishBrandDeletion(id), leadsLeft } satisfies BrandDeletion
  })

/** The key's value is in this answer and nowhere else, ever. [AUTH-4] */
export const createKey = (
  brandId: BrandId,
  { label, requestsPerMinute }: { readonly label: string; readonly requestsPerMinute: number }
) =>
  Effect.gen(function* () {
    const [directory, entropy] = yield* Effect.all([Directory, Entropy])
    const { id } = yield* brand(brandId)
    const value = KeyFormat.fromRandom(yield* entropy.bytes(KeyFormat.randomBytesNeeded))
    const key: ApiKey = yield* directory.createKey({
      brandId: id,
      label,
      start: value.slice(0, KeyFormat.startLength),
      requestsPerMinute,
      createdAt: yield* Clock.currentTimeMillis,
      hash: KeyFormat.hash(value)
    })
    return { key, value }
  })

/** From the moment this succeeds no request with the key does. Again is no error. [AUTH-5] */
export const revokeKey = (brandId: BrandId, keyId: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if (!(yield* directory.revokeKey(brandId, keyId, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "key" })
    }
  })

export const createSignal = (brandId: BrandId, signal: NewSignal) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* brand(brandId)
    return yield* directory.createSignal(id, signal, yield* Clock.currentTimeMillis)
  })

/** Engagements show the signal's name as it is now; no lead changes by it. */
export const renameSignal = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return yield* orNotFound(yield* directory.renameSignal(brandId, id, name), "signal")
  })

/** Observations of it are rejected from then on; leads and engagements that it caught stay, and show it. [DEL-2] */
export const deleteSignal = (brandId: BrandId, id: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if (!(yield* directory.deleteSignal(brandId, id, yield* Clock.currentTimeMillis))) {
      return yield* new NotFound({ resource: "signal" })
    }
  })

export const createCampaign = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* brand(brandId)
    return yield* directory.createCampaign({ brandId: id, name, createdAt: yield* Clock.currentTimeMillis })
  })

export const renameCampaign = (brandId: BrandId, id: string, name: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return yield* orNotFound(yield* directory.renameCampaign(brandId, id, name), "campaign")
  })

/** Deletes it with its readings. [DEL-3] */
export const deleteCampaign = (brandId: BrandId, id: string) =>
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

export const amendLead = (brandId: BrandId, id: LeadId, amendment: LeadAmendment) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const change = (lead: Lead, now: number): Lead => amend(lead, amendment, now)
    return yield* orNotFound(yield* store.update(brandId, id, change), "lead")
  })

/** Everything held about a person, for a request of theirs. */
export const exportLead = (brandId: BrandId, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const lead = yield* orNotFound(yield* store.get(brandId, id), "lead")
    return {
      lead,
      engagements: yield* store.engagements(brandId, id),
      posts: yield* store.authoredPosts(brandId, id)
    }
  })

/** Removes the person; only a keyed hash stays. [PII-3] */
export const eraseLead = ({ id: brandId, suppressionSecret }: Brand, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const lead = yield* orNotFound(yield* store.get(brandId, id), "lead")
    const personHash = Suppression.hash(suppressionSecret, lead.extId)
    if (!(yield* store.erase(brandId, id, personHash, yield* freshDeliveryIds))) {
      return yield* new NotFound({ resource: "lead" })
    }
  })
