/** A brand of the service behind promises, with leads. */
import { createLeadSignals, type EmbeddedOptions, type LeadSignals } from "@lead-signals/embedded"
import * as MemoryStore from "@lead-signals/store-memory"
import { expect } from "vitest"

export const signal = {
  name: "Launch",
  signalType: "post",
  source: { type: "post-url" as const, value: "https://network.example/p/1" }
}

export const seen = (n: number, signalId = "1") => ({
  signalId,
  person: { extId: `p-${n}`, name: `Person ${n}`, headline: n % 2 === 0 ? "Buyer" : "Maker" },
  engagement: {
    id: `e-${n}`,
    type: "comment" as const,
    commentText: "Nice!",
    trackedAt: "2026-03-01T10:00:00Z"
  }
})

/** A service whose only brand has `count` leads; in memory unless `store` is given. */
export const withLeads = async (
  count: number,
  store: EmbeddedOptions["store"] = MemoryStore.layer
): Promise<{
  readonly brand: Awaited<ReturnType<LeadSignals["createBrand"]>>
  readonly service: LeadSignals
}> => {
  const service = await createLeadSignals({ store })
  const brand = await service.createBrand("Mine")
  await service.createSignal(brand.id, signal)
  const observations = Array.from({ length: count }, (_, i) => seen(i + 1))
  const outcomes = await service.observe(brand.id, observations)
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["recorded"]))
  return { brand, service }
}
