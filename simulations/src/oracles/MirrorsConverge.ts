import type { Oracle } from "./Oracle.ts"

/** What a syncing client has is what there is, and what there is is whom the people are. [TIME-5, SORT-5, PAGE-3] */
export const mirrorsConverge: Oracle = {
  name: "mirrors converge",
  conclude: ({ clients, ledger, truth }) => {
    for (const { brandId, mirror } of clients) {
      const there = truth.get(brandId) ?? []
      if (new Set(there.map(({ id }) => id)).size !== there.length)
        return `brand ${brandId} listed a lead twice`
      const people = new Set(
        [...ledger.sent.values()]
          .filter((each) => each.brandId === brandId && !ledger.erased.has(each.person))
          .map(({ person }) => person)
      )
      if (there.length !== people.size) {
        return `brand ${brandId} has ${there.length} leads of ${people.size} people`
      }
      for (const lead of there) {
        if (JSON.stringify(mirror.get(lead.id)) !== JSON.stringify(lead)) {
          return `the client of brand ${brandId} has an old lead ${lead.id}, or none`
        }
      }
      // A list does not tell of the erased: a client that keeps copies has to ask for them one by one.
      const kept = [...mirror.values()].filter(({ extId }) => !ledger.erased.has(extId))
      if (kept.length !== there.length) return `the client of brand ${brandId} has leads that are not there`
    }
    return null
  }
}
