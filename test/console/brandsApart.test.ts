/** What the console's cache keeps of several brands, and how it reads filters of a link. */
import { afterAll, describe, expect, it, vi } from "vitest"

// The console is no library: it is compiled apart, for a browser.
vi.stubGlobal("location", { origin: "http://console.example" })
afterAll(() => void vi.unstubAllGlobals())
const module = (path: string) => new URL(`../../packages/console/src/${path}`, import.meta.url).href
const queries = await import(module("api/queries.ts"))
const { filterOf } = await import(module("leads/leadSearch.ts"))

describe("the console", () => {
  it("takes no page of an export for that of another brand [AUTH-3]", () => {
    const { signal } = new AbortController()
    const keyOf = (brandId: string) =>
      queries.exportedLeadsQuery("operator", brandId, { sort: "createdAt:asc" }, signal).queryKey
    expect(keyOf("1")).not.toEqual(keyOf("2"))
  })

  it("takes a window of time that a link names and nobody has for none", () => {
    expect(filterOf({ created: "constructor", qualified: "true" })).toEqual({ qualified: "true" })
    expect(filterOf({ created: "7d" }, Date.parse("2026-01-08T00:00:30Z"))).toEqual({
      createdAfter: "2026-01-01T00:00:00.000Z"
    })
  })
})
