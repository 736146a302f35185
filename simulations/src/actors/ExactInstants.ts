/**
 * What only an exact instant shows: an enabling during an attempt, a request at the millisecond at which a window or a minute ends, and several
 * calls of one millisecond.
 */
import { Effect } from "effect"
import type { KnownBrand, KnownWebhook } from "../world/KnownFacts.ts"
import { type ActorContext, type Call, type Caller, once, succeeding } from "./ActorContext.ts"
import { caller, everyLead, firstLeads, type Inspect, look, ofBrand } from "./OperatorCalls.ts"
import { setEnabled } from "./WebhookOwner.ts"

/** How long the operator waits for a post to be under way. */
const patience = "4 minutes"

/** Off and on while an attempt is under way: how it ends says nothing of the receiver any more. [DELIV-4] */
export const enableDuringAttempt = (
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
    const rendered: Call = {
      route: `${ofBrand}/webhooks/{id}`,
      params: { brandId: brand.id, id: webhook.id },
      brand,
      meaning: look
    }
    yield* succeeding(context, of("view"), rendered)
    yield* Effect.sleep(16_000)
    yield* succeeding(context, of("view later"), rendered)
  })

/** The least time that a message takes. */
const minMillis = 1

/** Sends the call so that it arrives at the instant by the store's clock, as that goes now. */
const arriveAt = (context: ActorContext, by: Caller, call: Call, instant: number): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { world } = context
    const at = instant - (world.storeNow - world.kernel.now)
    yield* Effect.sleep(Math.max(0, at - world.kernel.now - minMillis))
    const isInTime = at > world.kernel.now
    yield* Effect.ignore(once(context, by, { ...call, arrivesAt: at }))
    return isInTime
  })

/** Requests at the last millisecond of a window and at the next one, which begins another. [RATE-3] */
const endOfWindow = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const { facts } = context
    const key = brand.limitedKey
    const call = firstLeads(brand, key)
    yield* Effect.ignore(once(context, of("opens"), call))
    const ends = facts.windowEnds.get(key.id)
    if (ends === undefined) return
    // The answer to the first comes after the second must be there.
    const sent = [-1, 0].map((beside) => arriveAt(context, of(`at ${beside}`), call, ends + beside))
    const inTime = yield* Effect.all(sent, { concurrency: "unbounded" })
    if (inTime.includes(true)) facts.coverageMarks.add("a request came as its window ended")
  })

const minuteMillis = 60_000

/** Requests at the last millisecond of a minute and at the next one: uses of keys are kept to the minute. [AUTH-8] */
const endOfMinute = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const ends = Math.ceil((context.world.storeNow + 1) / minuteMillis) * minuteMillis
    const call = firstLeads(brand, brand.key)
    const sent = [-1, 0].map((beside) => arriveAt(context, of(`at ${beside}`), call, ends + beside))
    yield* Effect.all(sent, { concurrency: "unbounded", discard: true })
    yield* succeeding(context, of("keys"), {
      route: `${ofBrand}/keys`,
      params: { brandId: brand.id },
      brand,
      meaning: look
    })
  })

/** Milliseconds from the request to the instant at which all of several arrive. */
const meetingMillis = 50

/** The most pages in which the audit log is read. */
const maxAuditPages = 10

/** Several operators act at one millisecond. Then the audit log is read from there on, in small pages to its end. [AUD-4] */
const atOneInstant: Inspect = (context, by, brand, { n, nth }) =>
  Effect.gen(function* () {
    const of = caller(by)
    const { facts, world } = context
    const params = { brandId: brand.id }
    const listed: Call = {
      route: `${ofBrand}/leads`,
      params,
      brand,
      meaning: { means: "list", query: everyLead }
    }
    const renamed: Call = {
      method: "PATCH",
      route: `${ofBrand}/campaigns/{id}`,
      params: { ...params, id: brand.campaignId },
      body: { name: `Renamed at one instant ${n}` },
      brand,
      meaning: look
    }
    const since = new Date(world.storeNow).toISOString()
    const arrivesAt = world.kernel.now + meetingMillis
    yield* Effect.forEach(
      [listed, renamed, listed, listed],
      (call, i) => Effect.ignore(once(context, of(`acts ${i}`), { ...call, arrivesAt })),
      { concurrency: "unbounded", discard: true }
    )
    facts.coverageMarks.add("several operators acted at one instant")
    let cursor: string | null = null
    for (let page = 1; page <= maxAuditPages; page++) {
      const query: string = [
        `pageSize=${1 + (nth % 3)}`,
        `since=${since}`,
        ...(cursor === null ? [] : [`cursor=${cursor}`])
      ].join("&")
      const call: Call = { route: "/operator/audit", query, brand: null, meaning: look }
      const { meta } = yield* succeeding(context, of(`audit ${page}`), call)
      cursor = meta.nextCursor
      if (cursor === null) return
    }
  })

/** One of the exact instants of this file, as the inspection's number says. */
export const exactInstant: Inspect = (context, by, brand, inspection) => {
  const { nth } = inspection
  if (nth % 4 === 3) return atOneInstant(context, by, brand, inspection)
  return nth % 3 === 0 ? endOfMinute(context, by, brand) : endOfWindow(context, by, brand)
}
