/** The operator and a key read figures over time. */
import { Effect } from "effect"
import type { Json } from "../world/KnownFacts.ts"
import { persistently, succeeding } from "./ActorContext.ts"
import { caller, type Inspect, look, ofBrand } from "./OperatorCalls.ts"

/** Spans of figures, around the days of a run: most of them in the intervals that the service draws by itself. */
const spans = [
  "interval=hour",
  "",
  "interval=week",
  "interval=day&startDate=2026-01-01",
  "interval=hour&startDate=2026-01-05&endDate=2026-01-05",
  "interval=week&startDate=2025-12-30&endDate=2026-01-04",
  "interval=day&endDate=2026-01-04"
]

/** Spans that end before they begin. [SERIES-2] */
const turnedSpans = [
  "startDate=2026-01-05&endDate=2026-01-04",
  "interval=week&startDate=2026-01-12&endDate=2026-01-05",
  "interval=hour&startDate=2027-01-01"
]

/** Figures over time, by whatever they can be grouped by. */
export const series: Inspect = (context, by, brand, { nth }) =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    const span = spans[nth % spans.length]!
    const read = (what: string, group: string | null): Effect.Effect<Json> =>
      succeeding(context, of(`${what} by ${group}`), {
        route: `${ofBrand}/series/${what}`,
        params,
        query: [span, ...(group === null ? [] : [`by=${group}`])].filter((part) => part !== "").join("&"),
        brand,
        meaning: look
      })
    yield* read("leads", nth % 2 === 0 ? null : "signal")
    yield* read("engagements", [null, "signal", "type"][nth % 3]!)
    yield* read("deliveries", null)
    const turned = turnedSpans[nth % turnedSpans.length]!
    yield* persistently(context, of("turned span"), {
      route: `${ofBrand}/series/engagements`,
      params,
      query: turned,
      brand,
      meaning: { means: "bad" },
      expects: { probes: [], status: 400, code: "invalid_parameter", names: "startDate", isFirst: true }
    })
    const ofCampaign = { params: { ...params, id: brand.campaignId }, brand, meaning: look }
    const route = `${ofBrand}/campaigns/{id}`
    yield* succeeding(context, of("posts"), { ...ofCampaign, route: `${route}/posts` })
    const query = [
      ...(span.includes("hour") ? [] : [span]),
      ...(nth % 4 === 0 ? ["postId=post-0"] : [])
    ].filter((part) => part !== "")
    yield* succeeding(context, of("campaign's series"), {
      ...ofCampaign,
      route: `${route}/series`,
      query: query.join("&")
    })
    const byKey = { brand, key: brand.key, meaning: look }
    yield* succeeding(context, of("signals by key"), { ...byKey, route: "/signals" })
    yield* succeeding(context, of("campaigns by key"), { ...byKey, route: "/campaigns" })
    yield* succeeding(context, of("series by key"), {
      ...byKey,
      route: "/campaign/{id}/series",
      params: { id: brand.campaignId },
      query: query.join("&")
    })
    context.facts.coverageMarks.add("figures over time were read")
  })
