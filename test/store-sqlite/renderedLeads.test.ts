/** Rendered leads are reused while nothing is written, which changes the speed only, and nothing of an erased lead stays. */
import {
  type Brand,
  Brands,
  LeadQueries,
  Leads,
  LeadStore,
  recordObservations,
  RenderedLeads,
  type RenderedPage,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"
import fc from "fast-check"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { VersionedCache } from "@lead-signals/store-sqlite/internal"
import { isThorough } from "../harness/Thoroughness.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

const newFile = filesIn(temporaryFolder(), "rendered")

const open = (filename: string) =>
  ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
type Process = ReturnType<typeof open>

const queries = [
  [],
  [["includeEngagements", "true"]],
  [
    ["includeEngagements", "true"],
    ["includeEngagementDetail", "true"]
  ],
  [
    ["sort", "name:asc"],
    ["pageSize", "2"],
    ["page", "2"]
  ],
  [["qualified", "true"]],
  [["search", "p1"]]
].map((parameters) => Either.getOrThrow(LeadQueries.readList(parameters as Array<[string, string]>)))

/** As the store shows everything, and as it is when it is made of what the store reads. */
const everything = (brandId: string, ids: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const rendered: Array<RenderedPage> = []
    const made: Array<RenderedPage> = []
    for (const query of queries) {
      rendered.push(yield* store.listRendered!(brandId, query))
      made.push(RenderedLeads.ofPage(yield* store.list(brandId, query), query.engagements))
    }
    const details: Array<string | null> = []
    for (const id of ids) {
      for (const depth of ["plain", "detailed"] as const) {
        details.push(Option.getOrNull(yield* store.getRendered!(brandId, id, depth)))
      }
    }
    return { rendered, made, details }
  })

/** A brand with a signal, in a file of its own. */
const setUp = async (process: Process): Promise<{ brand: Brand; signalId: string }> =>
  process.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      return { brand, signalId: signal.id }
    })
  )

const observed = (brand: Brand, signalId: string, person: string, author: string, id: string) =>
  Effect.map(
    recordObservations(brand, [
      {
        signalId,
        person: { extId: person, name: person },
        engagement: {
          id,
          type: "comment",
          commentText: `by ${person}`,
          postUrl: "https://network.example/1",
          postAuthor: author,
          postAuthorDetail: { extId: author, name: author }
        }
      }
    ]),
    ([outcome]) => outcome!.leadId
  )

const persons = ["p1", "p2", "p3"]
const person = fc.constantFrom(...persons)
const change = fc.oneof(
  fc.record({ does: fc.constant("observe" as const), person, author: person }),
  fc.record({ does: fc.constant("amend" as const), lead: fc.nat(), qualified: fc.boolean() }),
  fc.record({ does: fc.constant("erase" as const), lead: fc.nat() }),
  // As an edit of the file by hand would.
  fc.record({ does: fc.constant("edit" as const), lead: fc.nat(), text: fc.constantFrom("one", "other") })
)

