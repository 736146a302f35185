/** Copies of a file into a file: their rows and numbers, what follows from those, and what lies beside them. */
import {
  Brands,
  type ChangePosition,
  copyTables,
  Keys,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  type StoreUnavailable
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer, type Scope } from "effect"
import fs, { existsSync, readdirSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { raw } from "../harness/RawFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const over = (filename: string) => Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)

const run = <A>(work: Effect.Effect<A, StoreUnavailable, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(work))

/** One lead of two signals, one without any event, as files of before events have it, and one that was erased. */
const filled = async (): Promise<string> => {
  const filename = emptyStoreFile()
  const without = await Effect.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const newSignal = { name: "S", signalType: "t", source }
      const signals = [yield* Signals.create(brand.id, newSignal), yield* Signals.create(brand.id, newSignal)]
      const observed = (extId: string, signal: number, headline: string | null) => ({
        signalId: signals[signal]!.id,
        person: { extId, name: `Name ${extId}`, headline },
        engagement: { id: `${extId}-${signal}`, type: "comment", commentText: "text" }
      })
      const outcomes = yield* recordObservations(brand, [
        observed("p", 0, "Head of sales"),
        observed("p", 1, "Head of sales"),
        observed("q", 1, null),
        observed("r", 0, null)
      ])
      yield* Leads.amend(brand.id, outcomes[0]!.leadId!, { qualified: true, score1: 7.5 })
      yield* Leads.erase(brand, outcomes[3]!.leadId!)
      yield* Keys.create(brand.id, {
        label: "k",
        requestsPerMinute: 7,
        scopes: ["leads"],
        expiresAt: null,
        allowedAddresses: ["192.0.2.0/24"]
      })
      return outcomes[2]!.leadId!
    }).pipe(Effect.provide(over(filename)))
  )
  raw(filename, (db) => db.prepare("DELETE FROM event WHERE lead_id = ?").run(without))
  return filename
}

const source = await filled()

const everything = (filename: string) =>
  run(
    Effect.flatMap(SqliteStore.copySource(filename), (source) =>
      Effect.promise(async () => {
        const rows: Record<string, ReadonlyArray<unknown>> = {}
        for (const table of copyTables) {
          const parts = []
          for await (const part of source.rows(table, null)) parts.push(...part)
          rows[table.name] = parts
        }
        return { rows, numbers: await source.lastNumbers() }
      })
    )
  )

const copied = (from: string, to: string) =>
  run(
    Effect.flatMap(
      Effect.all([SqliteStore.copySource(from), SqliteStore.copyTarget(to)]),
      ([source, target]) =>
        Effect.promise(async () => {
          for (const table of copyTables) {
            for await (const part of source.rows(table, null))
              await target.write(table, part, { source: "", table: table.name, after: null })
          }
          await target.finish(await source.lastNumbers())
        })
    )
  )

