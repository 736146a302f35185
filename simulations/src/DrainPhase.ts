/** When nothing goes wrong any more: everything that is owed has time to come, and then all that there is is read. */
import { Effect } from "effect"
import * as Readers from "./actors/Readers.ts"
import { bodyOf, type ActorContext, persistently, succeeding } from "./actors/ActorContext.ts"
import { caller, look, ofBrand } from "./actors/OperatorCalls.ts"
import { hasSynced, sync } from "./actors/SyncClient.ts"
import * as WebhookOwner from "./actors/WebhookOwner.ts"
import type { Json, KnownBrand } from "./world/KnownFacts.ts"

const hour = 3_600_000

/** Until nothing is owed: what waits for its next attempt, and what is held for a receiver that was gone. */
export const drain = (context: ActorContext, brand: KnownBrand, name = "drain"): Effect.Effect<void> =>
  Effect.gen(function* () {
    const by = caller({ party: `operator ${brand.index}`, label: `${name} ${brand.index}` })
    for (const [i, webhook] of brand.webhooks.entries()) {
      const params = { brandId: brand.id, id: webhook.id }
      for (let round = 0; ; round++) {
        const { data } = yield* succeeding(context, by(`look ${i} ${round}`), {
          route: "/operator/brands/{brandId}/webhooks/{id}",
          params,
          brand,
          meaning: { means: "look" }
        })
        if (data.enabled !== true) {
          if (data.disabledReason !== "The operator disabled it.")
            context.facts.coverageMarks.add("a webhook was disabled")
          yield* WebhookOwner.setEnabled(context, by(`enable ${i} ${round}`), brand, webhook, true)
        }
        const pending = yield* succeeding(context, by(`count ${i} ${round}`), {
          route: "/operator/brands/{brandId}/webhooks/{id}/deliveries",
          params,
          query: "state=pending&pageSize=1",
          brand,
          meaning: { means: "look" }
        })
        if (data.enabled === true && pending.meta.pagination.total === 0) break
        yield* Effect.sleep(round < 3 ? 60_000 : 6 * hour)
      }
    }
  })

/** The number of a webhook's deliveries whose log is read. */
const logsRead = 30

/** One log is read for each eight deliveries that one attempt has delivered: they are most of all, and alike. */
const plainDeliveriesPerLog = 8

/** Reads every page of the deliveries of each webhook, and at most 30 logs of each into `facts.deliveries`, which rules judge at the end. */
export const readDeliveries = (context: ActorContext, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts } = context
    const party = `operator ${brand.index}`
    for (const [i, webhook] of brand.webhooks.entries()) {
      const params = { brandId: brand.id, id: webhook.id }
      let [read, plain] = [0, 0]
      for (let page = 1; ; page++) {
        const { data } = yield* succeeding(
          context,
          { party, label: `deliveries ${brand.index} ${i} ${page}` },
          {
            route: "/operator/brands/{brandId}/webhooks/{id}/deliveries",
            params,
            query: `pageSize=100&page=${page}`,
            brand,
            meaning: { means: "look" }
          }
        )
        if (data.length === 0) break
        for (const { attempts, engagementId, event, id, leadId, state } of data) {
          if (state === "dead" && leadId !== null) {
            facts.coverageMarks.add("a delivery died")
            const row = brand.reference.rows.find((each) => each.id === leadId)
            const subject = event === "lead2.created" ? row?.extId : engagementId
            facts.dead.add(`${webhook.id} ${event} ${subject}`)
          }
          if (state === "delivered" && attempts === 1 && plain++ % plainDeliveriesPerLog > 0) continue
          if (read++ >= logsRead) continue
          const response = yield* persistently(
            context,
            { party, label: `delivery ${brand.index} ${i} ${read}` },
            {
              route: "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}",
              params: { ...params, deliveryId: id },
              brand,
              meaning: { means: "look" }
            }
          )
          // It may have been pruned since it was listed.
          if (response.status === 404 && facts.prunedDeliveries.has(id)) continue
          if (response.status !== 200)
            facts.violate("calls succeed", `delivery ${id}: ${response.status} ${response.text}`)
          facts.deliveries.push({ webhook, delivery: bodyOf(response).data })
        }
      }
    }
  })

