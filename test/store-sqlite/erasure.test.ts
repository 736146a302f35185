/** What takes long to erase is erased in a thread: whole or not at all, and others are served meanwhile. */
import {
  type Brand,
  Brands,
  LeadQueries,
  Leads,
  LeadStore,
  recordInOneCommit,
  Signals
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Either, Fiber, Layer, ManagedRuntime, Option } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { bytesBeside } from "../harness/FilesBeside.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

/** So many engagements the person has, each with a post of the author's. */
const greatlyEngaged = 700

const open = (filename: string, options: Partial<SqliteStore.SqliteStoreOptions> = {}) =>
  ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename, ...options }), webCrypto))

const author = { extId: "author", name: "Ottoline Writer" }

/** A process with a file that knows a person seen far more often than one is erased at once, a reader of an author's posts, and the author. */
const opened = async (options: Partial<SqliteStore.SqliteStoreOptions> = {}) => {
  const filename = emptyStoreFile()
  const process = open(filename, options)
  const known = await process.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const seen = (extId: string, name: string, id: string, commentText: string) => ({
        signalId,
        person: { extId, name },
        engagement: { id, type: "comment", commentText, postAuthor: author.name, postAuthorDetail: author }
      })
      const outcomes = yield* recordInOneCommit(brand, [
        seen("reader", "Plain Reader", "r", "kept"),
        seen("author", author.name, "a", "by himself"),
        ...Array.from({ length: greatlyEngaged }, (_, i) =>
          seen("often", "Quillfeather Ada", `o${i}`, `xylograph ${i}`)
        )
      ])
      const [reader, writer, often] = outcomes.map(({ leadId }) => leadId!)
      return { brand, reader: reader!, writer: writer!, often: often! }
    })
  )
  return { filename, process, ...known }
}

/** An erasure counts so far. */
const takeLong = (filename: string, n: number): void => {
  const raw = new Database(filename)
  raw.exec(`CREATE TRIGGER slow BEFORE DELETE ON lead BEGIN
    SELECT count(*) FROM (
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${n}) SELECT n FROM c);
  END`)
  raw.close()
}

/** Ends when somebody writes to the file. */
const begun = async (filename: string): Promise<void> => {
  const raw = new Database(filename, { timeout: 0 })
  try {
    for (;;) {
      raw.exec("BEGIN IMMEDIATE; ROLLBACK")
      await sleep(5)
    }
  } catch (failure) {
    expect((failure as { code?: string }).code).toBe("SQLITE_BUSY")
  } finally {
    raw.close()
  }
}

const found = (brand: Brand, text: string) =>
  Effect.map(
    Leads.list(brand.id, Either.getOrThrow(LeadQueries.readList([["search", text]]))),
    ({ total }) => total
  )

/** How much there is of the lead: null when there is none. */
const extent = (brand: Brand, id: number) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const data = yield* store.exportData(brand.id, id)
    return Option.isNone(data) ? null : data.value.engagements.length
  })

