/** Rendered JSON in a file whose leads were written with another version of the view. */
import {
  Brands,
  LeadQueries,
  Leads,
  leadViewVersion,
  recordObservations,
  RenderedLeads,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

it("renders from the columns what another version of the view kept, on lists and details [LIST-8, DET-1]", async () => {
  const filename = join(temporaryFolder(), "versions.sqlite")
  const read = (brandId: string, id: number) =>
    Effect.gen(function* () {
      const query = yield* LeadQueries.readList([["includeEngagements", "true"]])
      return [yield* Leads.listRendered(brandId, query), yield* Leads.getRendered(brandId, id, "plain")]
    })
  await Effect.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const seen = ["a", "b"].map((extId) => ({
        signalId: signal.id,
        person: { extId, name: `Person ${extId}` },
        engagement: { id: extId }
      }))
      const [, second] = yield* recordObservations(brand, seen)
      const before = yield* read(brand.id, second!.leadId!)
      const raw = new Database(filename)
      raw
        .prepare("UPDATE lead SET shown = ? WHERE id = ?")
        .run(RenderedLeads.keptForm(leadViewVersion + 1).keep('{"id":0,"other":1}'), second!.leadId)
      raw.close()
      // Reads of one tick share a snapshot.
      yield* Effect.sleep("1 millis")
      expect(yield* read(brand.id, second!.leadId!)).toEqual(before)
    }).pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename }), webCrypto)))
  )
})
