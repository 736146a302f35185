/**
 * What probes refer to: things of a brand of the plan, and of a tenant, a brand beside it on which whatever is created or
 * deleted disturbs nobody. The tenant and its things are made when a probe first needs them.
 */
import { Effect } from "effect"
import { createBrand } from "../SetUp.ts"
import type { IdKind } from "../vocabulary/Form.ts"
import { type KnownBrand, type KnownWebhook, personOf } from "../world/KnownFacts.ts"
import {
  type ActorContext,
  type Call,
  bodyOf,
  type Caller,
  persistently,
  succeeding
} from "./ActorContext.ts"
import { erase } from "./Operator.ts"

/** So that a tenant's people and brand have names of their own. */
const tenantIndex = 100

const collections: { readonly [Kind in IdKind]?: string } = {
  key: "keys",
  signal: "signals",
  campaign: "campaigns",
  webhook: "webhooks"
}

const bodies: { readonly [Kind in IdKind]?: object } = {
  key: { label: "A tenant's" },
  token: { name: "A tenant's", scopes: ["ingest"] },
  signal: { name: "Spare", signalType: "keywords", source: { type: "posts-with-keywords", value: "spare" } },
  campaign: { name: "Spare" },
  webhook: { url: "https://nobody.example/hook", events: ["lead2.created", "activity.detected"] }
}

/** The route of a thing, and the parameters of its path. */
const placeOf = (
  kind: IdKind,
  brandId: string,
  id: string
): readonly [route: string, params: Readonly<Record<string, string>>] => {
  switch (kind) {
    case "brand":
      return ["/operator/brands/{brandId}", { brandId: id }]
    case "token":
      return ["/operator/tokens/{tokenId}", { tokenId: id }]
    case "key":
      return ["/operator/brands/{brandId}/keys/{keyId}", { brandId, keyId: id }]
    default:
      return [`/operator/brands/{brandId}/${collections[kind]!}/{id}`, { brandId, id }]
  }
}

/** Finds or makes what a probe needs. One for each brand of the plan, used by one probe at a time. */
export class ProbeTargets {
  /** Probes of one brand come one after the other. */
  readonly lock: Effect.Semaphore = Effect.unsafeMakeSemaphore(1)
  private tenantBrand: KnownBrand | null = null
  private readonly made = new Map<string, string>()
  private count = 0

  constructor(
    private readonly context: ActorContext,
    readonly main: KnownBrand,
    private readonly others: ReadonlyArray<KnownBrand>
  ) {}

  private caller(what: string): Caller {
    return {
      party: `operator ${this.main.index}`,
      label: `tenant of ${this.main.index} ${what} ${++this.count}`
    }
  }

  private succeed(what: string, call: Pick<Call, "method" | "route" | "params" | "body">) {
    return succeeding(this.context, this.caller(what), { ...call, brand: null, meaning: { means: "make" } })
  }

  get tenant(): Effect.Effect<KnownBrand> {
    return Effect.suspend(() => {
      if (this.tenantBrand !== null) return Effect.succeed(this.tenantBrand)
      const size = { consumers: [], signals: 1, isLimited: false, isCalm: false }
      const index = tenantIndex + this.main.index
      return Effect.tap(createBrand(this.context, size, index, `tenant ${index}`), (brand) => {
        this.tenantBrand = brand
        this.context.facts.tenants.push(brand)
      })
    })
  }

  /** The id of something that the brand has; null when it has none and is not to get one. */
  own(home: KnownBrand, kind: IdKind): Effect.Effect<string | null> {
    if (home !== this.main) return this.ofTenant(kind)
    // A webhook that every event can be sent again to.
    return this.planned(home, kind, ({ events }) => events.length > 1)
  }

  /** The id of something that a brand of the plan has; null where it has none, and for deliveries and tokens, which no plan has. */
  private planned(
    brand: KnownBrand,
    kind: IdKind,
    isWanted: (webhook: KnownWebhook) => boolean
  ): Effect.Effect<string | null> {
    return Effect.sync(() => {
      switch (kind) {
        case "brand":
          return brand.id
        case "key":
          return brand.limitedKey.id
        case "signal":
          return brand.signalIds[0]!
        case "campaign":
          return brand.campaignId
        case "webhook":
          return brand.webhooks.find(isWanted)?.id ?? null
        case "lead":
          return this.leadOf(brand)
        case "delivery":
        case "token":
          return null
      }
    })
  }

  private leadOf(home: KnownBrand): string | null {
    for (const [extId, id] of home.leadIds) {
      if (!this.context.facts.erasing.has(personOf(home, extId))) return String(id)
    }
    return null
  }

  /** Whether the lead may have been erased since it was chosen. */
  mayBeErased(home: KnownBrand, leadId: string | null): boolean {
    for (const [extId, id] of home.leadIds) {
      if (String(id) === leadId && this.context.facts.erasing.has(personOf(home, extId))) return true
    }
    return false
  }

  private ofTenant(kind: IdKind): Effect.Effect<string> {
    return Effect.gen(this, function* () {
      const tenant = yield* this.tenant
      if (kind === "brand") return tenant.id
      if (kind === "signal") return tenant.signalIds[0]!
      if (kind === "campaign") return tenant.campaignId
      const known = this.made.get(kind)
      if (known !== undefined) return known
      const id =
        kind === "delivery"
          ? yield* this.deliveryOf(yield* this.ofTenant("webhook"))
          : yield* this.fresh(kind)
      this.made.set(kind, id)
      return id
    })
  }

