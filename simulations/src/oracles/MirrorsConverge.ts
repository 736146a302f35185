import type { Oracle } from "./Oracle.ts"

/** How far a sync looks back, less the time that a commit takes. */
const replayMillis = 100_000

/**
 * What a syncing client has is what there is. A clock that is set back by more than the client looks back can hide a
 * change from it. [TIME-5, SORT-5, PAGE-3]
 */
export const mirrorsConverge: Oracle = {
  name: "mirrors converge",
  instantiate: (facts) => ({
    conclude: () => {
      const { least, most } = facts.clockErrors
      if (facts.coverageMarks.has("the clock jumped") || most - least > replayMillis) return null
      for (const { id, index, mirror } of facts.brands) {
        const there = facts.finalLists.get(`${id} createdAt:asc`)
        if (there === undefined || mirror.size === 0) continue
        for (const lead of there) {
          if (JSON.stringify(mirror.get(lead.id)) !== JSON.stringify(lead)) {
            return `the client of brand ${index} has an old lead ${lead.id}, or none`
          }
        }
        // A list does not name the erased: a client that keeps copies has to ask for them one by one.
        const kept = [...mirror.values()].filter(({ extId }) => !facts.erased.has(extId))
        if (kept.length !== there.length) return `the client of brand ${index} has leads that are not there`
      }
      return null
    }
  })
}
