/**
 * Measures one heap, in a process of its own with --expose-gc: of leads with eight engagements each, as plain data the
 * way JSON.parse gives it, or in the memory store. Reports bytes a lead, and how long the store's deep pages take.
 */
import { Parameters, Brands, type LeadQuery, Leads, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer, ManagedRuntime } from "effect"
import { newObservation } from "./NewObservation.ts"
import { median } from "./Statistics.ts"

const engagementsPerLead = 8

const [kind, countText] = process.argv.slice(2)
const leads = Number(countText)

const observationsOf = (lead: number, signalId: string) => {
  const { engagement, person } = newObservation(lead, signalId)
  return Array.from({ length: engagementsPerLead }, (_, i) => ({
    signalId,
    person,
    engagement: { ...engagement, id: `${engagement.id}-${i}` }
  }))
}

const fresh = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

const heap = (): number => {
  for (let i = 0; i < 4; i++) globalThis.gc!()
  return process.memoryUsage().heapUsed
}

const pageMillis = async (run: (query: LeadQuery) => Promise<unknown>, page: number): Promise<number> => {
  const query: LeadQuery = {
    filter: {},
    sort: { field: "createdAt", direction: "desc" },
    page: { page, pageSize: 25 },
    engagements: "none",
    ignored: Parameters.noneIgnored
  }
  await run(query)
  const millis: Array<number> = []
  for (let i = 0; i < 50; i++) {
    const startedAt = performance.now()
    await run(query)
    millis.push(performance.now() - startedAt)
  }
  return median(millis)
}

if (kind === "plain") {
  const before = heap()
  const kept = Array.from({ length: leads }, (_, lead) => {
    const all = fresh(observationsOf(lead, "1"))
    return { person: all[0]!.person, engagements: all.map(({ engagement }) => engagement) }
  })
  const bytesPerLead = (heap() - before) / kept.length
  process.send!({ bytesPerLead })
} else {
  const runtime = ManagedRuntime.make(Layer.merge(MemoryStore.layer, webCrypto))
  const brand = await runtime.runPromise(Brands.create("Brand"))
  const signal = await runtime.runPromise(
    Signals.create(brand.id, {
      name: "Launch",
      signalType: "post",
      source: { type: "post-url", value: "https://network.example/p/1", liCompanyId: null, company: null }
    })
  )
  const before = heap()
  for (let lead = 0; lead < leads; lead++) {
    await runtime.runPromise(Effect.asVoid(recordObservations(brand, fresh(observationsOf(lead, signal.id)))))
  }
  const run = (query: LeadQuery) => runtime.runPromise(Leads.list(brand.id, query))
  const firstPageMillis = await pageMillis(run, 1)
  const lastPageMillis = await pageMillis(run, Math.ceil(leads / 25))
  const bytesPerLead = (heap() - before) / leads
  process.send!({ bytesPerLead, firstPageMillis, lastPageMillis })
  await runtime.dispose()
}
process.disconnect()