  private deliveryOf(webhookId: string): Effect.Effect<string> {
    return Effect.gen(this, function* () {
      const { id: brandId } = yield* this.tenant
      const { data } = yield* this.succeed("delivery", {
        method: "POST",
        route: "/operator/brands/{brandId}/webhooks/{id}/test",
        params: { brandId, id: webhookId }
      })
      return data.deliveryId as string
    })
  }

  /** A new thing of the tenant, which may be deleted. */
  fresh(kind: IdKind): Effect.Effect<string> {
    return Effect.gen(this, function* () {
      if (kind === "brand") {
        const { data } = yield* this.succeed("brand", {
          method: "POST",
          route: "/operator/brands",
          body: { name: "A tenant" }
        })
        return data.id as string
      }
      const tenant = yield* this.tenant
      if (kind === "lead") return yield* this.freshLead(tenant)
      if (kind === "delivery") return yield* this.ofTenant("delivery")
      const { data } = yield* this.succeed(kind, {
        method: "POST",
        route: kind === "token" ? "/operator/tokens" : `/operator/brands/{brandId}/${collections[kind]!}`,
        params: kind === "token" ? {} : { brandId: tenant.id },
        body: bodies[kind]
      })
      return data.id as string
    })
  }

  private freshLead(tenant: KnownBrand): Effect.Effect<string> {
    return Effect.gen(this, function* () {
      const caller = this.caller("lead")
      const extId = `b${tenant.index}-p${this.count}.`
      const person = { extId, name: `Name of ${extId}` }
      const engagement = { id: `b${tenant.index}-e${this.count}` }
      const response = yield* persistently(this.context, caller, {
        method: "POST",
        route: "/operator/brands/{brandId}/observations",
        params: { brandId: tenant.id },
        body: { observations: [{ signalId: tenant.signalIds[0], person, engagement }] },
        brand: tenant,
        meaning: { means: "observe", seen: [{ signal: 0, person, engagement }] }
      })
      const id = bodyOf(response).data[0].leadId as number
      tenant.leadIds.set(extId, id)
      return String(id)
    })
  }

  /** The person whose lead it is. */
  personOfLead(home: KnownBrand, leadId: string): string | null {
    for (const [extId, id] of home.leadIds) if (String(id) === leadId) return extId
    return null
  }

  /** A delivery of the brand of the plan; null when it has none. */
  private get listed(): Effect.Effect<string | null> {
    return Effect.gen(this, function* () {
      const webhook = this.main.webhooks[0]
      if (webhook === undefined) return null
      const { data } = yield* this.succeed("deliveries", {
        route: "/operator/brands/{brandId}/webhooks/{id}/deliveries",
        params: { brandId: this.main.id, id: webhook.id }
      })
      return (data[0]?.id as string | undefined) ?? null
    })
  }

  /** Something of another brand; null when no other brand has one. */
  foreign(home: KnownBrand, kind: IdKind): Effect.Effect<string | null> {
    if (home !== this.main) return kind === "delivery" ? this.listed : this.own(this.main, kind)
    const other = this.others.find((each) => each !== home)
    const own = other === undefined ? Effect.succeed(null) : this.planned(other, kind, () => true)
    return Effect.flatMap(own, (id): Effect.Effect<string | null> =>
      id === null ? this.ofTenant(kind) : Effect.succeed(id)
    )
  }

  /** Something of the tenant's that was deleted, revoked or erased. */
  deleted(kind: IdKind): Effect.Effect<string> {
    return Effect.gen(this, function* () {
      const known = this.made.get(`deleted ${kind}`)
      if (known !== undefined) return known
      const id = yield* this.fresh(kind === "delivery" ? "webhook" : kind)
      const rendered = kind === "delivery" ? yield* this.deliveryOf(id) : id
      yield* this.delete(kind === "delivery" ? "webhook" : kind, id)
      this.made.set(`deleted ${kind}`, rendered)
      return rendered
    })
  }

  private delete(kind: IdKind, id: string): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const tenant = yield* this.tenant
      if (kind === "lead") {
        return yield* erase(this.context, this.caller("erasure"), tenant, this.personOfLead(tenant, id)!)
      }
      const [route, params] = placeOf(kind, tenant.id, id)
      const { status } = yield* persistently(this.context, this.caller(`deletion of a ${kind}`), {
        method: "DELETE",
        route,
        params,
        brand: null,
        meaning: { means: "look" }
      })
      // 404: an earlier try did it, and its answer was lost.
      if (status !== 204 && status !== 404 && !(kind === "brand" && status === 200)) {
        this.context.facts.violate("calls succeed", `the deletion of a ${kind} was answered ${status}`)
      }
    })
  }
}

const targetsOfBrands = new WeakMap<KnownBrand, ProbeTargets>()

/** The targets of a brand's probes, the same for all of them. */
export const targetsOf = (
  context: ActorContext,
  brand: KnownBrand,
  brands: ReadonlyArray<KnownBrand>
): ProbeTargets => {
  const known = targetsOfBrands.get(brand) ?? new ProbeTargets(context, brand, brands)
  targetsOfBrands.set(brand, known)
  return known
}
