/** The operator changes a webhook while it is sent to. */
import { Effect } from "effect"
import { maxLiveChanges } from "../plan/DrainTime.ts"
import type { Sighting } from "../plan/Plan.ts"
import { engagementIdOf, extIdOf } from "../plan/Sightings.ts"
import { created, persistently, succeeding } from "./ActorContext.ts"
import { caller, type Inspect, look, ofBrand } from "./OperatorCalls.ts"
import { observe } from "./People.ts"

/** The person of whom events are sent to a webhook that changes, and the number of the first of these engagements: nobody else has them. */
const personOfLive = 900_000
const engagementsOfLive = 9_000_000

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
export const liveWebhook: Inspect = (context, by, brand, { n, nth }) =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    const route = `${ofBrand}/webhooks`
    const body = { url: "https://nobody.example/live", events: ["activity.detected", "lead2.created"] }
    const webhook = yield* created(context, of("make a live webhook"), {
      method: "POST",
      route,
      params,
      body,
      brand,
      meaning: { means: "make" }
    })
    if (webhook === null) return
    const one = {
      route: `${route}/{id}`,
      params: { ...params, id: webhook.id },
      brand,
      meaning: look
    } as const
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
