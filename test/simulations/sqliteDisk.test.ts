/** What runs over SQLite have beside the store of a server: its memory is looked at, and some have it over a host's client. */
import { scenarioNamed, simulate } from "@lead-signals/simulations"
import { DriverConnection, TrigramPostings } from "@lead-signals/store-sqlite/internal"
import { afterEach, expect, it, vi } from "vitest"

afterEach(() => {
  vi.restoreAllMocks()
})

it("a run finds postings of an erased person that stay in memory [PII-3]", () => {
  const reads = scenarioNamed("reads")!
  vi.spyOn(TrigramPostings.prototype, "remove").mockImplementation(() => {})
  expect(simulate(reads, 11, { hours: 0.1, store: "sqlite" }).violation).toMatchObject({
    oracle: "erased leave memory",
    message: "the postings of a lead that is gone are still in the memory of searches"
  })
})

it("one seed of eight runs over a host's client, whose tables have a prefix, with the digest of the others", () => {
  const texts = vi.spyOn(DriverConnection.prototype, "all")
  const [memory, sqlite] = (["memory", "sqlite"] as const).map((store) =>
    simulate(scenarioNamed("reads")!, 7, { hours: 0.02, store })
  )
  expect(sqlite!.digest).toBe(memory!.digest)
  expect(texts.mock.calls.some(([text]) => text.includes("of_host_lead"))).toBe(true)
})
