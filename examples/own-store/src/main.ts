/** A service over a store of one's own: started again, it still knows whom it has seen. */
import { createLeadSignals } from "@lead-signals/embedded"
import * as OwnStore from "./OwnStore.ts"

const file = process.argv[2] ?? "leads.jsonl"
const person = process.argv[3] ?? "Ada Example"

const leadSignals = await createLeadSignals({ store: OwnStore.layer(file) })
const [brand = await leadSignals.createBrand("Mine")] = await leadSignals.brands()
const signal = await leadSignals.createSignal(brand.id, {
  name: "Launch",
  signalType: "post",
  source: { type: "post-url", value: "https://network.example/p/1" }
})
const [outcome] = await leadSignals.observe(brand.id, [
  { signalId: signal.id, person: { extId: person, name: person }, engagement: { id: `${person} liked it` } }
])
const { data } = await leadSignals.list(brand.id, { sort: "name:asc" })
console.log(`${person}: ${outcome!.outcome}; in ${file}: ${data.map(({ name }) => name).join(", ")}`)
await leadSignals.close()
