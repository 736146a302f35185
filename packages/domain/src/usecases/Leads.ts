/** Reads of leads, and the operator's calls on one lead: amend, export, erase. Each call reaches one brand alone. [AUTH-3] */
import { Effect, Option } from "effect"
import * as Suppression from "../credentials/Suppression.ts"
import * as Amendments from "../decisions/Amendments.ts"
import type { Brand, BrandId } from "../model/Brand.ts"
import { NotFound, type StoreUnavailable } from "../model/Failure.ts"
import type { Lead, LeadAmendment, LeadId } from "../model/Lead.ts"
import { type LeadPage, LeadStore, type RenderedPage } from "../ports/LeadStore.ts"
import type { EngagementDepth, LeadQuery } from "../queries/LeadQuery.ts"
import * as RenderedLeads from "../views/RenderedLeads.ts"
import * as Brands from "./Brands.ts"
import { orNotFound } from "./Found.ts"
import { freshDeliveryIds } from "./FreshIds.ts"

/**
 * Answers one page of the brand's leads. A page past the end is empty, and a brand that does not exist has no leads.
 * Fails with `StoreUnavailable`. [LIST-1, PAGE-3, AUTH-3]
 */
export const list = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<LeadPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) => store.list(brandId, query))

/** As `list`, with each lead as JSON text. A store that keeps rendered JSON answers without rendering it again. */
export const listRendered = (
  brandId: BrandId,
  query: LeadQuery
): Effect.Effect<RenderedPage, StoreUnavailable, LeadStore> =>
  Effect.flatMap(LeadStore, (store) =>
    store.listRendered === undefined
      ? Effect.map(store.list(brandId, query), (page) => RenderedLeads.ofPage(page, query.engagements))
      : store.listRendered(brandId, query)
  )

/**
 * Answers the lead as JSON text, always with its newest engagements, at most 20. Fails with `NotFound` when the id is
 * unknown, erased or another brand's, and with `StoreUnavailable`. [DET-1, DET-3]
 */
export const getRendered = (brandId: BrandId, id: LeadId, engagements: EngagementDepth) =>
  Effect.flatMap(LeadStore, (store) => {
    const found =
      store.getRendered === undefined
        ? Effect.map(
            store.get(brandId, id, engagements),
            Option.map((read) => RenderedLeads.ofLead(read, engagements))
          )
        : store.getRendered(brandId, id, engagements)
    return Effect.flatMap(found, (lead) => orNotFound(lead, "lead"))
  })

/**
 * Sets the flags and the score that `amendment` names, and answers the lead. `updatedAt` moves only when something
 * changed. Fails with `NotFound` when the brand is gone or has no such lead, and with `StoreUnavailable`.
 */
export const amend = (brandId: BrandId, id: LeadId, amendment: LeadAmendment) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    yield* Brands.get(brandId)
    const change = (lead: Lead, now: number): Lead => Amendments.amend(lead, amendment, now)
    return yield* orNotFound(yield* store.update(brandId, id, change), "lead")
  })

/**
 * Answers everything that the store holds about a person, as an answer to the person's own request: the lead, all its
 * engagements, newest first, and the person's posts that other leads engaged with. Fails with `NotFound` when the brand is gone or has no such lead,
 * and with `StoreUnavailable`.
 */
export const exportData = (brandId: BrandId, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    yield* Brands.get(brandId)
    return yield* orNotFound(yield* store.exportData(brandId, id), "lead")
  })

/**
 * Erases the person. A hash under the brand's secret remains, by which later observations of the person are suppressed.
 * Fails with `NotFound` when the brand has no such lead, also on a second call, and with
 * `StoreUnavailable`. [PII-3]
 */
export const erase = ({ id: brandId, suppressionSecret }: Brand, id: LeadId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const { lead } = yield* orNotFound(yield* store.get(brandId, id, "none"), "lead")
    const personHash = Suppression.hash(suppressionSecret, lead.extId)
    if (!(yield* store.erase(brandId, id, personHash, yield* freshDeliveryIds))) {
      return yield* new NotFound({ resource: "lead" })
    }
  })
