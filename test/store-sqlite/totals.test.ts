/** Totals that were counted before leads changed, against what a naive count gives, whichever connection changed them. */
import {
  Brands,
  type LeadFilter,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SortOrder
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { LeadHistories, SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { setImmediate as nextTick } from "node:timers/promises"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { editLead } from "./EditedByHand.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const sort = Either.getOrThrow(SortOrder.parse("createdAt:desc"))
const minute = 60_000
const clock = new SettableClock(LeadHistories.startOfHistories)

const open = (filename: string, maxEffort: number) =>
  ManagedRuntime.make(
    Layer.merge(
      SqliteStore.layer({ filename, synced: false, maxEffort, searchTexts: { minLeads: 1, pauseMillis: 0 } }),
      webCrypto
    )
  )

interface Opened {
  readonly brandId: string
  readonly signals: ReadonlyArray<string>
  readonly here: ReturnType<typeof open>
  readonly elsewhere: ReturnType<typeof open>
  readonly db: Database.Database
  readonly close: () => Promise<void>
}

const openNew = async (maxEffort: number): Promise<Opened> => {
  const filename = emptyStoreFile()
  const here = open(filename, maxEffort)
  const made = await here.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const signals: Array<string> = []
      for (const name of ["a", "b"]) {
        const source = { type: "post-url" as const, value: name, liCompanyId: null, company: null }
        signals.push((yield* Signals.create(brand.id, { name, signalType: "t", source })).id)
      }
      return { brandId: brand.id, signals }
    })
  )
  const elsewhere = open(filename, maxEffort)
  await elsewhere.runPromise(Effect.void)
  const db = new Database(filename)
  const close = async (): Promise<void> => {
    db.close()
    await here.dispose()
    await elsewhere.dispose()
  }
  return { ...made, here, elsewhere, db, close }
}

const filtersOf = ({ signals }: Opened): ReadonlyArray<LeadFilter> => [
  {},
  { search: "ann" },
  { search: "a" },
  { search: "zz" },
  { search: "head", qualified: true },
  { search: "nn", signalId: signals[0]! },
  { signalId: signals[1]!, qualified: false },
  { exported: true },
  { createdAfter: LeadHistories.startOfHistories + 3 * minute, search: "n" },
  { updatedAfter: LeadHistories.startOfHistories + 5 * minute, signalId: signals[0]! },
  {
    createdBefore: LeadHistories.startOfHistories + 4 * minute,
    updatedAfter: LeadHistories.startOfHistories + 6 * minute
  }
]

interface Row {
  readonly id: number
  readonly name: string
  readonly headline: string | null
  readonly flags: number
  readonly created_at: number
  readonly updated_at: number
}

const naively = ({ db }: Opened, filter: LeadFilter): number => {
  const caught = new Set(
    db
      .prepare("SELECT lead_id FROM lead_signal WHERE signal_id = ?")
      .pluck()
      .all(filter.signalId ?? 0)
  )
  return (db.prepare("SELECT * FROM lead").all() as Array<Row>).filter((row) => {
    const text = `${row.name} | ${row.headline ?? ""}`.toLowerCase()
    return (
      (filter.search === undefined || text.includes(filter.search)) &&
      (filter.signalId === undefined || caught.has(row.id)) &&
      (filter.qualified === undefined || ((row.flags & 1) === 1) === filter.qualified) &&
      (filter.exported === undefined || ((row.flags & 2) === 2) === filter.exported) &&
      row.created_at >= (filter.createdAfter ?? 0) &&
      row.created_at <= (filter.createdBefore ?? Infinity) &&
      row.updated_at >= (filter.updatedAfter ?? 0)
    )
  }).length
}

const totalOf = ({ brandId, here }: Opened, filter: LeadFilter): Promise<number> =>
  here.runPromise(
    Effect.flatMap(LeadStore, (store) =>
      Effect.map(
        store.list(brandId, { filter, sort, page: { page: 1, pageSize: 1 }, engagements: "none" }),
        ({ total }) => total
      )
    )
  )

type Change =
  | { readonly change: "observe"; readonly who: number; readonly name: string; readonly signal: number }
  | { readonly change: "amend"; readonly who: number; readonly qualified: boolean }
  | { readonly change: "erase"; readonly who: number }
  | { readonly change: "edit"; readonly who: number }

