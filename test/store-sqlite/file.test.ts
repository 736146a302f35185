import {
  Brands,
  LeadQueries,
  Leads,
  recordObservations,
  Signals,
  StoreHealth,
  type StorePorts
} from "@lead-signals/domain"
import { logLine, webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { SearchIndex } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Either, Layer, Logger } from "effect"
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { bytesBeside, filesBeside } from "../harness/FilesBeside.ts"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

const folder = temporaryFolder()
const newFile = filesIn(folder, "store")

type Needs = StorePorts

const over = <A, E>(
  filename: string,
  work: Effect.Effect<A, E, any>,
  options: Partial<SqliteStore.SqliteStoreOptions> = {},
  logger: Layer.Layer<never> = Layer.empty
): Promise<A> =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(Layer.merge(SqliteStore.layer({ filename, ...options }), webCrypto)),
      Effect.provide(logger)
    ) as Effect.Effect<A, never>
  )

const failure = (filename: string): Promise<string> =>
  over(filename, Effect.void).then(
    () => "opened",
    (error) => String(error)
  )

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const seen = (person: string, engagement: string, more: object = {}) => ({
    signalId: signal.id,
    person: { extId: person, name: person, ...more },
    engagement: { id: engagement, type: "comment", commentText: `${person} says so` }
  })
  return { brand, seen }
})

const search = (brandId: string, text: string) =>
  Effect.map(
    Leads.list(brandId, Either.getOrThrow(LeadQueries.readList([["search", text]]))),
    ({ total }) => total
  )

