/** Encoded bodies, cached with the pages that they render. */
import { leadListJson, type LeadQuery, Parameters, type RenderedPage } from "@lead-signals/domain"
import { warningsOf } from "@lead-signals/http"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EncodedBodyCache } from "@lead-signals/http/internal"

const query: fc.Arbitrary<LeadQuery> = fc.record({
  filter: fc.constantFrom({}, { qualified: true }),
  sort: fc.record({
    field: fc.constantFrom("createdAt" as const, "name" as const),
    direction: fc.constantFrom("asc" as const, "desc" as const)
  }),
  page: fc.record({ page: fc.constantFrom(1, 2), pageSize: fc.constantFrom(1, 25) }),
  engagements: fc.constantFrom("none" as const, "plain" as const, "detailed" as const),
  ignored: fc.constantFrom(Parameters.noneIgnored, { names: ["qualifed"], accepted: ["qualified"] })
})

const page = (name: string): RenderedPage => ({ total: 1, leads: [JSON.stringify({ id: 1, name })] })

describe("the body of a page", () => {
  it("says what its query and its page say, whichever was requested before with the same page [LIST-1, PAGE-1, SORT-4, LIST-10]", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(query, fc.constantFrom(0, 1)), { minLength: 1 }), (requested) => {
        const pages = [page("Zoë"), page("𝒳 ada")]
        const cache = new EncodedBodyCache()
        for (const [each, n] of requested) {
          const body = new TextDecoder().decode(cache.bodyOf(each, pages[n]!))
          expect(body).toBe(leadListJson(each, pages[n]!, warningsOf(each.ignored)))
        }
      })
    ))

  it("is encoded once for the same query of the same page", () => {
    const cache = new EncodedBodyCache()
    const [one, other] = [page("a"), page("a")]
    const [sampled] = fc.sample(query, 1)
    const body = cache.bodyOf(sampled!, one)
    expect(cache.bodyOf({ ...sampled!, filter: { exported: true } }, one)).toBe(body)
    expect(cache.bodyOf(sampled!, other)).not.toBe(body)
  })
})
