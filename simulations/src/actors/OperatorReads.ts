/**
 * The operator looks at everything that there is to see, renames things, makes some and deletes them again; and tries what only an
 * exact instant shows: an enabling during an attempt, a request at the millisecond at which a window ends.
 */
import { Effect } from "effect"
import type { Action, Sighting } from "../plan/Plan.ts"
import { everything } from "../plan/Queries.ts"
import type { Json, KnownBrand, KnownWebhook } from "../world/KnownFacts.ts"
import {
  bodyOf,
  type ActorContext,
  type Ask,
  type Caller,
  once,
  persistently,
  succeeding
} from "./ActorContext.ts"
import { changesLiveWebhook, maxLiveChanges } from "../plan/DrainTime.ts"
import { engagementIdOf, extIdOf } from "../plan/Sightings.ts"
import { observe } from "./People.ts"
import { page } from "./Readers.ts"
import { setEnabled } from "./WebhookOwner.ts"

type Inspection = Extract<Action, { do: "inspect" }>

const look = { means: "look" } as const

/** The person of whom events are sent to a webhook that changes, and the number of the first of these engagements: nobody else has them. */
const personOfLive = 900_000
const engagementsOfLive = 9_000_000
const ofBrand = "/operator/brands/{brandId}"

/** One call after the other, each under a label of its own. */
const caller =
  ({ label, party }: Caller) =>
  (what: string): Caller => ({ party, label: `${label} ${what}` })

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

const directory = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
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

const names = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { n, nth }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const { campaignId, id: brandId, signalIds } = brand
    const rename = (what: string, route: string, params: Record<string, string>): Effect.Effect<Json> =>
      succeeding(context, of(what), {
        method: "PATCH",
        route,
        params,
        body: { name: `${what} ${n} Å🙂` },
        brand,
        meaning: look
      })
    yield* rename("brand", ofBrand, { brandId })
    yield* rename("signal", `${ofBrand}/signals/{id}`, { brandId, id: signalIds[nth % signalIds.length]! })
    yield* rename("campaign", `${ofBrand}/campaigns/{id}`, { brandId, id: campaignId })
    yield* directory(context, by, brand)
  })

/** Things that are made for a while: a signal, a campaign, and a webhook that is never sent to. */
const shortLived = {
  signals: {
    name: "For a while",
    signalType: "keywords",
    source: { type: "post-url", value: "https://a.example/1" }
  },
  campaigns: { name: "For a while" },
  webhooks: {
    url: "https://nobody.example/hook",
    events: ["activity.detected", "lead2.created", "lead2.created"],
    description: "For a while",
    enabled: false
  }
}

const forAWhile = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { nth }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    for (const [things, body] of Object.entries(shortLived)) {
      const route = `${ofBrand}/${things}`
      const answer = yield* Effect.either(
        once(context, of(`make ${things}`), {
          method: "POST",
          route,
          params,
          body,
          brand,
          meaning: { means: "make" }
        })
      )
      // When the answer was lost, nobody knows the new id, and the thing stays.
      if (answer._tag === "Left" || answer.right.status !== 201) continue
      const { id } = bodyOf(answer.right).data
      const one: Pick<Ask, "route" | "params" | "brand"> = {
        route: `${route}/{id}`,
        params: { ...params, id },
        brand
      }
      yield* Effect.sleep(1000 * (nth % 60))
      if (things === "webhooks") {
        const change = { description: nth % 2 === 0 ? null : "Changed", events: ["activity.detected"] }
        yield* persistently(context, of("change"), { ...one, method: "PATCH", body: change, meaning: look })
        // What is disabled is not tested.
        const route = `${one.route}/test`
        yield* persistently(context, of("test"), {
          ...one,
          method: "POST",
          route,
          meaning: { means: "make" }
        })
      }
      yield* persistently(context, of(`list ${things}`), { route, params, brand, meaning: look })
      for (const time of ["once", "twice"])
        yield* persistently(context, of(`delete ${things} ${time}`), {
          ...one,
          method: "DELETE",
          meaning: look
        })
    }
  })

/** As operators list leads. */
const everyPage = {
  page: 1,
  pageSize: 25,
  text: "sort=name:asc&includeEngagements=true&includeEngagementDetail=true"
}

/** What an owner changes about a webhook while it is sent to. */
const liveChanges = [
  { ordering: "lead", maxBatch: 3, maxWait: 5 },
  { format: "cloudevents" },
  { ordering: "none", maxBatch: 2, maxWait: 0 },
  { url: "https://nobody.example/moved", ordering: "lead", maxDelay: 60 },
  { format: "envelope", maxBatch: 1 },
  { events: ["lead2.created"], ordering: "none", maxDelay: null },
  { enabled: false },
  { enabled: true, events: ["lead2.created", "activity.detected"], ordering: "lead" }
] as const