describe("the SQLite file", () => {
  it("is its owner's alone [STORE-7, PII-2]", async () => {
    const filename = newFile()
    await over(
      filename,
      Effect.gen(function* () {
        yield* Brands.create("B")
        for (const name of readdirSync(folder).filter((each) =>
          filename.endsWith(each.replace(/-(wal|shm|limits.*)$/, ""))
        )) {
          expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
        }
      })
    )
  })

  it.skipIf(process.platform === "win32")(
    "that others may use becomes its owner's alone, with all beside it, and the log says so [STORE-7, PII-2]",
    async () => {
      const filename = newFile()
      await over(filename, Brands.create("B"))
      const beside = () => filesBeside(filename)
      // Another connection that has it open keeps the log there.
      const other = new Database(filename)
      other.exec("UPDATE brand SET name = 'C'")
      for (const file of beside()) chmodSync(file, 0o644)
      const log: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make((line) => void log.push(logLine(line).message))
      )
      await over(
        filename,
        Effect.gen(function* () {
          yield* Brands.create("D")
          expect([...beside()].sort()).toEqual(
            ["", "-limits", "-limits-shm", "-limits-wal", "-removals", "-shm", "-wal"].map(
              (ending) => filename + ending
            )
          )
          for (const file of beside()) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
        }),
        {},
        logger
      )
      other.close()
      // The database, and the rate windows.
      expect(log).toEqual(
        Array(2).fill(
          "other users could access a file that holds personal data: its mode now allows only its owner"
        )
      )
    }
  )

  it("takes no write when it was deleted or replaced, is not ready, and goes on when it is put back [STORE-6, HEALTH-2]", async () => {
    const filename = newFile()
    const create = Effect.flip(Brands.create("Lost"))
    const ping = Effect.flatMap(StoreHealth, (storeHealth) => storeHealth.check)
    await over(
      filename,
      Effect.gen(function* () {
        yield* Brands.create("B")
        renameSync(filename, `${filename}.away`)
        expect(String(yield* create)).toContain("deleted, moved or replaced")
        expect(String(yield* Effect.flip(ping))).toContain("deleted, moved or replaced")
        writeFileSync(filename, "another")
        expect(String(yield* create)).toContain("deleted, moved or replaced")
        expect(String(yield* Effect.flip(ping))).toContain("deleted, moved or replaced")
        renameSync(`${filename}.away`, filename)
        yield* Brands.create("C")
        expect(yield* ping).toEqual({ writeProblem: null, journalProblem: null })
      })
    )
  })

  it("holds nothing of an erased person any more, neither in its pages nor in its log nor in its search index [PII-3]", async () => {
    const filename = newFile()
    const words = ["Quillfeather", "Zygomatic", "xylograph"]
    const bytes = () => bytesBeside(filename).toLowerCase()
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        const person = seen("p-1", "e-1", { name: "Quillfeather Ada", headline: "Zygomatic Expert" })
        yield* recordObservations(brand, [
          { ...person, engagement: { ...person.engagement, commentText: "xylograph" } }
        ])
        const renamed = seen("p-1", "e-2", { name: "Quillfeather Bea", headline: "Zygomatic Expert" })
        const [outcome] = yield* recordObservations(brand, [renamed, seen("other", "e-3")])
        for (const word of words) expect(bytes()).toContain(word.toLowerCase())
        yield* Leads.erase(brand, outcome!.leadId!)
        for (const word of words) expect(bytes()).not.toContain(word.toLowerCase())
        expect(yield* search(brand.id, "other")).toBe(1)
      })
    )
    const raw = new Database(filename)
    for (const phrase of ["quil", "zygom", "bea"]) {
      const { tokens } = SearchIndex.matchOf(1, phrase)!
      expect(
        raw
          .prepare("SELECT count(*) AS n FROM lead_text WHERE lead_text MATCH ?")
          .get(SearchIndex.phraseOf(tokens))
      ).toEqual({ n: 0 })
    }
    expect(
      raw.prepare("SELECT count(*) AS n FROM lead_gram WHERE lead_gram MATCH ?").get('"b1u71u75"')
    ).toEqual({ n: 0 })
    raw.close()
  })

  it("is refused when it is another program's, damaged, or of a newer version, with what to do [STORE-4]", async () => {
    const foreign = newFile()
    new Database(foreign).exec("CREATE TABLE theirs (a)").close()
    expect(await failure(foreign)).toContain("another program")

    const damaged = newFile()
    writeFileSync(damaged, "this is no SQLite file, but long enough to be taken for one".repeat(50))
    expect(await failure(damaged)).toMatch(/damaged or is not a SQLite file/)

    const newer = newFile()
    await over(newer, Effect.void)
    const raw = new Database(newer)
    raw.exec("INSERT INTO migration (migration_id, name) VALUES (99, 'later')")
    raw.close()
    expect(await failure(newer)).toContain("newer version")
  })

  it("of another program is left as it was, and nothing is made beside it [STORE-4]", async () => {
    for (const mode of ["DELETE", "WAL"]) {
      const foreign = newFile()
      const raw = new Database(foreign)
      raw.pragma(`journal_mode = ${mode}`)
      raw.exec("CREATE TABLE theirs (a)").close()
      const before = readFileSync(foreign)
      expect(await failure(foreign)).toContain("another program")
      expect(readFileSync(foreign).equals(before)).toBe(true)
      expect(filesBeside(foreign)).toEqual([foreign])
    }
  })

  it("can be opened by two at once, also when it is made at that moment [STORE-3]", async () => {
    const filename = newFile()
    const layers = [0, 1, 2].map(() => Layer.merge(SqliteStore.layer({ filename }), webCrypto))
    const brands = await Promise.all(
      layers.map((layer) =>
        Effect.runPromise(
          setUp.pipe(Effect.provide(layer)) as Effect.Effect<Effect.Effect.Success<typeof setUp>>
        )
      )
    )
    expect(new Set(brands.map(({ brand }) => brand.id)).size).toBe(3)
  })

  it.skipIf(process.platform !== "linux")(
    "keeps its locks when it is opened once more in one process [STORE-3]",
    async () => {
      const filename = newFile()
      const raw = new Database(filename)
      raw.exec("BEGIN IMMEDIATE")
      const locks = () =>
        readFileSync("/proc/locks", "utf8")
          .split("\n")
          .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(filename).ino} `))
      expect(locks()).not.toEqual([])
      const before = locks()
      const opened = failure(filename)
      await sleep(50)
      expect(locks().length).toBe(before.length)
      raw.exec("COMMIT")
      raw.close()
      expect(await opened).toBe("opened")
    }
  )

  it.skipIf(process.platform === "win32")(
    "can be a link, also to a file that is not there yet [STORE-2]",
    async () => {
      const target = newFile()
      const link = newFile()
      symlinkSync(target, link)
      for (let opened = 0; opened < 2; opened++) await over(link, Brands.create("B"))
      const raw = new Database(target, { readonly: true })
      expect(raw.prepare("SELECT count(*) FROM brand").pluck().get()).toBe(2)
      raw.close()
    }
  )

  it("is refused when it can't be written, with what to do [STORE-4]", async () => {
    const filename = newFile()
    mkdirSync(filename)
    expect(await failure(filename)).toMatch(/can't be (made or )?opened for writing/)
  })

  it("loses no write of two that write at once [STORE-1, STORE-3]", async () => {
    const filename = newFile()
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        const write = (who: string) =>
          Effect.forEach(
            Array.from({ length: 40 }, (_, i) => i),
            (i) => recordObservations(brand, [seen("shared", `${who}-${i}`)])
          ).pipe(Effect.provide(Layer.fresh(SqliteStore.layer({ filename }))))
        yield* Effect.all([write("a"), write("b"), write("c")], { concurrency: 3 })
        const query = Either.getOrThrow(LeadQueries.readList([]))
        const { leads, total } = yield* Leads.list(brand.id, query)
        expect(total).toBe(1)
        expect((yield* Leads.exportData(brand.id, leads[0]!.lead.id)).engagements).toHaveLength(120)
      }) as Effect.Effect<void, unknown, Needs>
    )
  })

  it("finds a renamed lead by its new name alone, whoever came in the same commit [LIST-5]", async () => {
    await over(
      newFile(),
      Effect.gen(function* () {
        const { brand, seen } = yield* setUp
        yield* recordObservations(brand, [seen("p-1", "e-1", { name: "Anna", headline: "Anna" })])
        yield* recordObservations(brand, [
          seen("p-1", "e-2", { name: "Ipek", headline: "Anna" }),
          seen("p-2", "e-3", { name: "Anna" }),
          seen("p-3", "e-4", { name: "Zoe" })
        ])
        yield* recordObservations(brand, [
          seen("p-1", "e-5", { name: "Ipek", headline: "Sales" }),
          seen("p-4", "e-6", { name: "Anna" })
        ])
        for (const [text, total] of Object.entries({
          anna: 2,
          an: 2,
          a: 3,
          ipek: 1,
          ip: 1,
          sales: 1,
          zo: 1
        })) {
          expect([text, yield* search(brand.id, text)]).toEqual([text, total])
        }
      })
    )
  })
})