describe("rendered leads", () => {
  it("are reused only while they are true, whichever process writes, or hand [EVT-2, PII-3, PAGE-3]", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), change), { minLength: 1, maxLength: 8 }),
        async (history) => {
          const filename = emptyStoreFile()
          const processes = [open(filename), open(filename)] as const
          const { brand, signalId } = await setUp(processes[0])
          const hand = new Database(filename)
          const ids: Array<number> = []
          const check = async () => {
            // Reads of one tick share a snapshot, which misses commits of other processes for two milliseconds at most.
            await sleep(5)
            const [one, other] = await Promise.all(
              processes.map((process) => process.runPromise(everything(brand.id, ids)))
            )
            expect(one!.rendered).toEqual(one!.made)
            expect(other).toEqual(one)
            return one!
          }
          await check()
          for (const [i, [isFirst, step]] of history.entries()) {
            const run = processes[isFirst ? 0 : 1].runPromise
            if (step.does === "observe") {
              const id = await run(observed(brand, signalId, step.person, step.author, `e${i}`))
              if (id !== null && !ids.includes(id)) ids.push(id)
            } else if (ids.length > 0) {
              const id = ids[step.lead % ids.length]!
              if (step.does === "erase") await run(Effect.either(Leads.erase(brand, id)))
              if (step.does === "amend") {
                await run(Effect.either(Leads.amend(brand.id, id, { qualified: step.qualified })))
              }
              if (step.does === "edit") {
                hand.prepare("UPDATE engagement SET comment_text = ? WHERE lead_id = ?").run(step.text, id)
                hand.prepare("UPDATE lead SET title1 = ? WHERE id = ?").run(step.text, id)
              }
            }
            await check()
          }
          // The details of leads that are there are those of a fresh process.
          const { details } = await check()
          const fresh = open(filename)
          expect((await fresh.runPromise(everything(brand.id, ids))).details).toEqual(details)
          await fresh.dispose()
          hand.close()
          await Promise.all(processes.map((process) => process.dispose()))
        }
      ),
      { numRuns: isThorough ? 60 : 4 }
    ))

  it("are not rendered again while nothing is written", async () => {
    const process = open(newFile())
    const { brand, signalId } = await setUp(process)
    const rendered = () =>
      process.runPromise(Effect.flatMap(LeadStore, (store) => store.listRendered!(brand.id, queries[2]!)))
    await process.runPromise(observed(brand, signalId, "p1", "p2", "e1"))
    const first = await rendered()
    expect(first.leads).toHaveLength(1)
    expect(await rendered()).toBe(first)
    await process.runPromise(observed(brand, signalId, "p2", "p1", "e2"))
    expect((await rendered()).leads).toHaveLength(2)
    await process.dispose()
  })

  it("are dropped with the erasure of a lead, before any further read [PII-3]", async () => {
    const process = open(newFile())
    const { brand, signalId } = await setUp(process)
    const id = await process.runPromise(observed(brand, signalId, "p1", "p2", "e1"))
    const rendered = new WeakRef(
      await process.runPromise(
        Effect.flatMap(LeadStore, (store) => store.listRendered!(brand.id, queries[2]!))
      )
    )
    const isKept = async () => {
      setFlagsFromString("--expose-gc")
      // What was looked at in this tick is not taken away in it.
      await new Promise((resolve) => setTimeout(resolve, 0))
      ;(runInNewContext("gc") as () => void)()
      return rendered.deref() !== undefined
    }
    expect(await isKept()).toBe(true)
    await process.runPromise(Leads.erase(brand, id!))
    expect(await isKept()).toBe(false)
    await process.dispose()
  })
})

describe("a cache", () => {
  it("holds what was set last, or nothing; of one version, and never more than its bound", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.record({ key: fc.constantFrom("a", "b", "c"), size: fc.integer({ min: 0, max: 12 }) }),
            fc.record({ version: fc.nat({ max: 3 }) })
          )
        ),
        (steps) => {
          const cache = new VersionedCache<number>({ maxSize: 10, sizeOf: (size) => size })
          let last = new Map<string, number>()
          let version: number | null = null
          for (const step of steps) {
            if ("version" in step) {
              cache.at(step.version)
              if (step.version !== version) last = new Map()
              version = step.version
            } else {
              cache.set(step.key, step.size)
              last.set(step.key, step.size)
              if (step.size <= 10) expect(cache.get(step.key)).toBe(step.size)
            }
            const kept = ["a", "b", "c"].flatMap((key) => {
              const value = cache.get(key)
              if (value !== undefined) expect(value).toBe(last.get(key))
              return value ?? []
            })
            expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10)
          }
        }
      )
    ))

  it("takes nothing of a version that is gone, or was cleared [PII-3]", () => {
    const cache = new VersionedCache<number>({ maxSize: 10 })
    cache.at(1)
    const late = cache.captureVersion()
    late("a", 1)
    expect(cache.get("a")).toBe(1)
    cache.at(2)
    late("a", 1)
    expect(cache.get("a")).toBeUndefined()
    const later = cache.captureVersion()
    cache.clear()
    later("a", 1)
    expect(cache.get("a")).toBeUndefined()
  })

  it("advances an entry of an older version, and drops one of which that is not known", () => {
    const advance = (value: number, from: number, to: number) =>
      to > 5 ? undefined : value + 10 * (to - from)
    const cache = new VersionedCache<number>({ maxSize: 10, advance })
    cache.at(1)
    cache.set("a", 1)
    cache.set("later", 7, 4)
    cache.at(3)
    expect([cache.get("a"), cache.get("later")]).toEqual([21, undefined])
    cache.at(4)
    expect([cache.get("a"), cache.get("later")]).toEqual([31, 7])
    cache.at(6)
    expect(cache.get("a")).toBeUndefined()
    cache.at(4)
    expect(cache.get("a")).toBeUndefined()
  })
})
