/** A brand comes and goes: it is created, used, loses a signal and a campaign, and is deleted. [DEL-1 … DEL-5] */
import { Effect } from "effect"
import type { Action, Sighting } from "../plan/Plan.ts"
import { isCalm } from "../plan/Plan.ts"
import { everything } from "../plan/Queries.ts"
import { engagementIdOf, extIdOf } from "../plan/Sightings.ts"
import { createBrand } from "../SetUp.ts"
import type { Expectation } from "../vocabulary/Expectation.ts"
import type { Json, KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Call, bodyOf, type Caller, once, persistently } from "./ActorContext.ts"
import { ofBrand } from "./OperatorCalls.ts"
import * as Operator from "./Operator.ts"
import { observe } from "./People.ts"
import { page } from "./Readers.ts"

type Tenancy = Extract<Action, { do: "tenant" }>

const bothEvents = ["lead2.created", "activity.detected"]

/** Beyond the brands of a plan. */
const firstIndex = 1000

/** What another brand has, too: the same external ids and the same ids of engagements, of other people. */
const seenOf = (index: number, people: number, signal: number): ReadonlyArray<Sighting> =>
  Array.from({ length: people }, (_, i): Sighting => {
    const person = 1 + 3 * i
    return {
      signal,
      person: { extId: extIdOf(index, person), name: `Name of b${index}-p${person}.` },
      engagement: { id: engagementIdOf(index, 2 + 5 * (i + people * signal)), type: "repost" }
    }
  })

const gone: Omit<Expectation, "probes"> = { status: 404, code: "not_found", names: null }
const done: Omit<Expectation, "probes"> = { status: 204, code: null, names: null }

const lists = ({ data }: Json, id: string): boolean => data.some((each: Json) => each.id === id)

class Tenant {
  constructor(
    private readonly context: ActorContext,
    private readonly by: Caller,
    readonly brand: KnownBrand
  ) {}

  caller(what: string): Caller {
    return { ...this.by, label: `${this.by.label} ${what}` }
  }

  /** Calls, and says what must be answered. */
  expecting(
    what: string,
    expects: Omit<Expectation, "probes">,
    call: Omit<Call, "brand" | "meaning"> & Partial<Pick<Call, "meaning">>
  ) {
    return persistently(this.context, this.caller(what), {
      meaning: { means: "look" },
      ...call,
      brand: this.brand,
      expects: { ...expects, probes: [`tenant: ${what}`] }
    })
  }

  /** Deletes a thing, and once more; the first deletion can have been made by a try whose answer was lost. */
  deleting(what: "signals" | "campaigns", id: string): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const call = {
        method: "DELETE",
        route: `${ofBrand}/${what}/{id}`,
        params: { brandId: this.brand.id, id }
      } as const
      const mayBeGone = (): boolean => !isCalm(this.context.facts.plan)
      yield* this.expecting(`delete ${what}`, { ...done, mayBeGone }, call)
      yield* this.expecting(`delete ${what} again`, gone, call)
      yield* this.expecting(`rename deleted ${what}`, gone, {
        ...call,
        method: "PATCH",
        body: { name: "Gone" }
      })
    })
  }
}

/** From the answer to its deletion on, nothing is caught by a signal; what it caught stays. [DEL-2] */
const loseSignal = (context: ActorContext, tenant: Tenant): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { brand } = tenant
    const deleted = brand.signalIds[0]!
    yield* tenant.deleting("signals", deleted)
    const observation = (signalId: string, what: string) => ({
      signalId,
      person: { extId: `b${brand.index}-p900.`, name: `Name of b${brand.index}-p900.` },
      engagement: { id: `b${brand.index}-${what}` }
    })
    yield* tenant.expecting(
      "observe with a deleted signal",
      {
        status: 200,
        code: null,
        names: null,
        outcomes: [{ outcome: "rejected", names: "signalId" }],
        // A late copy can come after the brand's deletion.
        mayBeGone: () => brand.key.revokingAt !== null
      },
      {
        method: "POST",
        route: `${ofBrand}/observations`,
        params: { brandId: brand.id },
        body: { observations: [observation(deleted, "late")] },
        meaning: { means: "bad" }
      }
    )
    yield* observe(context, tenant.caller("observe with the other"), brand, seenOf(brand.index, 1, 1), {
      isNew: true
    })
    yield* page(context, tenant.caller("list by the deleted"), brand, { ...everything, signal: 0 })
    yield* page(context, tenant.caller("list in detail"), brand, { ...everything, engagements: "detailed" })
    const response = yield* persistently(context, tenant.caller("signals"), {
      route: `${ofBrand}/signals`,
      params: { brandId: brand.id },
      brand,
      meaning: { means: "look" }
    })
    if (lists(bodyOf(response), deleted))
      context.facts.violate("deleted stay gone", `signal ${deleted} is deleted, and listed`)
  })