/** A webhook whose receiver never answers, and whose order, form, target and events change while events of one person are pending. [ORD-1, FMT-3, BATCH-1] */
const liveWebhook = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { n, nth }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    const route = `${ofBrand}/webhooks`
    const body = { url: "https://nobody.example/live", events: ["activity.detected", "lead2.created"] }
    const make: Ask = { method: "POST", route, params, body, brand, meaning: { means: "make" } }
    const answer = yield* Effect.either(once(context, of("make a live webhook"), make))
    if (answer._tag === "Left" || answer.right.status !== 201) return
    const { id } = bodyOf(answer.right).data
    const one = { route: `${route}/{id}`, params: { ...params, id }, brand, meaning: look } as const
    for (const [i] of liveChanges.entries()) {
      const change = liveChanges[(i + nth) % liveChanges.length]!
      yield* succeeding(context, of(`change ${i}`), { ...one, method: "PATCH", body: change })
      // Each engagement that is seen meanwhile has a number of its own.
      const number = engagementsOfLive + n * maxLiveChanges + i
      const seen: Sighting = {
        signal: 0,
        person: { extId: extIdOf(brand.index, personOfLive), name: `Name of b${brand.index}-live.` },
        engagement: { id: engagementIdOf(brand.index, number), type: "comment", commentText: `${i}` }
      }
      yield* observe(context, of(`seen ${i}`), brand, [seen], { isNew: true })
      yield* Effect.sleep(1000 * (1 + ((nth + i) % 9)))
      yield* succeeding(context, of(`deliveries ${i}`), { ...one, route: `${one.route}/deliveries` })
    }
    context.facts.coverageMarks.add("a webhook was changed while it was sent to")
    yield* persistently(context, of("delete the live webhook"), { ...one, method: "DELETE" })
  })

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
      const detail: Ask = {
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

/** How long the operator waits for a post to be under way. */
const patience = "4 minutes"

/** Off and on while an attempt is under way: how it ends says nothing of the receiver any more. [DELIV-4] */
const enableDuringAttempt = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const post = yield* Effect.timeoutOption(context.facts.nextPost(webhook), patience)
    if (post._tag === "None") return
    yield* setEnabled(context, of("off"), brand, webhook, false)
    yield* setEnabled(context, of("on"), brand, webhook, true)
    if (post.value.sent.heardAt === null)
      context.facts.coverageMarks.add("a webhook was enabled during an attempt")
    const rendered: Ask = {
      route: `${ofBrand}/webhooks/{id}`,
      params: { brandId: brand.id, id: webhook.id },
      brand,
      meaning: look
    }
    yield* succeeding(context, of("view"), rendered)
    yield* Effect.sleep(16_000)
    yield* succeeding(context, of("view later"), rendered)
  })

/** A message needs so long at least. */
const minMillis = 1

/** Requests at the last millisecond of a window and at the next one, which begins another. [RATE-3] */
const endOfWindow = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const { facts, world } = context
    const key = brand.limitedKey
    const ask: Ask = {
      route: "/signals/leads",
      query: "pageSize=5",
      brand,
      key,
      meaning: {
        means: "list",
        query: {
          filter: {},
          field: "createdAt",
          direction: "desc",
          page: 1,
          pageSize: 5,
          engagements: "none"
        }
      }
    }
    yield* Effect.ignore(once(context, of("opens"), ask))
    for (const beside of [-1, 0]) {
      const ends = facts.windowEnds.get(key.id)
      if (ends === undefined) return
      // As the store's clock goes now.
      const at = ends + beside - (world.storeNow - world.kernel.now)
      yield* Effect.sleep(Math.max(0, at - world.kernel.now - minMillis))
      const arrival = { ...ask, arrivesAt: at }
      if (at > world.kernel.now) facts.coverageMarks.add("a request came as its window ended")
      yield* Effect.ignore(once(context, of(`at ${beside}`), arrival))
    }
  })

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

/** Figures over time, by whatever they can be grouped by. */
const series = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { nth }: Inspection
): Effect.Effect<void> =>
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
      return names(context, by, brand, inspection)
    case "for a while":
      return changesLiveWebhook(inspection)
        ? liveWebhook(context, by, brand, inspection)
        : forAWhile(context, by, brand, inspection)
    case "pair":
      return pair(context, by, brand, other, inspection)
    case "end of a window":
      return endOfWindow(context, by, brand)
    case "deliveries":
      return webhook === undefined ? Effect.void : deliveries(context, by, brand, webhook, inspection)
    case "series":
      return series(context, by, brand, inspection)
    case "enabling":
      return webhook === undefined ? Effect.void : enableDuringAttempt(context, by, brand, webhook)
  }
}
