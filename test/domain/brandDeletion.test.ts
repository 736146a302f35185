/** How one call of `Brands.deleteSome` is bounded, and what a call answers beside another one. */
import {
  Brands,
  BrandStore,
  Campaigns,
  CampaignStore,
  Deliveries,
  type Entropy,
  Keys,
  type KeyStore,
  Leads,
  LeadStore,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"

const run = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) =>
  Effect.runPromise(Effect.provide(work, layer))
const layer = Layer.merge(MemoryStore.layer, webCrypto)

it("removes leads ten times a call at most, and tells how many are left [DEL-5]", () =>
  run(
    Effect.gen(function* () {
      const [brandStore, store] = yield* Effect.all([BrandStore, LeadStore])
      const brand = yield* Brands.create("A")
      let leads = 25
      const counting = { ...store, removeSome: () => Effect.sync(() => --leads) }
      const deleteSome = Effect.provideService(Brands.deleteSome(brand.id), LeadStore, counting)
      expect(yield* deleteSome).toEqual({ isFinished: false, leadsLeft: 15 })
      expect(yield* deleteSome).toEqual({ isFinished: false, leadsLeft: 5 })
      expect(yield* brandStore.list).toHaveLength(1)
      expect(yield* deleteSome).toEqual({ isFinished: true, leadsLeft: 0 })
    })
  ))

it("is finished when another call finished it meanwhile, and not while something was created since [DEL-1, DEL-5]", () =>
  run(
    Effect.gen(function* () {
      const brandStore = yield* BrandStore
      const { id } = yield* Brands.create("A")
      const finishWith = (finishDeletion: typeof brandStore.finishDeletion) =>
        Effect.provideService(Brands.deleteSome(id), BrandStore, {
          ...brandStore,
          finishDeletion
        })
      expect(yield* finishWith(() => Effect.succeed(false))).toEqual({ isFinished: false, leadsLeft: 0 })
      const finishedBefore = finishWith(() => Effect.as(brandStore.finishDeletion(id), false))
      expect(yield* finishedBefore).toEqual({ isFinished: true, leadsLeft: 0 })
      expect(yield* brandStore.get(id)).toEqual(Option.none())
    })
  ))

it("keeps everything but its deletion from a brand that is being deleted [DEL-1, DEL-5]", () =>
  run(
    Effect.gen(function* () {
      const [brandStore, campaignStore] = yield* Effect.all([BrandStore, CampaignStore])
      const { id } = yield* Brands.create("A")
      const campaign = yield* Campaigns.create(id, "C")
      const { key } = yield* Keys.create(id, { label: "k", requestsPerMinute: 7 })
      yield* brandStore.startDeletion(id, 1)
      const totals = { impressions: 1, reactions: 1, comments: 1, reposts: 1 }
      const calls: ReadonlyArray<
        Effect.Effect<
          unknown,
          unknown,
          BrandStore | CampaignStore | Deliveries | Entropy | KeyStore | LeadStore | WebhookStore
        >
      > = [
        Campaigns.putReading(id, campaign.id, { postId: "p", day: "2026-01-02", totals }),
        Campaigns.rename(id, campaign.id, "X"),
        Campaigns.remove(id, campaign.id),
        Keys.revoke(id, key.id),
        Leads.amend(id, 1, { qualified: true }),
        Leads.exportData(id, 1),
        Webhooks.test(id, "1"),
        Webhooks.rotateSecret(id, "1"),
        Webhooks.remove(id, "1")
      ]
      for (const call of calls)
        expect(yield* Effect.flip(Effect.asVoid(call))).toMatchObject({ resource: "brand" })
      expect(yield* campaignStore.snapshot(id, campaign.id, {})).toEqual(
        Option.some({ snapshotDate: null, readings: [] })
      )
    })
  ))
