/** What every store must do with brands, keys, signals, campaigns and rate windows. */
import {
  type BrandId,
  Brands,
  BrandStore,
  campaignSeriesView,
  Campaigns,
  CampaignStore,
  defaultSending,
  eventTypes,
  KeyFormat,
  Keys,
  KeyStore,
  LeadQueries,
  Leads,
  LeadStore,
  metricsView,
  RateLimit,
  RateWindows,
  recordObservations,
  SeriesQueries,
  Signals,
  SignalStore,
  StoreHealth,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import fc from "fast-check"
import { assertEqual, assertThat } from "../Assertions.ts"
import { playHistories } from "../GeneratedHistories.ts"
import { ReferenceCampaign } from "../reference/ReferenceCampaign.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const millisPerDay = 86_400_000
const dayOf = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1) + n * millisPerDay).toISOString().slice(0, 10)

const twoBrands = Effect.all([Brands.create("A"), Brands.create("B")])

const source = { type: "posts-with-keywords" as const, value: "v", liCompanyId: null, company: null }

/** Whether a request with the key would be let in. */
const works = (value: string) =>
  Effect.gen(function* () {
    const keyStore = yield* KeyStore
    const found = Option.getOrNull(yield* keyStore.findByHash(KeyFormat.hash(value)))
    return found !== null && found.revokedAt === null
  })

const reading = fc.record({
  step: fc.constant("reading"),
  // On either side of the surrogates, which UTF-16 orders otherwise.
  post: fc.constantFrom("a", "\ufb01", "\u{1d4b3}"),
  day: fc.nat(12),
  totals: fc.record({
    impressions: fc.nat(9),
    reactions: fc.nat(9),
    comments: fc.nat(9),
    reposts: fc.nat(9)
  })
})
const noFigures = {
  impressions: null,
  reactions: null,
  comments: null,
  reposts: null,
  engagementRate: null
}
const bound = fc.option(fc.integer({ min: -1, max: 14 }).map(dayOf))

/** The series by day and by week, of the campaign and of each post, and the posts. */
const checkSeries = (brandId: BrandId, reference: ReferenceCampaign) =>
  Effect.gen(function* () {
    const campaignStore = yield* CampaignStore
    for (const interval of ["day", "week"]) {
      for (const postId of [null, "a", "b", "c"]) {
        const entries: Array<[string, string]> = [
          ["interval", interval],
          ["startDate", dayOf(1)],
          ["endDate", dayOf(11)],
          ...(postId === null ? [] : [["postId", postId] as [string, string]])
        ]
        const query = Either.getOrThrow(SeriesQueries.readCampaign(entries, Date.UTC(2026, 1, 1)))
        const found = yield* Campaigns.series(brandId, reference.id, query)
        assertEqual(
          `CampaignStore.dayChanges of ${postId ?? "all posts"} by ${interval}`,
          campaignSeriesView(reference.id, query, found).points.map(
            ({ comments, engagementRate, impressions, reactions, reposts }) => ({
              impressions,
              reactions,
              comments,
              reposts,
              engagementRate
            })
          ),
          SeriesQueries.lastDaysOf(query.span).map((day) => reference.figures(postId, day) ?? noFigures)
        )
      }
    }
    const posts = Option.getOrThrow(yield* campaignStore.posts(brandId, reference.id, 2))
    assertEqual(
      "CampaignStore.posts",
      posts.map(({ day, postId, totals }) => ({ postId, day, ...totals })),
      reference.posts(2)
    )
  })