describe("an erasure of much", () => {
  it("leaves nothing of the person, in the file, its log and its indexes [PII-3]", async () => {
    const { brand, filename, often, process, reader, writer } = await opened()
    expect(bytesBeside(filename)).toContain("xylograph")
    await process.runPromise(Leads.erase(brand, often))
    for (const word of ["Quillfeather", "xylograph"]) expect(bytesBeside(filename)).not.toContain(word)
    expect(await process.runPromise(extent(brand, often))).toBeNull()
    expect(await process.runPromise(found(brand, "quill"))).toBe(0)
    // The author of seven hundred posts' engagements is gone from them, and so by himself.
    await process.runPromise(Leads.erase(brand, writer))
    expect(bytesBeside(filename)).not.toContain("Ottoline")
    const detail = await process.runPromise(Leads.getRendered(brand.id, reader, "detailed"))
    expect(JSON.parse(detail).engagements[0]).toMatchObject({
      commentText: "kept",
      postAuthor: null,
      postAuthorDetail: null
    })
    await process.dispose()
    expect(await Effect.runPromise(SqliteStore.check(filename))).toMatchObject({ problems: [] })
  })

  it.runIf(isThorough)(
    "is seen by others as a whole, and they are served and write meanwhile [PII-3, STORE-1]",
    async () => {
      // Nobody waits for a disk or for others: a call in between came while rows were removed, which takes long.
      const { brand, filename, often, process, reader } = await opened({
        synced: false,
        ticks: SqliteStore.TickScheduler.none
      })
      takeLong(filename, 6_000_000)
      const erasing = process.runFork(Leads.erase(brand, often))
      const seen: Array<number | null> = []
      const erasure = { isOver: false }
      erasing.addObserver(() => (erasure.isOver = true))
      const writing = process.runPromise(Leads.amend(brand.id, reader, { qualified: true }))
      while (!erasure.isOver) {
        seen.push(await process.runPromise(extent(brand, often)))
        await new Promise((resolve) => setImmediate(resolve))
      }
      await process.runPromise(Fiber.join(erasing))
      expect((await writing).qualified).toBe(true)
      expect(seen.filter((n) => n === greatlyEngaged).length).toBeGreaterThan(15)
      expect(new Set(seen.filter((n) => n !== greatlyEngaged))).toEqual(
        new Set(seen.includes(null) ? [null] : [])
      )
      expect(await process.runPromise(extent(brand, often))).toBeNull()
      await process.dispose()
    }
  )

  it("is seen by whoever reads after it, also in a tick that read before it [PII-3]", async () => {
    const ticks = { next: Effect.void, atEnd: () => {}, maxMillis: Infinity }
    const { brand, often, process } = await opened({ ticks })
    expect(await process.runPromise(extent(brand, often))).toBe(greatlyEngaged)
    await process.runPromise(Leads.erase(brand, often))
    expect(await process.runPromise(extent(brand, often))).toBeNull()
    await process.dispose()
  })

  it.skipIf(!isThorough)(
    "is waited for by those that write, however long it takes [PII-3, STORE-1]",
    async () => {
      const { brand, filename, often, process, reader } = await opened({ synced: false })
      takeLong(filename, 50_000_000)
      const erased = process.runPromise(Leads.erase(brand, often))
      await begun(filename)
      const written = await process.runPromise(Leads.amend(brand.id, reader, { qualified: true }))
      expect(written.qualified).toBe(true)
      await erased
      await process.dispose()
    }
  )

  it("changes nothing when it fails half way, and can be repeated [PII-3]", async () => {
    const { brand, filename, often, process } = await opened()
    const raw = new Database(filename)
    raw.exec("CREATE TRIGGER planted BEFORE DELETE ON lead BEGIN SELECT raise(ABORT, 'planted'); END")
    const failure = await process.runPromise(Effect.flip(Leads.erase(brand, often)))
    expect(failure._tag).toBe("@lead-signals/domain/StoreUnavailable")
    expect(String(failure)).toContain("SQLITE_CONSTRAINT_TRIGGER")
    expect(await process.runPromise(extent(brand, often))).toBe(greatlyEngaged)
    expect(await process.runPromise(found(brand, "quill"))).toBe(1)
    raw.exec("DROP TRIGGER planted")
    raw.close()
    await process.runPromise(Leads.erase(brand, often))
    expect(await process.runPromise(extent(brand, often))).toBeNull()
    await process.dispose()
  })

  it("waits for another process that writes [PII-3]", async () => {
    const { brand, filename, often, process } = await opened()
    const raw = new Database(filename)
    raw.exec("BEGIN IMMEDIATE")
    const erased = process.runPromise(Leads.erase(brand, often))
    await sleep(400)
    expect(await process.runPromise(extent(brand, often))).toBe(greatlyEngaged)
    raw.exec("COMMIT")
    raw.close()
    await erased
    expect(await process.runPromise(extent(brand, often))).toBeNull()
    await process.dispose()
  })

  it.runIf(isThorough)(
    "that is under way when the store is closed is whole, or not there [PII-3]",
    async () => {
      for (const ticks of [0, 1, 3, 10, 30]) {
        const { brand, filename, often, process } = await opened()
        const erasing = process.runPromiseExit(Leads.erase(brand, often))
        for (let i = 0; i < ticks; i++) await new Promise((resolve) => setImmediate(resolve))
        await process.dispose()
        await erasing
        const again = open(filename)
        const left = await again.runPromise(extent(brand, often))
        expect([null, greatlyEngaged]).toContain(left)
        expect(await again.runPromise(found(brand, "quill"))).toBe(left === null ? 0 : 1)
        await again.dispose()
        expect(await Effect.runPromise(SqliteStore.check(filename))).toMatchObject({ problems: [] })
      }
    }
  )
})
