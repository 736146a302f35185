import { type Json, type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { followsFeed, hasSynced } from "../actors/SyncClient.ts"
import type { Oracle } from "./Oracle.ts"

type Change = KnownBrand["reference"]["changes"][number]

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

    const seen = new WeakSet<Change>()

    /** The leads that have changed since this was last asked. */
    const changedLeads = ({ reference: { changes } }: KnownBrand): ReadonlyArray<number> => {
      const last = changes.findLastIndex((change) => seen.has(change))
      const changed = changes.slice(last + 1)
      for (const change of changed) seen.add(change)
      return changed.map(({ id }) => id)
    }

    const wrongCopy = (
      brand: KnownBrand,
      mirror: ReadonlyMap<number, Json>,
      there: ReadonlyArray<Json>,
      hiddenLeads: ReadonlySet<number>
    ): string | null => {
      const { id: brandId, index } = brand
      for (const lead of there) {
        const isRight = JSON.stringify(mirror.get(lead.id)) === JSON.stringify(lead)
        // From the feed of changes nothing hides, whatever the clocks say. [CHG-1]
        if (!isRight && hiddenLeads.has(lead.id) && !followsFeed(brand)) {
          rule.weaken("a clock that was set back or differs hid its change until a full sync")
          continue
        }
        rule.judged++
        if (!isRight) return `the client of brand ${index} has an old lead ${lead.id}, or none`
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
      stored: ({ args, method, serviceNow }) => {
        if (method !== "leads.commit" && method !== "leads.update" && method !== "leads.erase") return null
        const brand = facts.brandOf(args[0])
        if (brand === undefined) return null
        const before = max.get(brand.id) ?? 0
        max.set(brand.id, Math.max(before, serviceNow))
        const known = hidden.get(brand.id) ?? new Set<number>()
        hidden.set(brand.id, known)
        // A later change shows what an earlier one hid.
        const isHidden = serviceNow < before - replayMillis + slackMillis
        for (const id of changedLeads(brand))
          if (isHidden) known.add(id)
          else known.delete(id)
        return null
      },
      conclude: () => {
        for (const brand of facts.brands) {
          const there = facts.finalLists.get(`${brand.id} createdAt:asc`)
          if (there === undefined || !hasSynced(brand)) continue
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