/** A deleted campaign takes its snapshots with it. [DEL-3] */
const loseCampaign = (context: ActorContext, tenant: Tenant): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { brand } = tenant
    const totals = { impressions: 1_000_000_000_000, reactions: 1, comments: 0, reposts: 2 }
    const reading = { post: "post-\u{1d4b3}", day: "2024-02-29", totals }
    yield* Operator.reading(context, tenant.caller("reading"), brand, reading)
    yield* tenant.deleting("campaigns", brand.campaignId)
    yield* tenant.expecting("metrics of a deleted campaign", gone, {
      route: "/campaign/{id}/metrics",
      params: { id: brand.campaignId },
      key: brand.key
    })
    yield* tenant.expecting("a reading of a deleted campaign", gone, {
      method: "PUT",
      route: `${ofBrand}/campaigns/{id}/posts/{postId}/snapshots/{day}`,
      params: { brandId: brand.id, id: brand.campaignId, postId: reading.post, day: reading.day },
      body: totals
    })
  })

/** Deletes the brand, while one of its clients reads. [DEL-1, DEL-5] */
const leave = (context: ActorContext, tenant: Tenant): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts, world } = context
    const { brand } = tenant
    const { key } = brand
    const params = { brandId: brand.id }
    const list = { route: "/signals/leads", brand, key, meaning: { means: "look" } } as const
    key.revokingAt = world.kernel.now
    const reading = yield* Effect.fork(Effect.ignore(once(context, tenant.caller("list meanwhile"), list)))
    for (let n = 1; ; n++) {
      const response = yield* persistently(context, tenant.caller(`delete ${n}`), {
        method: "DELETE",
        route: ofBrand,
        params,
        brand,
        meaning: { means: "look" }
      })
      // 404: a try whose answer was lost has finished it.
      if (response.status === 404 || bodyOf(response).data.deleted === true) break
    }
    key.revokedAt = world.kernel.now
    yield* Effect.ignore(once(context, tenant.caller("list afterwards"), list))
    for (const things of ["signals", "keys", "campaigns", "webhooks"])
      yield* tenant.expecting(`${things} of a deleted brand`, gone, { route: `${ofBrand}/${things}`, params })
    yield* tenant.expecting("rename a deleted brand", gone, {
      method: "PATCH",
      route: ofBrand,
      params,
      body: { name: "Gone" }
    })
    yield* tenant.expecting("delete a deleted brand", gone, { method: "DELETE", route: ofBrand, params })
    yield* tenant.expecting("observe for a deleted brand", gone, {
      method: "POST",
      route: `${ofBrand}/observations`,
      params,
      body: { observations: [] }
    })
    const brands = yield* persistently(context, tenant.caller("brands"), {
      route: "/operator/brands",
      brand: null,
      meaning: { means: "look" }
    })
    if (lists(bodyOf(brands), brand.id))
      facts.violate("deleted stay gone", `brand ${brand.id} is deleted, and listed`)
    yield* reading.await
    facts.coverageMarks.add("a brand was deleted")
  })

/** The whole life of one brand, from its creation to the calls that must find it gone. It has webhooks and keys of its own. */
export const tenant = (
  context: ActorContext,
  by: Caller,
  { n, people, useMillis }: Tenancy & { readonly n: number }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const index = firstIndex + n
    const size = {
      consumers: [{ behaviour: "healthy" as const, events: bothEvents }],
      signals: 2,
      isLimited: false,
      isCalm: false
    }
    const brand = yield* createBrand(context, size, index, `tenant ${index}`)
    context.facts.tenants.push(brand)
    const tenant = new Tenant(context, by, brand)
    yield* observe(context, tenant.caller("observe"), brand, seenOf(index, people, 0), { isNew: true })
    yield* page(context, tenant.caller("list"), brand, { ...everything, engagements: "plain" })
    yield* loseSignal(context, tenant)
    yield* loseCampaign(context, tenant)
    yield* Effect.sleep(useMillis)
    yield* leave(context, tenant)
  })
