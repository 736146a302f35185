/** The operator's calls on brands: create, rename, and delete with everything of theirs. */
import { Clock, Effect, Encoding, Option } from "effect"
import * as Suppression from "../credentials/Suppression.ts"
import type { BrandId } from "../model/Brand.ts"
import { NotFound } from "../model/Failure.ts"
import { BrandStore } from "../ports/BrandStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Entropy } from "../ports/Entropy.ts"
import { LeadStore } from "../ports/LeadStore.ts"
import { orNotFound } from "./Found.ts"

/**
 * Creates a brand with a fresh suppression secret. Fails with `StoreUnavailable` while the store can't write.
 * `NewBrand` checks a name from outside: 1 to 256 characters.
 */
export const create = (name: string) =>
  Effect.gen(function* () {
    const [brandStore, entropy] = yield* Effect.all([BrandStore, Entropy])
    const suppressionSecret = Encoding.encodeHex(yield* entropy.bytes(Suppression.secretBytes))
    return yield* brandStore.create({
      name,
      suppressionSecret,
      createdAt: yield* Clock.currentTimeMillis
    })
  })

/**
 * Answers the brand. Fails with `NotFound` when there is none or it is being deleted, and with `StoreUnavailable`.
 */
export const get = (brandId: BrandId) =>
  Effect.gen(function* () {
    const brandStore = yield* BrandStore
    const found = yield* orNotFound(yield* brandStore.get(brandId), "brand")
    return found.deletionStartedAt === null ? found : yield* new NotFound({ resource: "brand" })
  })

/**
 * Renames the brand and answers it as it is now. Fails with `NotFound` when there is none or it is being deleted, and
 * with `StoreUnavailable`.
 */
export const rename = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const brandStore = yield* BrandStore
    const { id } = yield* get(brandId)
    return yield* orNotFound(yield* brandStore.rename(id, name), "brand")
  })

/** How often one call of `deleteSome` removes leads: about a hundred each time, where the store is on a disk. */
const maxRemovalsPerCall = 10

/** The progress of a brand's deletion. */
export interface BrandDeletion {
  /** Whether nothing of the brand is left, so that no further call is needed. */
  readonly isFinished: boolean
  /** How many of its leads are still to be removed. */
  readonly leadsLeft: number
}

/**
 * Deletes a part of a brand: about a thousand leads at most. The caller repeats the call until `isFinished`, also after a
 * failure. The first call revokes the brand's keys and hides the brand from everything except the list of brands; the last
 * one removes the rest. Fails with `NotFound` when there is no such brand or its deletion is finished, and
 * with `StoreUnavailable`. [DEL-1]
 */
export const deleteSome = (brandId: BrandId) =>
  Effect.gen(function* () {
    const [brandStore, campaignStore, webhookStore, store] = yield* Effect.all([
      BrandStore,
      CampaignStore,
      WebhookStore,
      LeadStore
    ])
    const now = yield* Clock.currentTimeMillis
    const { id } = yield* orNotFound(yield* brandStore.startDeletion(brandId, now), "brand")
    // Webhooks go before the leads, so that the removal of a lead has no deliveries to look for.
    yield* Effect.forEach(yield* webhookStore.list(id), (webhook) => webhookStore.delete(id, webhook.id))
    let leadsLeft = yield* store.removeSome(id)
    for (let done = 1; leadsLeft > 0 && done < maxRemovalsPerCall; done++)
      leadsLeft = yield* store.removeSome(id)
    if (leadsLeft > 0) return { isFinished: false, leadsLeft } satisfies BrandDeletion
    yield* Effect.forEach(yield* campaignStore.list(id), (each) => campaignStore.delete(id, each.id, now))
    const isFinished =
      (yield* brandStore.finishDeletion(id)) ||
      // Another call has finished the deletion. If the brand is still there, a request that began before the deletion has created something.
      Option.isNone(yield* brandStore.get(id))
    return { isFinished, leadsLeft } satisfies BrandDeletion
  })