describe("a copy of a file", () => {
  it("has its rows and numbers, all that follows from them, every lead in a feed of its own, and nothing beside it [STORE-10, CHG-1, CHG-5]", async () => {
    const folder = temporaryFolder()
    const target = join(folder, "copy.sqlite")
    await copied(source, target)
    expect(readdirSync(folder)).toEqual(["copy.sqlite"])
    const expected = await everything(source)
    expect(await everything(target)).toEqual(expected)
    expect([expected.rows["lead"]!.length, expected.numbers["lead"]]).toEqual([2, 3])
    expect((await Effect.runPromise(SqliteStore.check(target))).problems).toEqual([])
    const changesOf = (filename: string, after: ChangePosition | null) =>
      Effect.runPromise(
        Effect.flatMap(LeadStore, (store) =>
          store.changesAfter("1", after, { limit: 10, engagements: "none" })
        ).pipe(Effect.provide(over(filename)))
      )
    const feed = await changesOf(target, null)
    // The lead without an event comes first.
    const extIds = feed.isExpired
      ? []
      : feed.changes.map((change) => (change.type === "lead" ? change.read.lead.extId : "removed"))
    expect(extIds).toEqual(["q", "p"])
    // Who has read the source begins anew.
    const read = await changesOf(source, null)
    expect(await changesOf(target, read.isExpired ? null : read.next)).toEqual({ isExpired: true })
  })

  it("keeps others from writing the file until it ends, and from reading it never [STORE-10]", async () => {
    const write = () => {
      const db = new Database(source, { timeout: 0 })
      try {
        db.prepare("SELECT count(*) FROM lead").get()
        db.exec("UPDATE brand SET name = 'C'")
        return null
      } catch (failure) {
        return (failure as { readonly code?: string }).code
      } finally {
        db.close()
      }
    }
    const during = await run(Effect.map(SqliteStore.copySource(source), write))
    expect([during, write()]).toEqual(["SQLITE_BUSY", null])
  })

  it("goes on where one left a file without its tables [STORE-10]", async () => {
    const target = join(temporaryFolder(), "copy.sqlite")
    writeFileSync(`${target}.lead-signals-copy`, "", { mode: 0o600 })
    await copied(source, target)
    expect(await everything(target)).toEqual(await everything(source))
  })

  it.each([
    ["the file had its name", null],
    ["the file had its name, by a program of an earlier version,", 24]
  ])("that ended before %s gives it its name, and copies nothing again [STORE-10]", async (_, version) => {
    const folder = temporaryFolder()
    const target = join(folder, "copy.sqlite")
    const original = fs.renameSync
    const rename = vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
      if (to === target) throw Object.assign(new Error("killed"), { code: "EIO" })
      original(from, to)
    })
    syncBuiltinESMExports()
    try {
      await expect(copied(source, target)).rejects.toThrow()
    } finally {
      rename.mockRestore()
      syncBuiltinESMExports()
    }
    expect(existsSync(target)).toBe(false)
    if (version !== null) raw(`${target}.lead-signals-copy`, (db) => takeBackTo(db, version))
    const known = await run(
      Effect.flatMap(SqliteStore.copyTarget(target), (unfinished) =>
        Effect.promise(async () => {
          const progress = await unfinished.progress()
          await unfinished.finish((await everything(source)).numbers)
          return progress
        })
      )
    )
    expect(known).toMatchObject({ table: "event" })
    expect(readdirSync(folder)).toEqual(["copy.sqlite"])
    expect(await everything(target)).toEqual(await everything(source))
    expect((await Effect.runPromise(SqliteStore.check(target))).problems).toEqual([])
  })

  it.each(["-wal", "-journal"])(
    "and a backup refuse a path where a log is left (%s) [STORE-8, STORE-10]",
    async (ending) => {
      const folder = temporaryFolder()
      const target = join(folder, "copy.sqlite")
      writeFileSync(target + ending, "left")
      await expect(copied(source, target)).rejects.toThrow(
        `${target}${ending} is the log of a database that is gone`
      )
      const refused = await Effect.runPromise(Effect.flip(SqliteStore.backup(source, target)))
      expect(refused).toEqual(new SqliteStore.TargetExists({ target: target + ending }))
      expect(readdirSync(folder)).toEqual([`copy.sqlite${ending}`])
      // An empty one holds nothing.
      writeFileSync(target + ending, "")
      await Effect.runPromise(SqliteStore.backup(source, target))
      expect((await Effect.runPromise(SqliteStore.check(target))).problems).toEqual([])
    }
  )

  it("that is begun anew leaves no file of the one before, and those of others [STORE-10]", async () => {
    const folder = temporaryFolder()
    const target = join(folder, "copy.sqlite")
    for (const ending of [
      "",
      "-wal",
      "-shm",
      "-journal",
      "-removals",
      "-limits",
      "-limits-wal",
      "-limits-shm"
    ])
      for (const name of [`${target}.lead-signals-copy`, target]) writeFileSync(name + ending, "left")
    const others = readdirSync(folder).filter((name) => !name.includes("lead-signals-copy"))
    await Effect.runPromise(SqliteStore.removeUnfinishedCopy(target))
    expect(readdirSync(folder)).toEqual(others)
  })
})
