import { type Json, type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { followsFeed } from "../actors/SyncClient.ts"
import type { Oracle } from "./Oracle.ts"

/** How far a client looks back before the newest change that it has seen. */
const replayMillis = 120_000
const slackMillis = 1000

/**
 * What a syncing client has is what there is. A client that follows the feed of changes has all of it, and nothing that is gone. [CHG-1, CHG-3]
 * To one that syncs by time a change that was stamped more than two minutes before another that was there already
 * can be hidden from it, when the clock was set back or the clocks of processes differ: of such leads its copy is compared after a full sync. [TIME-5, SORT-5, PAGE-3]
 */
export const mirrorsConverge: Oracle = {
  name: "mirrors converge",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each lead of a client's copy")
    /** Leads whose change may be hidden, by brand; and the greatest updatedAt that there was. */
    const hidden = new Map<string, Set<number>>()
    const max = new Map<string, number>()

    const wrongCopy = (
      brand: KnownBrand,
      mirror: ReadonlyMap<number, Json>,
      there: ReadonlyArray<Json>,
      hiddenLeads: ReadonlySet<number>
    ): string | null => {
      const { id: brandId, index } = brand
      for (const lead of there) {
        // From the feed of changes nothing hides, whatever the clocks say. [CHG-1]
        if (hiddenLeads.has(lead.id) && !followsFeed(brand)) continue
        rule.judged++
        if (JSON.stringify(mirror.get(lead.id)) !== JSON.stringify(lead))
          return `the client of brand ${index} has an old lead ${lead.id}, or none`
      }
      // A list does not name the erased: a client that keeps copies has to ask for them one by one.
      const ids = new Set(there.map(({ id }) => id))
      for (const [id, { extId }] of mirror)
        if (
          !ids.has(id) &&
          // The feed of changes names them. [CHG-3]
          (followsFeed(brand) ||
            (!facts.prunedLeads.has(id) && !facts.erased.has(personOf({ id: brandId }, extId))))
        )
          return `the client of brand ${index} has lead ${id}, which is not there`
      return null
    }

    return {
      stored: ({ answer, args, method, serviceNow }) => {
        if (method !== "leads.commit" && method !== "leads.update" && method !== "leads.erase") return null
        const brand = facts.brandOf(args[0])
        if (brand === undefined) return null
        const before = max.get(brand.id) ?? 0
        max.set(brand.id, Math.max(before, serviceNow))
        if (serviceNow >= before - replayMillis + slackMillis) return null
        const known = hidden.get(brand.id) ?? new Set<number>()
        hidden.set(brand.id, known)
        if (method === "leads.update") known.add(args[1])
        else if (method === "leads.commit") for (const { leadId } of answer) known.add(leadId)
        else for (const { id } of brand.reference.rows) known.add(id)
        return null
      },
      conclude: () => {
        for (const brand of facts.brands) {
          const there = facts.finalLists.get(`${brand.id} createdAt:asc`)
          if (there === undefined || brand.mirror.size === 0) continue
          const before = facts.mirrorsBeforeFullSync.get(brand.id)
          const wrong =
            (before === undefined
              ? null
              : wrongCopy(brand, before, there, hidden.get(brand.id) ?? new Set())) ??
            wrongCopy(brand, brand.mirror, there, new Set())
          if (wrong !== null) return wrong
        }
        return null
      }
    }
  }
}
