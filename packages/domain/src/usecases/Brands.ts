/** What an operator does with brands: sets them up, renames them, deletes them with everything of theirs. */
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

/** Fails with `NotFound` for a brand that is being deleted, too. */
export const get = (brandId: BrandId) =>
  Effect.gen(function* () {
    const brandStore = yield* BrandStore
    const found = yield* orNotFound(yield* brandStore.get(brandId), "brand")
    return found.deletionStartedAt === null ? found : yield* new NotFound({ resource: "brand" })
  })

export const rename = (brandId: BrandId, name: string) =>
  Effect.gen(function* () {
    const brandStore = yield* BrandStore
    const { id } = yield* get(brandId)
    return yield* orNotFound(yield* brandStore.rename(id, name), "brand")
  })

/** One call of `deleteSome` removes leads so often, each time some hundred where the store is on a disk. */
const maxRemovalsPerCall = 10

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
    // Before the leads: what no webhook waits for need not be looked at with each of them.
    yield* Effect.forEach(yield* webhookStore.list(id), (webhook) => webhookStore.delete(id, webhook.id))
    let leadsLeft = yield* store.removeSome(id)
    for (let done = 1; leadsLeft > 0 && done < maxRemovalsPerCall; done++)
      leadsLeft = yield* store.removeSome(id)
    if (leadsLeft > 0) return { isFinished: false, leadsLeft } satisfies BrandDeletion
    yield* Effect.forEach(yield* campaignStore.list(id), (each) => campaignStore.delete(id, each.id, now))
    const isFinished =
      (yield* brandStore.finishDeletion(id)) ||
      // Another call finished it meanwhile. Otherwise a request that began before the deletion created something since.
      Option.isNone(yield* brandStore.get(id))
    return { isFinished, leadsLeft } satisfies BrandDeletion
  })
