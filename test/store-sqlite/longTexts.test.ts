/** Texts that were stored before there were bounds for them: longer than any that is let in now. */
import {
  Brands,
  Leads,
  LeadStore,
  Observation,
  Observations,
  recordObservations,
  Signals,
  SortOrder
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const sort = Either.getOrThrow(SortOrder.parse("name:asc"))

const observation = (signalId: string, id: string, headline: string): Observation => {
  const { engagement, person } = Schema.decodeSync(Observation)({
    signalId,
    person: { extId: "p-1", name: "Ada" },
    engagement: { id, trackedAt: "1970-01-01T00:00:00.000Z" }
  })
  return { signalId, person: { ...person, headline }, engagement }
}

describe("a text that is longer than any that is let in", () => {
  it.each([
    ["plain letters", "x".repeat(100_000)],
    ["marks without end", `marked ${"\u0315\u0300".repeat(50_000)}`]
  ])("is read, found, changed and erased as any other: %s [LIST-4, PII-3]", async (_, headline) => {
    const filename = join(temporaryFolder(), "long.sqlite")
    await Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const brand = yield* Brands.create("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        // Past the schema, as an earlier version let it in.
        const [committed] = yield* store.commit(
          brand.id,
          [
            {
              personExtId: "p-1",
              personHash: () => "h",
              authorHash: null,
              engagementId: "e-1",
              signalId: signal.id,
              decide: (known, now) =>
                Observations.observe(brand.id, observation(signal.id, "e-1", headline), known, now)
            }
          ],
          () => "wh_0"
        )
        const id = committed!.leadId!
        const found = (search: string) =>
          Effect.map(
            store.list(brand.id, {
              filter: { search },
              sort,
              page: { page: 1, pageSize: 10 },
              engagements: "none"
            }),
            ({ leads }) => leads.map(({ lead }) => lead.profile.headline)
          )
        expect(Option.getOrThrow(yield* store.get(brand.id, id, "none")).lead.profile.headline).toBe(headline)
        expect(yield* found(headline.slice(0, 6))).toEqual([headline])
        yield* recordObservations(brand, [
          {
            signalId: signal.id,
            person: { extId: "p-1", name: "Ada", headline: "Short" },
            engagement: { id: "e-2" }
          }
        ])
        expect([yield* found(headline.slice(0, 6)), yield* found("short")]).toEqual([[], ["Short"]])
        yield* Leads.erase(brand, id)
        expect(yield* found("short")).toEqual([])
      }).pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)))
    )
    expect((await Effect.runPromise(SqliteStore.check(filename))).problems).toEqual([])
  })
})
