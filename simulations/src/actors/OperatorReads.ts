/** The operator looks at all that a brand has: each kind of look is one action of a plan. */
import { Effect } from "effect"
import { changesLiveWebhook } from "../plan/DrainTime.ts"
import { everything } from "../plan/Queries.ts"
import type { KnownBrand, KnownWebhook } from "../world/KnownFacts.ts"
import { type ActorContext, type Call, type Caller, persistently, succeeding } from "./ActorContext.ts"
import { directory, rename } from "./DirectoryReads.ts"
import { enableDuringAttempt, exactInstant } from "./ExactInstants.ts"
import { liveWebhook } from "./LiveWebhook.ts"
import { caller, type Inspection, look, ofBrand } from "./OperatorCalls.ts"
import { page } from "./Readers.ts"
import { series } from "./SeriesReads.ts"
import { shortLivedThings } from "./ShortLivedThings.ts"
import { recount } from "./TotalReads.ts"

const deliveries = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { id }: KnownWebhook,
  { nth, pageSize, state }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id, id }
    const route = `${ofBrand}/webhooks/{id}`
    yield* succeeding(context, of("webhook"), { route, params, brand, meaning: look })
    const query = [
      ...(state === null ? [] : [`state=${state}`]),
      `page=${1 + (nth % 3)}`,
      ...(pageSize === null ? [] : [`pageSize=${pageSize}`])
    ].join("&")
    const listed = { route: `${route}/deliveries`, params, query, brand, meaning: look }
    const { data } = yield* succeeding(context, of("deliveries"), listed)
    if (data.length === 0) return
    const deliveryId = data[nth % data.length].id
    yield* persistently(context, of("delivery"), {
      route: `${route}/deliveries/{deliveryId}`,
      params: { ...params, deliveryId },
      brand,
      meaning: look
    })
    context.facts.coverageMarks.add("a delivery's log was read")
  })

/** As operators list leads. */
const everyPage = {
  page: 1,
  pageSize: 25,
  text: "sort=name:asc&includeEngagements=true&includeEngagementDetail=true"
}

/** The same question about two brands, one right after the other, and one brand's lead with the other's key. */
const pair = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  other: KnownBrand,
  { nth }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const ids = [...brand.leadIds.values()]
    const id = ids[nth % Math.max(1, ids.length)]
    if (id !== undefined) {
      const route = "/signals/leads/{id}"
      const withDetail = nth % 2 === 0
      const query = withDetail ? "includeEngagementDetail=true" : ""
      const detail: Call = {
        route,
        params: { id },
        query,
        brand,
        key: brand.key,
        meaning: { means: "detail", id, withDetail }
      }
      yield* persistently(context, of("own"), detail)
      if (other !== brand)
        yield* persistently(context, of("foreign"), {
          ...detail,
          brand: other,
          key: other.key,
          meaning: { means: "cross" }
        })
      yield* persistently(context, of("operator's"), {
        route: "/operator/brands/{brandId}/leads/{id}",
        params: { brandId: brand.id, id },
        brand,
        meaning: { means: "detail", id, withDetail: true }
      })
    }
    const { page: number, pageSize, text } = everyPage
    yield* succeeding(context, of("operator's page"), {
      route: `${ofBrand}/leads`,
      params: { brandId: brand.id },
      query: text,
      brand,
      meaning: {
        means: "list",
        query: {
          filter: {},
          field: "name",
          direction: "asc",
          page: number,
          pageSize,
          engagements: "detailed"
        }
      }
    })
    yield* page(context, of("page"), brand, everything)
    yield* page(context, of("same page"), other, everything)
  })

/** Carries out one inspection. Those of a webhook do nothing in a brand without one. */
export const inspect = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  other: KnownBrand,
  inspection: Inspection
): Effect.Effect<void> => {
  const webhook = brand.webhooks[inspection.webhook % Math.max(1, brand.webhooks.length)]
  switch (inspection.what) {
    case "directory":
      return directory(context, by, brand)
    case "names":
      return rename(context, by, brand, inspection)
    case "for a while":
      return changesLiveWebhook(inspection)
        ? liveWebhook(context, by, brand, inspection)
        : shortLivedThings(context, by, brand, inspection)
    case "pair":
      return inspection.nth % 4 === 3
        ? recount(context, by, brand, inspection)
        : pair(context, by, brand, other, inspection)
    case "end of a window":
      return exactInstant(context, by, brand, inspection)
    case "deliveries":
      return webhook === undefined ? Effect.void : deliveries(context, by, brand, webhook, inspection)
    case "series":
      return series(context, by, brand, inspection)
    case "enabling":
      return webhook === undefined ? Effect.void : enableDuringAttempt(context, by, brand, webhook)
  }
}
