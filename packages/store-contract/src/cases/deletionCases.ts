/** What every store must do when brands, signals and campaigns are deleted. */
import {
  Brands,
  BrandStore,
  Campaigns,
  CampaignStore,
  defaultSending,
  Deliveries,
  eventTypes,
  KeyFormat,
  Keys,
  KeyStore,
  LeadQueries,
  Leads,
  LeadStore,
  recordInOneCommit,
  recordObservations,
  Signals,
  SignalStore,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { type Case, caseOf, type Needs } from "../StoreUnderTest.ts"

const twoBrands = Effect.all([Brands.create("A"), Brands.create("B")])

const createSignal = (brandId: string, name: string) =>
  Signals.create(brandId, {
    name,
    signalType: "t",
    source: { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null }
  })

const webhookOf = (brandId: string) => ({
  brandId,
  url: "https://receiver.example/",
  events: eventTypes,
  description: null,
  enabled: true,
  disabledReason: null,
  ...defaultSending,
  failingSince: null,
  secrets: { current: "whsec_x", previous: null },
  createdAt: 0
})

const observationOf = (signalId: string, extId: string, id = `e-${extId}`) => ({
  signalId,
  person: { extId, name: "Ada" },
  engagement: { id }
})

const totals = { impressions: 1, reactions: 1, comments: 1, reposts: 1 }
const reading = { postId: "p", day: "2026-01-02", totals }

/** What it failed with, less the stack; null when it succeeded. */
const failureOf = <A, E extends object, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.either(work), (result) => (Either.isLeft(result) ? { ...result.left } : null))

const assertNotFound = <A, E extends object, R>(
  what: string,
  resource: "brand" | "signal" | "campaign",
  work: Effect.Effect<A, E, R>
) =>
  Effect.map(failureOf(work), (failure) =>
    assertEqual(`${what}, what is not found`, { resource: null, ...failure }.resource, resource)
  )

/** A brand with something of everything, of which one lead was erased. */
const fillBrand = (name: string) =>
  Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    const brand = yield* Brands.create(name)
    const signal = yield* createSignal(brand.id, "S")
    const campaign = yield* Campaigns.create(brand.id, "C")
    yield* Campaigns.putReading(brand.id, campaign.id, reading)
    const { value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 7 })
    const webhook = yield* webhookStore.create(webhookOf(brand.id))
    const outcomes = yield* recordInOneCommit(
      brand,
      Array.from({ length: 30 }, (_, i) => ({
        signalId: signal.id,
        person: { extId: `p${i}`, name: `Ada ${i}` },
        engagement: { id: `e${i}`, postAuthorDetail: { extId: "p7", name: "Ada 7" } }
      }))
    )
    yield* Leads.erase(brand, outcomes[7]!.leadId!)
    return { brand, signal, campaign, value, webhook, leadId: outcomes[0]!.leadId! }
  })

/** Everything of the brand that any port shows. */
const stateOf = ({ brand, campaign, leadId, webhook }: Effect.Effect.Success<ReturnType<typeof fillBrand>>) =>
  Effect.gen(function* () {
    const [deliveries, brandStore, keyStore, signalStore, campaignStore, webhookStore, store] =
      yield* Effect.all([
        Deliveries,
        BrandStore,
        KeyStore,
        SignalStore,
        CampaignStore,
        WebhookStore,
        LeadStore
      ])
    const all = yield* LeadQueries.readList([["includeEngagements", "true"]])
    const page = { page: 1, pageSize: 100 }
    return {
      brand: Option.getOrNull(yield* brandStore.get(brand.id)),
      keys: yield* keyStore.list(brand.id),
      signals: yield* signalStore.list(brand.id),
      campaigns: yield* campaignStore.list(brand.id),
      snapshot: Option.getOrNull(yield* campaignStore.snapshot(brand.id, campaign.id, {})),
      webhooks: yield* webhookStore.list(brand.id),
      list: yield* store.list(brand.id, all),
      lead: Option.getOrNull(yield* store.get(brand.id, leadId, "none")),
      deliveries: yield* deliveries.list(webhook.id, { state: null, page })
    }
  })

const nothing = {
  brand: null,
  keys: [],
  signals: [],
  campaigns: [],
  snapshot: null,
  webhooks: [],
  list: { total: 0, leads: [] },
  lead: null,
  deliveries: { total: 0, deliveries: [] }
}

