/**
 * A client that keeps a copy of a brand's leads: `@lead-signals/client`, as its users run it, over the simulated network. What
 * it ends with must be what there is.
 */
import { makeClient, NoAnswer, type Transport } from "@lead-signals/client/effect"
import type { Filter, Query } from "@lead-signals/store-contract/reference"
import { Effect, Stream } from "effect"
import type { KnownBrand } from "../world/KnownFacts.ts"
import { type Caller, once, type ActorContext } from "./ActorContext.ts"

const pageSize = 25

/** What the client asks, as the reference understands it. */
const queryOf = (parameters: URLSearchParams): Query => {
  const filter: Filter = {}
  for (const name of ["updatedAfter", "updatedBefore"] as const) {
    const bound = parameters.get(name)
    if (bound !== null) filter[name] = Date.parse(bound)
  }
  return {
    filter,
    field: "updatedAt",
    direction: "asc",
    page: Number(parameters.get("page")),
    pageSize: Number(parameters.get("pageSize")),
    engagements: "none"
  }
}

const feedPath = "/signals/changes"

/** Every second brand's client follows the feed of changes; the others meet a service of before it, and sync by time. [CHG-1] */
export const followsFeed = ({ index }: Pick<KnownBrand, "index">): boolean => index % 2 === 0

const noFeed = { status: 404, headers: {}, text: '{"error":{"code":"not_found","message":"No such path."}}' }

const transport = (context: ActorContext, caller: Caller, brand: KnownBrand): Transport => {
  let attempts = 0
  return ({ url }) =>
    Effect.suspend(() => {
      const { pathname, search, searchParams } = new URL(url)
      const isFeed = pathname === feedPath
      if (isFeed && !followsFeed(brand)) return Effect.succeed(noFeed)
      const label = `${caller.label} request ${++attempts}`
      return once(
        context,
        { ...caller, label },
        {
          route: pathname,
          query: search.slice(1),
          brand,
          key: brand.key,
          meaning: isFeed ? { means: "look" } : { means: "list", query: queryOf(searchParams) }
        }
      )
    }).pipe(
      Effect.tap(({ status }) =>
        Effect.sync(() => {
          if (status >= 500) context.facts.coverageMarks.add("a request met 503")
        })
      ),
      Effect.mapError(() => {
        context.facts.coverageMarks.add("a request got no answer")
        return new NoAnswer({ reason: "the network" })
      })
    )
}

/** Whether a client of the brand has synced, even if it got nothing. */
export const hasSynced = ({ mirror, syncCursor }: Pick<KnownBrand, "mirror" | "syncCursor">): boolean =>
  mirror.size > 0 || syncCursor !== null

/** For how many seconds a client that has everything waits for a change: mostly not at all. Nobody waits longer for an answer. [CHG-6] */
const waits = [0, 0, 0, 2, 20]

/** At most four requests of a key wait at once, and further ones are answered at once: mostly two are left to probes. [CHG-6] */
const maxWaits = 2

/** Some clients send six requests at once, more than may wait; the first ends after 2 s. After 4 s they send three more. Each client does this twice. */
const crowd = {
  share: 0.08,
  rounds: 2,
  seconds: [2, 20, 20, 20, 20, 20],
  lateAfterMillis: 4000,
  lateSeconds: [20, 20, 20]
}

const waitsOf = new WeakMap<KnownBrand, number>()

/** Waits for a change after the cursor, and leaves it to the next sync. */
const awaitChange = (context: ActorContext, caller: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.suspend(() => {
    const label = `${caller.label} waits`
    const { decisions } = context.world
    const wait = waits[decisions.below(label, waits.length)]!
    const waiting = waitsOf.get(brand) ?? 0
    if (wait === 0 || waiting >= maxWaits || brand.syncCursor === null || !followsFeed(brand))
      return Effect.void
    waitsOf.set(brand, waiting + 1)
    const of = (name: string, seconds: number) => {
      const query = `cursor=${encodeURIComponent(brand.syncCursor!)}&pageSize=${pageSize}&wait=${seconds}`
      const call = { route: feedPath, query, brand, key: brand.key, meaning: { means: "look" } } as const
      return Effect.ignore(once(context, { ...caller, label: name }, call))
    }
    const round = (n: number) =>
      Effect.all(
        [
          ...crowd.seconds.map((seconds, i) => of(`${label} ${n}.${i + 1}`, seconds)),
          ...crowd.lateSeconds.map((seconds, i) =>
            Effect.delay(of(`${label} ${n}.late ${i + 1}`, seconds), crowd.lateAfterMillis)
          )
        ],
        { concurrency: "unbounded", discard: true }
      )
    const isCrowd = decisions.chance(`${label} in a crowd`, crowd.share)
    const requests = isCrowd
      ? Effect.forEach(
          Array.from({ length: crowd.rounds }, (_, i) => i + 1),
          round,
          { discard: true }
        )
      : of(label, wait)
    return Effect.ensuring(
      requests,
      Effect.sync(() => waitsOf.set(brand, waitsOf.get(brand)! - 1))
    )
  })

/** Takes over what has changed since the last time, for as long as it takes; some clients then wait for the next change. One whose cursor has expired begins anew. */
export const sync = (context: ActorContext, caller: Caller, brand: KnownBrand): Effect.Effect<void> => {
  const { facts } = context
  const client = makeClient({
    url: "https://service.simulated",
    key: brand.key.value,
    transport: transport(context, caller, brand),
    patience: "7 days",
    timeout: "1 day"
  })
  let pages = 0
  let requestedAt = context.world.kernel.now
  const cursor = brand.syncCursor ?? undefined
  const wait = facts.plan.brands[brand.index]?.changesWait
  return client.changes({ cursor, pageSize, wait }).pipe(
    Stream.runForEach((page) =>
      Effect.sync(() => {
        if (++pages > 1) facts.coverageMarks.add("a sync took several pages")
        facts.changes += page.leads.length + page.removed.length
        if (page.leads.length > 0 && context.world.kernel.now - requestedAt >= 1000)
          facts.coverageMarks.add("a sync waited for a change")
        requestedAt = context.world.kernel.now
        for (const lead of page.leads) {
          brand.mirror.set(lead.id, lead)
          brand.leadIds.set(lead.extId, lead.id)
        }
        for (const { id } of page.removed) {
          facts.coverageMarks.add("a sync was told of a removed lead")
          brand.mirror.delete(id)
        }
        brand.syncCursor = page.cursor
      })
    ),
    Effect.catchAll((failure) => {
      if (failure._tag === "RequestRefused" && failure.code === "cursor_expired" && cursor !== undefined) {
        facts.coverageMarks.add("a client whose cursor had expired began anew")
        brand.mirror.clear()
        brand.syncCursor = null
        return sync(context, { ...caller, label: `${caller.label} anew` }, brand)
      }
      return Effect.sync(() => facts.violate("calls succeed", `the sync client: ${failure.message}`))
    }),
    Effect.zipRight(awaitChange(context, caller, brand))
  )
}
