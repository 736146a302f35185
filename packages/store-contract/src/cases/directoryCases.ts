/** What every store must do with what is set up: brands, signals and webhooks, and all of it when it is opened again. */
import {
  Brands,
  BrandStore,
  Campaigns,
  CampaignStore,
  defaultSending,
  eventTypes,
  Keys,
  KeyStore,
  LeadQueries,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SignalStore,
  StoreHealth,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"
import { twoBrands } from "../TwoBrands.ts"
import { works } from "./keyCases.ts"

const source = { type: "posts-with-keywords" as const, value: "v", liCompanyId: null, company: null }

const survivesReopening: Case = {
  title:
    "keeps brands, keys, signals, campaigns and webhooks when it is closed and opened again [STORE-2, AUTH-5, AUTH-6]",
  reopens: true,
  run: async (open) => {
    const everything = Effect.gen(function* () {
      const [brandStore, keyStore, signalStore, campaignStore, webhookStore] = yield* Effect.all([
        BrandStore,
        KeyStore,
        SignalStore,
        CampaignStore,
        WebhookStore
      ])
      const brands = yield* brandStore.list
      const id = brands[0]?.id ?? ""
      return {
        brands,
        keys: yield* keyStore.list(id),
        signals: yield* signalStore.list(id),
        campaigns: yield* campaignStore.list(id),
        snapshot: Option.getOrNull(yield* campaignStore.snapshot(id, "1", {})),
        webhooks: yield* webhookStore.list(id)
      }
    })
    const [value, before] = await open.run(
      Effect.gen(function* () {
        const [campaignStore, webhookStore] = yield* Effect.all([CampaignStore, WebhookStore])
        const [brand] = yield* twoBrands
        const [kept, revoked] = [
          yield* Keys.create(brand.id, { label: "kept", requestsPerMinute: 7 }),
          yield* Keys.create(brand.id, { label: "revoked", requestsPerMinute: 7 })
        ]
        yield* Keys.revoke(brand.id, revoked.key.id)
        yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        const campaign = yield* Campaigns.create(brand.id, "C")
        const totals = { impressions: 4, reactions: 1, comments: 1, reposts: 0 }
        yield* campaignStore.putReading(brand.id, campaign.id, { postId: "post", day: "2026-01-01", totals })
        yield* webhookStore.create({
          brandId: brand.id,
          url: "https://r.example/",
          events: ["activity.detected"],
          description: "D",
          enabled: false,
          disabledReason: "The operator disabled it.",
          failingSince: null,
          ordering: "lead",
          maxDelay: 600,
          format: "cloudevents",
          maxBatch: 20,
          maxWait: 5,
          secrets: { current: "whsec_AAAA", previous: { secret: "whsec_BBBB", until: 5 } },
          createdAt: open.clock.millis
        })
        return [kept.value, yield* everything] as const
      })
    )
    await open.reopen()
    assertEqual(
      "The ports of what is set up, what they hold after it was opened again",
      await open.run(everything),
      before
    )
    assertThat("KeyStore.findByHash finds no key that was made before", await open.run(works(value)))
    const next = await open.run(Brands.create("C"))
    assertThat(
      `BrandStore.create gave the id ${next.id} a second time after it was opened again`,
      !before.brands.some(({ id }) => id === next.id)
    )
  }
}

/** Cases of brands, signals and webhooks, as operators set them up. */
export const directoryCases: ReadonlyArray<Case> = [
  caseOf("keeps how a webhook sends, and its changes alone [ORD-1, OPER-2]", () =>
    Effect.gen(function* () {
      const webhookStore = yield* WebhookStore
      const [brand] = yield* twoBrands
      const url = "https://r.example/"
      const plain = {
        brandId: brand.id,
        url,
        events: eventTypes,
        description: null,
        enabled: true,
        disabledReason: null,
        failingSince: null,
        ...defaultSending,
        secrets: { current: "whsec_AAAA", previous: null },
        createdAt: 5
      }
      const sending = {
        ordering: "lead",
        maxDelay: 2,
        format: "cloudevents",
        maxBatch: 3,
        maxWait: 4
      } as const
      const [first, second] = [
        yield* webhookStore.create(plain),
        yield* webhookStore.create({ ...plain, ...sending })
      ]
      assertEqual("WebhookStore.list", yield* webhookStore.list(brand.id), [
        { ...plain, id: first.id },
        { ...plain, ...sending, id: second.id }
      ])
      yield* webhookStore.update(brand.id, first.id, (before) => ({ ...before, ...sending }))
      yield* webhookStore.update(brand.id, second.id, (before) => ({ ...before, ...defaultSending }))
      assertEqual("WebhookStore.list, after changes", yield* webhookStore.list(brand.id), [
        { ...plain, ...sending, id: first.id },
        { ...plain, id: second.id }
      ])
    })
  ),

  caseOf(
    "renames brands, signals and campaigns, each of its brand alone, and shows it with engagements at once [OPER-6, ENG-8]",
    () =>
      Effect.gen(function* () {
        const [brandStore, signalStore, campaignStore, store] = yield* Effect.all([
          BrandStore,
          SignalStore,
          CampaignStore,
          LeadStore
        ])
        const [brand, other] = yield* twoBrands
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        const campaign = yield* Campaigns.create(brand.id, "C")
        const person = { extId: "p", name: "Ada" }
        yield* recordObservations(brand, [{ signalId: signal.id, person, engagement: { id: "e" } }])
        const query = yield* LeadQueries.readList([["includeEngagements", "true"]])
        const assertRendered = (when: string, name: string) =>
          Effect.gen(function* () {
            const { leads } = yield* Leads.list(brand.id, query)
            const [{ lead, window }] = leads as [(typeof leads)[number]]
            const [page] = (yield* Leads.listRendered(brand.id, query)).leads
            const detail = yield* Leads.getRendered(brand.id, lead.id, "plain")
            const data = Option.getOrThrow(yield* store.exportData(brand.id, lead.id))
            const nameIn = (json: string): string => JSON.parse(json).engagements[0].signal.name
            assertEqual(
              `LeadStore, the signal's name ${when}`,
              {
                list: window!.engagements[0]!.signal.name,
                exportData: data.engagements[0]!.signal.name,
                listRendered: nameIn(page!),
                getRendered: nameIn(detail)
              },
              { list: name, exportData: name, listRendered: name, getRendered: name }
            )
          })
        yield* assertRendered("at first", "S")
        const isFound = {
          signalOfAnother: Option.isSome(yield* signalStore.rename(other.id, signal.id, "X")),
          campaignOfAnother: Option.isSome(yield* campaignStore.rename(other.id, campaign.id, "X"))
        }
        assertEqual("rename, whether another brand's is renamed", isFound, {
          signalOfAnother: false,
          campaignOfAnother: false
        })
        for (const id of ["999", "x", ""]) {
          const renamed = [
            Option.isSome(yield* brandStore.rename(id, "X")),
            Option.isSome(yield* signalStore.rename(brand.id, id, "X")),
            Option.isSome(yield* campaignStore.rename(brand.id, id, "X"))
          ]
          assertEqual(
            `rename, whether a brand, signal or campaign ${JSON.stringify(id)} is renamed`,
            renamed,
            [false, false, false]
          )
        }
        yield* assertRendered("after renames of others", "S")
        const renamedSignal = yield* Signals.rename(brand.id, signal.id, "T")
        assertEqual("SignalStore.rename", renamedSignal, { ...signal, name: "T" })
        yield* assertRendered("after its rename", "T")
        assertEqual("SignalStore.list after a rename", yield* signalStore.list(brand.id), [
          { ...signal, name: "T" }
        ])
        const renamedCampaign = yield* Campaigns.rename(brand.id, campaign.id, "D")
        assertEqual("CampaignStore.rename", renamedCampaign, { ...campaign, name: "D" })
        assertEqual("CampaignStore.list after a rename", yield* campaignStore.list(brand.id), [
          { ...campaign, name: "D" }
        ])
        const renamedBrand = yield* Brands.rename(brand.id, "Z")
        assertEqual("BrandStore.rename", renamedBrand, { ...brand, name: "Z" })
        assertEqual("BrandStore.get after a rename", Option.getOrNull(yield* brandStore.get(brand.id)), {
          ...brand,
          name: "Z"
        })
        const names = (yield* brandStore.list).map(({ name }) => name)
        assertEqual("BrandStore.list after a rename of the first", names, ["Z", "B"])
      })
  ),

  caseOf("gives each brand a secret of its own for suppression [PII-3]", () =>
    Effect.gen(function* () {
      const secrets = (yield* twoBrands).map(({ suppressionSecret }) => suppressionSecret)
      assertThat("BrandStore.create: two brands have one secret", secrets[0] !== secrets[1])
      for (const secret of secrets)
        assertThat("BrandStore.create changes the secret it is given", /^[0-9a-f]{64}$/.test(secret))
    })
  ),

  survivesReopening,

  caseOf("answers a ping [HEALTH-2]", () =>
    Effect.asVoid(Effect.flatMap(StoreHealth, (storeHealth) => storeHealth.check))
  )
]
