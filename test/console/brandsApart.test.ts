/** What the console's cache keeps of several brands, and what an import does with a line that is too long. */
import { afterAll, describe, expect, it, vi } from "vitest"

// The console is no library: it is compiled apart, for a browser.
vi.stubGlobal("location", { origin: "http://console.example" })
/** How many observations each request had; all are recorded. */
const sent: Array<number> = []
vi.stubGlobal("fetch", async (request: Request) => {
  const { observations } = await request.json()
  sent.push(observations.length)
  return Response.json({ data: observations.map(() => ({ outcome: "recorded" })) })
})
afterAll(() => void vi.unstubAllGlobals())
const module = (path: string) => new URL(`../../packages/console/src/${path}`, import.meta.url).href
const queries = await import(module("api/queries.ts"))
const { filterOf } = await import(module("leads/leadSearch.ts"))
const { sendBatch } = await import(module("import/sendObservations.ts"))

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

  it("rejects a line that no request can hold, and sends the others [OBS-1]", async () => {
    const { signal } = new AbortController()
    const line = (number: number, name: string) => ({ number, cells: [], text: JSON.stringify({ name }) })
    const result = await sendBatch("1", [line(1, "a"), line(2, "é".repeat(600_000)), line(3, "b")], signal)
    expect(sent).toEqual([2])
    expect(result).toMatchObject({ recorded: 2, rejected: [{ number: 2 }] })
    expect(result.rejected[0].message).toContain("more than 1 MiB")
    expect((await sendBatch("1", [line(4, "x".repeat(1_048_000))], signal)).recorded).toBe(1)
  })
})
