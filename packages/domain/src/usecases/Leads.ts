/** What is read of leads, and what an operator does with one: amends, exports, erases it. Each is of one brand only. [AUTH-3] */
import { Effect, Option } from "effect"
import * as Suppression from "../credentials/Suppression.ts"
import * as Amendments from "../decisions/Amendments.ts"
import type { Brand, BrandId } from "../model/Brand.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import type { Lead, LeadAmendment, LeadId } from "../model/Lead.ts"
import { type LeadPage, LeadStore, type RenderedPage } from "../ports/LeadStore.ts"
import type { LeadQuery } from "../queries/LeadQuery.ts"
import * as RenderedLeads from "../views/RenderedLeads.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"
import { freshDeliveryIds } from "./FreshIds.ts"

export const list = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<LeadPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) => store.list(brandId, query))

/** The same, as JSON. */
export const listRendered = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<RenderedPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) =>
    store.listRendered === undefined
      ? Effect.map(store.list(brandId, query), (page) => RenderedLeads.ofPage(page, query.engagements))
      : store.listRendered(brandId, query)
  )

/** In JSON, with the engagement window, always. [DET-1] */
export const getRendered = (brandId: BrandId, id: LeadId, withDetail: boolean) =>
  Effect.flatMap(LeadStore, (store) => {
    const engagements = withDetail ? "detailed" : "plain"
    const found =
      store.getRendered === undefined
        ? Effect.map(
            store.get(brandId, id, engagements),
            Option.map((read) => RenderedLeads.ofLead(read, engagements))
          )
        : store.getRendered(brandId, id, engagements)
    return Effect.flatMap(found, (lead) => orNotFound(lead, "lead"))
  })

export const amend = (brandId: BrandId, id: LeadId, amendment: LeadAmendment) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    yield* Brands.get(brandId)
    const change = (lead: Lead, now: number): Lead => Amendments.amend(lead, amendment, now)
    return yield* orNotFound(yield* store.update(brandId, id, change), "lead")
  })

/** Everything held about a person, for a request of theirs. */
export const exportData = (brandId: BrandId, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* store.exportData(brandId, id), "lead")
  })

/** Removes the person; only a keyed hash stays. [PII-3] */
export const erase = ({ id: brandId, suppressionSecret }: Brand, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const { lead } = yield* orNotFound(yield* store.get(brandId, id, "none"), "lead")
    const personHash = Suppression.hash(suppressionSecret, lead.extId)
    if (!(yield* store.erase(brandId, id, personHash, yield* freshDeliveryIds))) {
      return yield* new NotFound({ resource: "lead" })
    }
  })
