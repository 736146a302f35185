/** What the contract can't see: the file itself. */
import { createLeadSignals } from "@lead-signals/embedded"
import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import * as OwnStore from "./OwnStore.ts"

const open = (file: string) => createLeadSignals({ store: OwnStore.layer(file) })

/** A new file with one brand and two people. */
const filled = async () => {
  const file = join(mkdtempSync(join(tmpdir(), "own-store-")), "leads.jsonl")
  const service = await open(file)
  const { id } = await service.createBrand("Mine")
  const source = { type: "post-url" as const, value: "https://network.example/p/1" }
  const signal = await service.createSignal(id, { name: "Launch", signalType: "post", source })
  const seen = (extId: string, name: string) => ({
    signalId: signal.id,
    person: { extId, name },
    engagement: { id: extId }
  })
  const outcomes = await service.observe(id, [seen("p-1", "Ada"), seen("p-2", "Bo")])
  return { file, service, brandId: id, leadIds: outcomes.map(({ leadId }) => leadId!), seen }
}

const names = async (service: Awaited<ReturnType<typeof open>>, brandId: string) =>
  (await service.list(brandId, { sort: "name:asc" })).data.map(({ name }) => name)

it("holds nothing of a person who was erased", async () => {
  const { brandId, file, leadIds, service } = await filled()
  assert.match(readFileSync(file, "utf8"), /Ada/)
  await service.erase(brandId, leadIds[0]!)
  assert.doesNotMatch(readFileSync(file, "utf8"), /Ada|p-1/)
  assert.deepEqual(await names(service, brandId), ["Bo"])
  await service.close()
})

it("is read up to the line that a killed process was writing, and written on from there", async () => {
  const { brandId, file, seen, service } = await filled()
  await service.close()
  appendFileSync(file, '[["leads of 1","3",{"id":3')
  const again = await open(file)
  await again.observe(brandId, [seen("p-3", "Cy")])
  await again.close()
  const last = await open(file)
  assert.deepEqual(await names(last, brandId), ["Ada", "Bo", "Cy"])
  await last.close()
})