const change = fc.oneof<Array<fc.WeightedArbitrary<Change>>>(
  {
    weight: 6,
    arbitrary: fc.record({
      change: fc.constant("observe" as const),
      who: fc.nat(9),
      name: fc.constantFrom("Ann", "Hannah", "Bo", "Zed"),
      signal: fc.nat(1)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ change: fc.constant("amend" as const), who: fc.nat(9), qualified: fc.boolean() })
  },
  { weight: 1, arbitrary: fc.record({ change: fc.constant("erase" as const), who: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ change: fc.constant("edit" as const), who: fc.nat(9) }) }
)

/** Some changes at once, by this process or by another, and which totals are queried after them. */
const steps = fc.array(
  fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    isElsewhere: fc.constantFrom(false, false, false, true),
    queried: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 3 })
  }),
  { minLength: 3, maxLength: 14 }
)

let seen = 0

const play = (
  opened: Opened,
  { changes, isElsewhere }: { changes: ReadonlyArray<Change>; isElsewhere: boolean }
) => {
  const { brandId, db, elsewhere, here, signals } = opened
  const one = (each: Change) =>
    Effect.gen(function* () {
      const brand = yield* Brands.get(brandId)
      if (each.change === "observe") {
        yield* recordObservations(brand, [
          {
            signalId: signals[each.signal]!,
            person: {
              extId: `p${each.who}`,
              name: each.name,
              headline: each.who % 2 === 0 ? "Head of it" : null
            },
            engagement: { id: `e${++seen}`, type: "comment", commentText: "so" }
          }
        ])
        return
      }
      const id = db.prepare("SELECT id FROM lead WHERE ext_id = ?").pluck().get(`p${each.who}`)
      if (typeof id !== "number") return
      if (each.change === "amend") {
        yield* Leads.amend(brandId, id, { qualified: each.qualified, exported: !each.qualified })
      } else if (each.change === "erase") yield* Leads.erase(brand, id)
      else editLead(db, id, "flags = 7 - flags", { withBuckets: true })
    }).pipe(Effect.catchAllCause(() => Effect.void))
  return (isElsewhere ? elsewhere : here).runPromise(
    clock.provide(Effect.forEach(changes, one, { concurrency: "unbounded", discard: true }))
  )
}

beforeEach(() => {
  clock.millis = LeadHistories.startOfHistories
})

let opened: Opened
afterAll(() => opened?.close())

describe("totals that were counted before", () => {
  it.each([
    ["here", Number.POSITIVE_INFINITY],
    ["in the thread", 0]
  ])(
    "are what counting gives after any changes, here and elsewhere, read %s [PAGE-1, LIST-5]",
    async (_, effort) => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          clock.millis = LeadHistories.startOfHistories
          opened = await openNew(effort)
          const filters = filtersOf(opened)
          for (const filter of filters) await totalOf(opened, filter)
          for (const step of history) {
            clock.millis += minute
            await play(opened, step)
            // What another connection commits is seen from the next tick on.
            await nextTick()
            for (const i of step.queried) {
              const filter = filters[i]!
              expect([filter, await totalOf(opened, filter)]).toEqual([filter, naively(opened, filter)])
            }
          }
          await opened.close()
        }),
        { numRuns: (effort === 0 ? 1 : 3) * (isThorough ? 4 : 1) }
      )
    }
  )

  it("are put right and not counted anew, while this process alone changes leads [PAGE-1]", async () => {
    opened = await openNew(Number.POSITIVE_INFINITY)
    const { db } = opened
    const observed = (who: number, name: string, isElsewhere: boolean) =>
      play(opened, { changes: [{ change: "observe", who, name, signal: 0 }], isElsewhere })
    for (const who of [1, 3, 5]) await observed(who, "Ann", false)
    expect(await totalOf(opened, { search: "ann" })).toBe(3)
    // A new count finds nothing: the index has lost the texts of all leads, and no lead waits for it.
    db.exec("INSERT INTO lead_text (lead_text) VALUES ('delete-all')")
    db.exec("INSERT INTO lead_text (rowid) SELECT max(id) FROM lead")
    await observed(7, "Hannah", false)
    await observed(1, "Ann", false)
    await observed(9, "Bo", false)
    expect(await totalOf(opened, { search: "ann" })).toBe(4)
    await observed(2, "Hannah", true)
    // What another connection commits is seen from the next tick on.
    await nextTick()
    expect(await totalOf(opened, { search: "ann" })).toBe(2)
    await opened.close()
  })
})
