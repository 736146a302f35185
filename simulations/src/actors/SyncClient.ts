/**
 * A client that keeps a copy of a brand's leads: it asks for what was updated since the last time, from a little before
 * that, and takes each lead once. What it ends with must be what there is.
 */
import { Effect } from "effect"
import type { StagedBrand } from "../world/Ledger.ts"
import type { Query } from "../oracles/ReferenceModel.ts"
import { type Caller, type Stage, succeeding } from "./Stage.ts"

const replayMillis = 120_000
const pageSize = 25

/**
 * Takes over what has changed since the last time. Where leads moved between its pages one may have slipped by: then the
 * client begins from where it was, the next time.
 */
export const sync = (stage: Stage, caller: Caller, brand: StagedBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger } = stage
    const since = brand.syncedUntil === null ? null : brand.syncedUntil - replayMillis
    const seen = new Set<number>()
    let until = brand.syncedUntil
    for (let page = 1; ; page++) {
      const query: Query = {
        filter: since === null ? {} : { updatedAfter: since },
        field: "updatedAt",
        direction: "asc",
        page,
        pageSize,
        engagements: "none"
      }
      const text = since === null ? "" : `&updatedAfter=${new Date(since).toISOString()}`
      const { data, meta } = yield* succeeding(
        stage,
        { ...caller, label: `${caller.label} page ${page}` },
        {
          route: "/signals/leads",
          query: `sort=updatedAt:asc&pageSize=${pageSize}&page=${page}${text}`,
          brand,
          key: brand.key,
          meaning: { means: "list", query }
        }
      )
      for (const lead of data) {
        seen.add(lead.id)
        // An answer that was under way may be older than one that overtook it.
        if ((brand.mirror.get(lead.id)?.updatedAt ?? "") > lead.updatedAt) continue
        brand.mirror.set(lead.id, lead)
        brand.leadIds.set(lead.extId, lead.id)
        until = Math.max(until ?? 0, Date.parse(lead.updatedAt))
      }
      if (page > 1) ledger.marks.add("a sync took several pages")
      if (page < meta.pagination.pageCount) continue
      if (seen.size >= meta.pagination.total) brand.syncedUntil = until
      else ledger.marks.add("a lead slipped by a client that pages")
      return
    }
  })