/** What goes with each of them, what stays, and what is refused once a brand's deletion has begun. [DEL-1 … DEL-5] */
export const deletionCases: ReadonlyArray<Case> = [
  caseOf("deletes a signal, whose leads stay and show it, and records no more of it [DEL-2, DEL-4]", () =>
    Effect.gen(function* () {
      const [signalStore, store] = yield* Effect.all([SignalStore, LeadStore])
      const [brand, other] = yield* twoBrands
      const [signal, kept] = [yield* createSignal(brand.id, "S"), yield* createSignal(brand.id, "K")]
      yield* recordObservations(brand, [observationOf(signal.id, "p"), observationOf(kept.id, "q")])
      const ofAnother = Signals.remove(other.id, signal.id)
      yield* assertNotFound("SignalStore.delete of another brand", "signal", ofAnother)
      const query = yield* LeadQueries.readList([["signalId", signal.id]])
      const before = yield* store.list(brand.id, query)
      assertEqual("LeadStore.list of the signal before it is deleted, total", before.total, 1)
      yield* Signals.remove(brand.id, signal.id)
      assertEqual("SignalStore.list after a deletion", yield* signalStore.list(brand.id), [kept])
      const again = Signals.remove(brand.id, signal.id)
      yield* assertNotFound("SignalStore.delete once more", "signal", again)
      const renamed = yield* signalStore.rename(brand.id, signal.id, "X")
      assertThat("SignalStore.rename must answer none for a deleted signal", Option.isNone(renamed))
      assertEqual(
        "LeadStore.list of a signal after it was deleted",
        yield* store.list(brand.id, query),
        before
      )
      const data = Option.getOrThrow(yield* store.exportData(brand.id, before.leads[0]!.lead.id))
      assertEqual(
        "LeadStore.exportData, the signal after it was deleted",
        data.engagements[0]!.signal,
        signal
      )
      const outcomes = yield* recordObservations(brand, [
        observationOf(signal.id, "new"),
        observationOf(kept.id, "newer"),
        observationOf(kept.id, "q")
      ])
      assertEqual(
        "LeadStore.commit, outcomes of a deleted signal, another one and a known engagement",
        outcomes.map(({ outcome }) => outcome),
        ["rejected", "recorded", "duplicate"]
      )
    })
  ),

  caseOf("deletes a campaign with its readings [DEL-3, DEL-4]", () =>
    Effect.gen(function* () {
      const campaignStore = yield* CampaignStore
      const [brand, other] = yield* twoBrands
      const [gone, kept] = [yield* Campaigns.create(brand.id, "C"), yield* Campaigns.create(brand.id, "K")]
      for (const { id } of [gone, kept]) yield* Campaigns.putReading(brand.id, id, reading)
      const ofAnother = Campaigns.remove(other.id, gone.id)
      yield* assertNotFound("CampaignStore.delete of another brand", "campaign", ofAnother)
      yield* Campaigns.remove(brand.id, gone.id)
      const again = Campaigns.remove(brand.id, gone.id)
      yield* assertNotFound("CampaignStore.delete once more", "campaign", again)
      assertEqual("CampaignStore.list after a deletion", yield* campaignStore.list(brand.id), [kept])
      const renamed = yield* campaignStore.rename(brand.id, gone.id, "X")
      assertThat("CampaignStore.rename must answer none for a deleted campaign", Option.isNone(renamed))
      const isRead = yield* campaignStore.putReading(brand.id, gone.id, reading)
      assertThat("CampaignStore.putReading must answer false for a deleted campaign", !isRead)
      const snapshots = [
        yield* campaignStore.snapshot(brand.id, gone.id, {}),
        yield* campaignStore.snapshot(brand.id, kept.id, {})
      ]
      assertEqual(
        "CampaignStore.snapshot, whether a deleted campaign and another have one",
        snapshots.map(Option.isSome),
        [false, true]
      )
    })
  ),

  caseOf("deletes a brand with everything of it, and nothing of another [DEL-1, DEL-4, DEL-5]", () =>
    Effect.gen(function* () {
      const [brandStore, keyStore] = yield* Effect.all([BrandStore, KeyStore])
      const [gone, kept] = [yield* fillBrand("gone"), yield* fillBrand("kept")]
      const before = yield* stateOf(kept)
      assertEqual("Deliveries.list of 29 leads, total", before.deliveries.total, 58)
      let calls = 0
      while (!(yield* Brands.deleteSome(gone.brand.id)).isFinished) {
        calls++
        assertThat("Brands.deleteSome of 29 leads is not finished after 100 calls", calls < 100)
      }
      assertEqual("what is left of a deleted brand", yield* stateOf(gone), nothing)
      assertEqual("another brand, after one was deleted", yield* stateOf(kept), before)
      const ids = (yield* brandStore.list).map(({ id }) => id)
      assertThat("BrandStore.list has a deleted brand", !ids.includes(gone.brand.id))
      const deleteAgain = Brands.deleteSome(gone.brand.id)
      yield* assertNotFound("BrandStore.startDeletion once more", "brand", deleteAgain)
      yield* assertNotFound("BrandStore.get", "brand", Brands.get(gone.brand.id))
      const ofNone = Brands.deleteSome("999")
      yield* assertNotFound("BrandStore.startDeletion of no brand", "brand", ofNone)
      const key = yield* keyStore.findByHash(KeyFormat.hash(gone.value))
      assertThat("KeyStore.findByHash finds a key of a deleted brand", Option.isNone(key))
      // As of a request that found the brand before.
      const [late] = yield* recordObservations(gone.brand, [observationOf(gone.signal.id, "late")])
      assertEqual("LeadStore.commit to a deleted brand, outcome", late!.outcome, "rejected")
      const [again] = yield* recordObservations(kept.brand, [observationOf(kept.signal.id, "p7")])
      assertEqual("LeadStore.commit of one erased of another brand, outcome", again!.outcome, "suppressed")
      const next = yield* Brands.create("next")
      assertThat(
        `BrandStore.create gives the id ${next.id} after ${kept.brand.id}, and one was deleted`,
        Number(next.id) > Number(kept.brand.id)
      )
    })
  ),

  caseOf(
    "hides a brand from the moment that its deletion begins, and creates nothing for it any more [DEL-1]",
    () =>
      Effect.gen(function* () {
        const [brandStore, keyStore, signalStore, campaignStore, webhookStore, store] = yield* Effect.all([
          BrandStore,
          KeyStore,
          SignalStore,
          CampaignStore,
          WebhookStore,
          LeadStore
        ])
        const brand = yield* Brands.create("A")
        const signal = yield* createSignal(brand.id, "S")
        const { value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 7 })
        const webhook = yield* webhookStore.create(webhookOf(brand.id))
        const assertFinished = (when: string, expected: boolean) =>
          Effect.map(brandStore.finishDeletion(brand.id), (isFinished) =>
            assertEqual(`BrandStore.finishDeletion ${when}`, isFinished, expected)
          )
        yield* assertFinished("before it began", false)
        const untouched = yield* Brands.create("B")
        const isUntouchedFinished = yield* brandStore.finishDeletion(untouched.id)
        assertEqual("BrandStore.finishDeletion of an empty brand, not begun", isUntouchedFinished, false)
        yield* recordObservations(brand, [observationOf(signal.id, "p", "e")])

        const revoked = yield* Keys.create(brand.id, { label: "revoked", requestsPerMinute: 7 })
        yield* keyStore.revoke(brand.id, revoked.key.id, 4000)
        const begun = { ...brand, deletionStartedAt: 5000 }
        const start = (id: string, now: number) =>
          Effect.map(brandStore.startDeletion(id, now), Option.getOrNull)
        assertEqual("BrandStore.startDeletion", yield* start(brand.id, 5000), begun)
        assertEqual("BrandStore.startDeletion once more", yield* start(brand.id, 6000), begun)
        assertEqual("BrandStore.startDeletion of no brand", yield* start("999", 6000), null)
        const listed = (yield* brandStore.list).find(({ id }) => id === brand.id)
        assertEqual("BrandStore.list, a brand that is being deleted", listed, begun)
        const isLetIn = yield* Effect.isSuccess(Keys.authenticate(value))
        assertThat("KeyStore.findByHash: a key of a brand that is being deleted works", !isLetIn)
        const revokedAt = (yield* keyStore.list(brand.id)).map((key) => key.revokedAt)
        assertEqual("KeyStore.list of a brand that is being deleted, revokedAt", revokedAt, [5000, 4000])
        const signals = yield* signalStore.list(brand.id)
        assertEqual("SignalStore.list of a brand that is being deleted", signals, [])
        const [outcome] = yield* recordObservations(brand, [observationOf(signal.id, "p", "f")])
        assertEqual("LeadStore.commit to a brand that is being deleted", outcome!.outcome, "rejected")
        yield* assertNotFound("Brands.get", "brand", Brands.get(brand.id))
        yield* assertNotFound("Brands.rename", "brand", Brands.rename(brand.id, "X"))
        const { id: _id, lastUsedAt: _used, revokedAt: _at, ...key } = (yield* keyStore.list(brand.id))[0]!
        const creations: Readonly<Record<string, Effect.Effect<unknown, object, Needs>>> = {
          createSignal: signalStore.create(brand.id, signal, 0),
          createCampaign: campaignStore.create({ brandId: brand.id, name: "C", createdAt: 0 }),
          createWebhook: webhookStore.create(webhookOf(brand.id)),
          createKey: keyStore.create({ ...key, hash: "h" })
        }
        for (const [method, creation] of Object.entries(creations)) {
          const failure = yield* failureOf(creation)
          assertEqual(
            `${method} for a brand that is being deleted, what it fails with`,
            failure === null ? null : { _tag: "", ...failure }._tag,
            "@lead-signals/domain/StoreUnavailable"
          )
        }
        yield* assertFinished("while there is a lead", false)
        for (let calls = 0; (yield* store.removeSome(brand.id)) > 0; calls++)
          assertThat("LeadStore.removeSome of one lead is not finished after 10 calls", calls < 10)
        yield* assertFinished("while there is a webhook", false)
        yield* webhookStore.delete(brand.id, webhook.id)
        yield* assertFinished("when nothing is left", true)
        yield* assertFinished("once more", false)
      })
  )
]
