/** Creates a brand, with its signals, campaign, webhooks and keys. */
import {
  ReferenceCampaign,
  ReferenceModel,
  type ReferenceSignal
} from "@lead-signals/store-contract/reference"
import { Effect } from "effect"
import { consumer } from "./actors/Consumers.ts"
import * as KeyHolders from "./actors/KeyHolders.ts"
import { type Caller, type ActorContext, succeeding } from "./actors/ActorContext.ts"
import type { PlannedBrand } from "./plan/Plan.ts"
import { signalsPerBrand } from "./plan/Sightings.ts"
import type { KnownWebhook, KnownBrand } from "./world/KnownFacts.ts"

const limitedRequestsPerMinute = 6

const sources = [
  { type: "posts-with-keywords", value: "social signals" },
  {
    type: "li-company-mention",
    value: "https://network.example/company/quartz",
    liCompanyId: "880034",
    company: { id: 34, name: "Quartz Labs", industry: "Software" }
  },
  { type: "li-profile-url", value: "https://network.example/in/watched" }
]

interface BrandSize {
  readonly consumers: PlannedBrand["consumers"]
  readonly signals: number
  /** Whether it gets a key with a low limit, besides the one without. */
  readonly isLimited: boolean
  /** Whether nothing goes wrong meanwhile. */
  readonly isCalm: boolean
  /** The number of signals that are created and deleted before the brand's own, so that the ids of its own begin higher. */
  readonly earlierSignals?: number
}

/** Creates a brand. `label` names it in the labels of its calls. */
export const createBrand = (
  context: ActorContext,
  size: BrandSize,
  index: number,
  label: string
): Effect.Effect<KnownBrand> =>
  Effect.gen(function* () {
    const { world } = context
    const party = `operator ${index}`
    const caller = (what: string): Caller => ({ party, label: `set up ${label} ${what}` })
    const make = (what: string, route: string, params: Record<string, string>, body: unknown) =>
      Effect.map(
        succeeding(context, caller(what), {
          method: "POST",
          route,
          params,
          body,
          brand: null,
          meaning: { means: "make" }
        }),
        ({ data }) => data
      )
    const { id } = yield* make("brand", "/operator/brands", {}, { name: `Brand ${index}` })
    const of = { brandId: id as string }
    for (let i = 0; i < (size.earlierSignals ?? 0); i++) {
      const body = { name: `Earlier ${i}`, signalType: "keywords", source: sources[0] }
      const earlier = yield* make(`earlier signal ${i}`, "/operator/brands/{brandId}/signals", of, body)
      yield* succeeding(context, caller(`earlier signal ${i} deleted`), {
        method: "DELETE",
        route: "/operator/brands/{brandId}/signals/{id}",
        params: { ...of, id: earlier.id },
        brand: null,
        meaning: { means: "make" }
      })
    }
    const signals: Array<ReferenceSignal> = []
    for (const [i, source] of sources.slice(0, size.signals).entries()) {
      const body = { name: `Signal ${i}`, signalType: "keywords", source }
      const made = yield* make(`signal ${i}`, "/operator/brands/{brandId}/signals", of, body)
      signals.push({
        id: made.id,
        name: body.name,
        signalType: body.signalType,
        source: { liCompanyId: null, company: null, ...source }
      })
    }
    const campaign = yield* make("campaign", "/operator/brands/{brandId}/campaigns", of, { name: "Spring" })
    const webhooks: Array<KnownWebhook> = []
    for (const [
      i,
      { behaviour, events, format, maxBatch, maxDelay, maxWait, ordering }
    ] of size.consumers.entries()) {
      const url = `https://b${index}-${i}-${behaviour}.example/hook`
      const made = yield* make(`webhook ${i}`, "/operator/brands/{brandId}/webhooks", of, {
        url,
        events,
        ...(ordering === undefined ? {} : { ordering }),
        ...(maxDelay === undefined ? {} : { maxDelay }),
        ...(format === undefined ? {} : { format }),
        ...(maxBatch === undefined ? {} : { maxBatch }),
        ...(maxWait === undefined ? {} : { maxWait }),
        ...(size.isCalm ? {} : { enabled: false })
      })
      // One that an earlier try has made, too, stays disabled: its receiver would get everything twice.
      if (!size.isCalm) {
        yield* succeeding(context, caller(`webhook ${i} enabled`), {
          method: "PATCH",
          route: "/operator/brands/{brandId}/webhooks/{id}",
          params: { ...of, id: made.id },
          body: { enabled: true },
          brand: null,
          meaning: { means: "make" }
        })
      }
      webhooks.push({
        id: made.id,
        brandId: id,
        url,
        behaviour,
        events,
        ordering: ordering ?? "none",
        maxDelay: maxDelay ?? null,
        format: format ?? "envelope",
        maxBatch: maxBatch ?? 1,
        maxWait: maxWait ?? 0,
        secrets: [{ secret: made.secret, since: 0 }],
        rotations: 0,
        resends: 0,
        enabledAt: 0,
        disabledAt: null
      })
    }
    const reference = new ReferenceModel(id, signals)
    const { retention } = context.facts.plan
    if (retention !== undefined) reference.kept = retention
    const key = yield* KeyHolders.makeKey(context, caller("key"), id, 1_000_000)
    const brand: KnownBrand = {
      index,
      id,
      signalIds: signals.map((signal) => signal.id),
      campaignId: campaign.id,
      key,
      limitedKey: size.isLimited
        ? yield* KeyHolders.makeKey(context, caller("limited key"), id, limitedRequestsPerMinute)
        : key,
      webhooks,
      reference,
      campaign: new ReferenceCampaign(campaign.id),
      leadIds: new Map(),
      instants: [],
      mirror: new Map(),
      syncCursor: null
    }
    for (const webhook of webhooks) world.consumers.set(webhook.url, consumer(context, webhook))
    return brand
  })

/** Creates a brand of the plan, before anything goes wrong. */
export const setUp = (
  context: ActorContext,
  { consumers }: PlannedBrand,
  index: number
): Effect.Effect<KnownBrand> => {
  const { earlierSignals } = context.facts.plan
  return Effect.tap(
    createBrand(
      context,
      {
        consumers,
        signals: signalsPerBrand,
        isLimited: true,
        isCalm: true,
        ...(earlierSignals === undefined || index > 0 ? {} : { earlierSignals })
      },
      index,
      String(index)
    ),
    (brand) => context.facts.brands.push(brand)
  )
}
