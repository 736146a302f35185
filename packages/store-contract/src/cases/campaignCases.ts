/** What every store must do with campaigns and the readings of their posts. */
import {
  type BrandId,
  Brands,
  campaignSeriesView,
  Campaigns,
  CampaignStore,
  metricsView,
  SeriesQueries
} from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import fc from "fast-check"
import { assertEqual } from "../Assertions.ts"
import { playHistories } from "../GeneratedHistories.ts"
import { ReferenceCampaign } from "../reference/ReferenceCampaign.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"
import { twoBrands } from "../TwoBrands.ts"

const millisPerDay = 86_400_000
const dayOf = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1) + n * millisPerDay).toISOString().slice(0, 10)

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

/** Sums of last readings, series by interval, and no campaign for another brand. [MET-1 … MET-7, SERIES-3, SERIES-4] */
export const campaignCases: ReadonlyArray<Case> = [
  sumsLastReadings,

  caseOf("keeps a campaign to its brand [MET-6, AUTH-3, SERIES-3, SERIES-4]", () =>
    Effect.gen(function* () {
      const [brand, other] = yield* twoBrands
      const campaign = yield* Campaigns.create(brand.id, "C")
      const campaignStore = yield* CampaignStore
      const totals = { impressions: 4, reactions: 1, comments: 1, reposts: 0 }
      const firstDay = { postId: "post", day: dayOf(0), totals }
      const isFound = (brandId: string, id: string) =>
        Effect.all({
          snapshot: Effect.map(campaignStore.snapshot(brandId, id, {}), Option.isSome),
          dayChanges: Effect.map(
            campaignStore.dayChanges(brandId, id, { postId: null, endDate: dayOf(9) }),
            Option.isSome
          ),
          posts: Effect.map(campaignStore.posts(brandId, id, 2), Option.isSome),
          putReading: campaignStore.putReading(brandId, id, firstDay)
        })
      const found = { snapshot: true, dayChanges: true, posts: true, putReading: true }
      const missing = { snapshot: false, dayChanges: false, posts: false, putReading: false }
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
  )
]