const sumsLastReadings: Case = {
  title:
    "sums each post's last reading as of the latest day in the span, and as of each interval [MET-1, MET-2, MET-3, MET-4, MET-7, SERIES-3, SERIES-4]",
  run: (open) =>
    playHistories(
      open.store,
      Math.min(60, Math.max(10, open.store.leadHistories ?? 100)),
      fc.record({
        readings: fc.array(reading, { maxLength: 14 }),
        spans: fc.array(fc.tuple(bound, bound), { minLength: 6, maxLength: 6 })
      }),
      ({ readings }) => readings,
      ({ readings, spans }) =>
        open.run(
          Effect.gen(function* () {
            const campaignStore = yield* CampaignStore
            const brand = yield* Brands.create("A")
            const campaign = yield* Campaigns.create(brand.id, "C")
            const reference = new ReferenceCampaign(campaign.id)
            for (const { day, post, totals } of readings) {
              yield* campaignStore.putReading(brand.id, campaign.id, {
                postId: post,
                day: dayOf(day),
                totals
              })
              reference.put(post, dayOf(day), totals)
            }
            for (const [startDate, endDate] of spans) {
              const span = {
                ...(startDate === null ? {} : { startDate }),
                ...(endDate === null ? {} : { endDate })
              }
              const metrics = yield* Campaigns.metrics(brand.id, campaign.id, span)
              assertEqual(
                `CampaignStore.snapshot from ${startDate ?? "the first day"} to ${endDate ?? "the last"}`,
                metricsView(campaign.id, metrics),
                reference.metrics(startDate, endDate)
              )
            }
            yield* checkSeries(brand.id, reference)
          })
        )
    )
}

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
        yield* campaignStore.putReading(brand.id, campaign.id, { postId: "post", day: dayOf(0), totals })
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
    "keeps several keys of a brand, lists them by their start, revokes each alone [AUTH-4, AUTH-5, AUTH-6, AUTH-8]",
    (clock) =>
      Effect.gen(function* () {
        const keyStore = yield* KeyStore
        const [brand, other] = yield* twoBrands
        const make = (label: string) => Keys.create(brand.id, { label, requestsPerMinute: 7 })
        const [first, second] = [yield* make("first"), yield* make("second")]
        const bothWork = Effect.all([works(first.value), works(second.value)])
        assertEqual("KeyStore.findByHash, whether each of two keys works", yield* bothWork, [true, true])

        const listed = yield* keyStore.list(brand.id)
        assertEqual(
          "KeyStore.list, label and start",
          listed.map((key) => [key.label, key.start]),
          [
            ["first", first.value.slice(0, 12)],
            ["second", second.value.slice(0, 12)]
          ]
        )
        assertThat("KeyStore.list has a key's value", !JSON.stringify(listed).includes(first.value))
        assertEqual("KeyStore.list of another brand", yield* keyStore.list(other.id), [])

        const now = clock.millis
        const crossed = yield* keyStore.revoke(other.id, first.key.id, now)
        assertEqual("KeyStore.revoke of another brand's key", crossed, false)
        assertEqual("KeyStore.revoke", yield* keyStore.revoke(brand.id, first.key.id, now), true)
        assertEqual("KeyStore.findByHash, whether each works, the first revoked", yield* bothWork, [
          false,
          true
        ])
        yield* keyStore.revoke(brand.id, first.key.id, now + 5000)
        const [revoked] = yield* keyStore.list(brand.id)
        assertEqual("KeyStore.revoke once more, revokedAt", revoked!.revokedAt, now)
      })
  ),

  caseOf("shows a key's last use to the minute, and never moves it back [AUTH-8]", (clock) =>
    Effect.gen(function* () {
      const keyStore = yield* KeyStore
      const brand = yield* Brands.create("A")
      const { key, value } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 7 })
      const lastUsed = Effect.map(keyStore.list(brand.id), ([key]) => key!.lastUsedAt)
      assertEqual("KeyStore.list, lastUsedAt before any use", yield* lastUsed, null)
      const minute = Date.UTC(2026, 0, 2, 10, 5)
      clock.millis = minute + 34_567
      yield* Keys.authenticate(value)
      assertEqual("KeyStore.markUsed, lastUsedAt", yield* lastUsed, minute)
      yield* keyStore.markUsed(key.id, minute - 3_600_000)
      assertEqual("KeyStore.markUsed of an earlier minute, lastUsedAt", yield* lastUsed, minute)
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
            const detail = yield* Leads.getRendered(brand.id, lead.id, false)
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

  sumsLastReadings,
  survivesReopening,

  caseOf("keeps a campaign to its brand [MET-6, AUTH-3]", () =>
    Effect.gen(function* () {
      const [brand, other] = yield* twoBrands
      const campaign = yield* Campaigns.create(brand.id, "C")
      const campaignStore = yield* CampaignStore
      const totals = { impressions: 4, reactions: 1, comments: 1, reposts: 0 }
      const firstDay = { postId: "post", day: dayOf(0), totals }
      const isFound = (brandId: string, id: string) =>
        Effect.all({
          snapshot: Effect.map(campaignStore.snapshot(brandId, id, {}), Option.isSome),
          putReading: campaignStore.putReading(brandId, id, firstDay)
        })
      const found = { snapshot: true, putReading: true }
      const missing = { snapshot: false, putReading: false }
      const read = Effect.map(campaignStore.snapshot(brand.id, campaign.id, {}), Option.getOrNull)
      const noReading = { snapshotDate: null, readings: [] }
      assertEqual("CampaignStore.snapshot of a campaign without readings", yield* read, noReading)
      for (const id of ["0", "x", "", "-1", "1e0", "99999999999999999999", ` ${campaign.id}`]) {
        const what = `CampaignStore, whether ${JSON.stringify(id)}, which there is not, is found`
        assertEqual(what, yield* isFound(brand.id, id), missing)
      }
      const ofAnother = yield* isFound(other.id, campaign.id)
      assertEqual("CampaignStore, whether another brand's campaign is found", ofAnother, missing)
      assertEqual("CampaignStore.snapshot after readings that found no campaign", yield* read, noReading)
      assertEqual("CampaignStore, whether a campaign is found", yield* isFound(brand.id, campaign.id), found)
    })
  ),

  caseOf("steps each key's rate window alone, and atomically [RATE-1, RATE-4]", (clock) =>
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const spend = (keyId: string) => windows.step(keyId, (window, now) => RateLimit.spend(window, 10, now))
      const decisions = yield* Effect.all(
        Array.from({ length: 25 }, () => spend("71")),
        { concurrency: "unbounded" }
      )
      const allowed = decisions.filter((decision) => decision.allowed).length
      assertEqual("RateWindows.step, allowed of 25 requests at once with a limit of 10", allowed, 10)
      const what = "RateWindows.step, remaining of 10"
      assertEqual(`${what} after the first request of another key`, (yield* spend("72")).remaining, 9)
      // Early on the clock, a window that was never opened must not pass for one that is open.
      clock.millis = 30_000
      assertEqual("RateWindows.step, resetAt of a new window", (yield* spend("73")).resetAt, 90_000)
      clock.millis = Date.UTC(2026, 5, 1)
      assertEqual(`${what} in the next window`, (yield* spend("71")).remaining, 9)
    })
  ),

  caseOf("answers a ping [HEALTH-2]", () =>
    Effect.asVoid(Effect.flatMap(StoreHealth, (storeHealth) => storeHealth.check))
  )
]