const finalOrders = [
  ["createdAt", "asc"],
  ["updatedAt", "desc"],
  ["score1", "desc"],
  ["name", "asc"]
] as const

/**
 * Reads the brand's leads to the end in four orders and, where a client syncs, the feed of changes to its newest position; where clocks may hide
 * changes, once more from the beginning. `time` tells the labels of a later reading apart.
 */
export const readLists = (context: ActorContext, brand: KnownBrand, time = ""): Effect.Effect<void> =>
  Effect.gen(function* () {
    const party = `reader ${brand.index}`
    if (hasSynced(brand)) {
      yield* sync(context, { party: `sync ${brand.index}`, label: `last sync ${time}${brand.index}` }, brand)
      // Clocks can have hidden changes: nothing hides from a client that begins again.
      if (context.facts.mayHideChanges) {
        context.facts.mirrorsBeforeFullSync.set(brand.id, new Map(brand.mirror))
        brand.syncCursor = null
        yield* sync(
          context,
          { party: `sync ${brand.index}`, label: `full sync ${time}${brand.index}` },
          brand
        )
      }
    }
    const pageSize = brand.reference.rows.length > 200 ? 100 : 7
    for (const [field, direction] of finalOrders) {
      const label = `last ${field} ${time}${brand.index}`
      const leads = yield* Readers.walk(context, { party, label }, brand, {
        signal: null,
        flags: {},
        search: null,
        bounds: [],
        field,
        direction,
        page: 1,
        pageSize,
        engagements: "none"
      })
      context.facts.finalLists.set(`${brand.id} ${field}:${direction}`, leads)
    }
  })

/** The first two days of a run, hour by hour: most of what happens in a run happens in them. */
const firstHours = "interval=hour&startDate=2026-01-05&endDate=2026-01-06"

/** What figures of a brand are grouped by: one way in every second brand, the other in the others. */
const groupings = [
  ["leads&by=signal", "engagements&by=type", "deliveries"],
  ["leads", "engagements&by=signal", "deliveries"]
] as const

/** Reads the feed of changes from its beginning: what was pruned has left everything else at its place. [CHG-1] */
export const readFeed = (context: ActorContext, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const by = caller({ party: `reader ${brand.index}`, label: `last changes ${brand.index}` })
    const params = { brandId: brand.id }
    let cursor: string | null = null
    for (let page = 1; ; page++) {
      const query: string = `pageSize=100${cursor === null ? "" : `&cursor=${cursor}`}`
      const call = { route: `${ofBrand}/changes`, params, query, brand, meaning: look }
      const { meta } = yield* succeeding(context, by(String(page)), call)
      if (meta.hasMore !== true) return
      cursor = meta.cursor
    }
  })

/** Reads figures over time and the keys of the brand, when all of it that was to go is gone. */
export const readFigures = (context: ActorContext, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const by = caller({ party: `reader ${brand.index}`, label: `last ${brand.index}` })
    const params = { brandId: brand.id }
    for (const figures of groupings[brand.index % groupings.length]!) {
      const [what, ...group] = figures.split("&")
      const query = [firstHours, ...group].join("&")
      const route = `${ofBrand}/series/${what}`
      yield* succeeding(context, by(figures), { route, params, query, brand, meaning: look })
    }
    yield* succeeding(context, by("keys"), { route: `${ofBrand}/keys`, params, brand, meaning: look })
  })

/** Reads the tokens, the newest entries of the audit log, and those since the very instant of one of these. */
export const readAudit = (context: ActorContext): Effect.Effect<void> =>
  Effect.gen(function* () {
    const by = caller({ party: "reader", label: "last" })
    yield* succeeding(context, by("tokens"), { route: "/operator/tokens", brand: null, meaning: look })
    const audit = (what: string, query: string): Effect.Effect<Json> =>
      succeeding(context, by(what), { route: "/operator/audit", query, brand: null, meaning: look })
    const { data } = yield* audit("audit", "pageSize=30")
    const entry = data[Math.floor(data.length / 2)]
    if (entry !== undefined) yield* audit("audit since", `pageSize=40&since=${entry.at}`)
  })
