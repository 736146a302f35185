/** What the memory stores share: all that is kept, and the counters that ids come from. */
import type { ApiKey, Brand, Campaign, PositionedEvent, PostTotals, Signal } from "@lead-signals/domain"
import { Context, Layer } from "effect"
import { BrandLeads } from "./BrandLeads.ts"

export class MemoryState extends Context.Tag("@lead-signals/store-memory/MemoryState")<
  MemoryState,
  {
    readonly brands: Map<string, Brand>
    readonly keys: Map<string, ApiKey>
    readonly keyIdsByHash: Map<string, string>
    readonly signals: Map<string, Signal>
    readonly campaigns: Map<string, Campaign>
    /** Campaign, post, day. */
    readonly readings: Map<string, Map<string, Map<string, PostTotals>>>
    readonly events: Array<PositionedEvent>
    readonly leadsOf: (brandId: string) => BrandLeads
    /** The next number of a sequence, from 1. */
    readonly next: (sequence: string) => number
  }
>() {
  static readonly layer = Layer.sync(MemoryState, () => {
    const leads = new Map<string, BrandLeads>()
    const sequences = new Map<string, number>()
    return MemoryState.of({
      brands: new Map(),
      keys: new Map(),
      keyIdsByHash: new Map(),
      signals: new Map(),
      campaigns: new Map(),
      readings: new Map(),
      events: [],
      leadsOf: (brandId) => {
        const existing = leads.get(brandId) ?? new BrandLeads()
        leads.set(brandId, existing)
        return existing
      },
      next: (sequence) => {
        const number = (sequences.get(sequence) ?? 0) + 1
        sequences.set(sequence, number)
        return number
      }
    })
  })
}
