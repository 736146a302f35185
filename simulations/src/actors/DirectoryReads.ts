/** The operator lists all that a brand has, page by page, and renames it. */
import { Effect } from "effect"
import type { Json, KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Caller, succeeding } from "./ActorContext.ts"
import { caller, type Inspect, look, ofBrand } from "./OperatorCalls.ts"

/** An answer that is right but for parameters that were ignored. [LIST-10] */
const warned = { probes: [], status: 200, code: null, names: null }

/** Pages of the feed of changes, as an operator and a key read them: in small pages, from one cursor to the next, with engagements and without. */
const changesOf = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const size = brand.reference.rows.length > 100 ? 100 : 3
    let cursor: string | null = null
    for (let n = 0; n < 4; n++) {
      const byKey = n === 1
      const query: string = [
        `pageSize=${n === 3 ? 101 : size}`,
        ...(cursor === null ? [] : [`cursor=${cursor}`]),
        // Only keys may wait. [CHG-6]
        ...(n === 2 ? ["includeEngagements=true", "includeEngagementDetail=true", "wait=1"] : [])
      ].join("&")
      const { meta } = yield* succeeding(context, of(`changes ${n}`), {
        route: byKey ? "/signals/changes" : `${ofBrand}/changes`,
        params: { brandId: brand.id },
        query,
        brand,
        key: byKey ? brand.key : null,
        meaning: look,
        ...(n === 2 ? { expects: { ...warned, warns: [`"wait"`] } } : {})
      })
      cursor = meta.cursor
    }
  })

/** Lists everything of the brand, four pages of its feed of changes, and the state of the service. */
export const directory = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    yield* succeeding(context, of("brands"), { route: "/operator/brands", brand: null, meaning: look })
    for (const things of ["keys", "signals", "campaigns", "webhooks"])
      yield* succeeding(context, of(things), { route: `${ofBrand}/${things}`, params, brand, meaning: look })
    yield* succeeding(context, of("attention"), {
      route: `${ofBrand}/attention`,
      params,
      brand,
      meaning: look
    })
    yield* changesOf(context, by, brand)
    yield* succeeding(context, of("health"), { route: "/health", brand: null, meaning: look })
    yield* succeeding(context, of("ready"), { route: "/health/ready", brand: null, meaning: look })
    context.facts.coverageMarks.add("everything of a brand was listed")
  })

/** Renames the brand, one of its signals and its campaign, and lists everything: later lists must have the new names. */
export const rename: Inspect = (context, by, brand, { n, nth }) =>
  Effect.gen(function* () {
    const of = caller(by)
    const { campaignId, id: brandId, signalIds } = brand
    const renameOne = (what: string, route: string, params: Record<string, string>): Effect.Effect<Json> =>
      succeeding(context, of(what), {
        method: "PATCH",
        route,
        params,
        body: { name: `${what} ${n} Å🙂` },
        brand,
        meaning: look
      })
    yield* renameOne("brand", ofBrand, { brandId })
    yield* renameOne("signal", `${ofBrand}/signals/{id}`, { brandId, id: signalIds[nth % signalIds.length]! })
    yield* renameOne("campaign", `${ofBrand}/campaigns/{id}`, { brandId, id: campaignId })
    yield* directory(context, by, brand)
  })
