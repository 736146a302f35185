/** A backup becomes the database again, and nothing comes back that was erased, revoked or deleted since. */
import { BrandStore, recordObservations, Suppression } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { DriverConnection, replay, Secrets } from "@lead-signals/store-sqlite/internal"
import { generateEncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import Database from "better-sqlite3"
import { Effect, Either } from "effect"
import fs, {
  symlinkSync,
  lstatSync,
  realpathSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { raw } from "../harness/RawFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { before, expectRemovedAgain, removeAfter, seen } from "../harness/RemovedHistory.ts"
import { linesOf, restoreScenes } from "./RestoreScenes.ts"
import { on, refusalOf, restore, whyNot } from "./RestoredHistory.ts"

const { known, root, scene } = await restoreScenes()

/** What is in the file of the names that the people of these tests have. */
const namesIn = (file: string): ReadonlyArray<string> =>
  raw(
    file,
    (db) => db.prepare("SELECT ext_id FROM lead ORDER BY brand_id, id").pluck().all() as Array<string>
  )

const authorsIn = (file: string, brandId: string): ReadonlyArray<unknown> =>
  raw(file, (db) =>
    db
      .prepare("SELECT DISTINCT author_ext_id FROM engagement WHERE brand_id = ?")
      .pluck()
      .all(Number(brandId))
  )

const soundness = async (file: string) => (await Effect.runPromise(SqliteStore.check(file))).problems

describe("a restore", () => {
  it("erases, revokes and deletes again what was since, and nothing of another brand [REST-3]", async () => {
    const { backup, database, folder } = scene()
    expect(namesIn(backup)).toEqual(["ylva", "bob", "cleo", "ylva", "bob", "cleo", "ylva", "bob", "cleo"])
    const restored = await Effect.runPromise(restore(backup, database))
    expect(restored.replayed).toEqual({
      person: { done: 2, absent: 0 },
      key: { done: 2, absent: 0 },
      token: { done: 1, absent: 0 },
      signal: { done: 3, absent: 0 },
      campaign: { done: 1, absent: 1 },
      webhook: { done: 1, absent: 1 },
      brand: { done: 1, absent: 0 }
    })
    expect(await soundness(database)).toEqual([])
    expect(namesIn(database)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    expect(authorsIn(database, known.mine.brand.id)).toEqual([null])
    expect(authorsIn(database, known.others.brand.id)).toEqual(["author"])
    await on(database, expectRemovedAgain(known))
    // The replaced database is kept, and is whole.
    expect(namesIn(restored.replacedAs!)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([])
    // Nothing of the person is left in the file.
    const bytes = readFileSync(database).toString("latin1")
    expect(bytes).toContain("Name of author others")
    expect(bytes).toContain("Name of bob mine")
    for (const name of ["Name of author mine", "Name of ylva mine"]) expect(bytes).not.toContain(name)
    // Once more: all of it is replayed on the backup again.
    const twice = await Effect.runPromise(restore(backup, database))
    expect(twice.replayed).toEqual(restored.replayed)
    expect(namesIn(database)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
  })

  it("erases a person behind five thousand others, as of the time of the erasure [REST-3, RET-7]", () => {
    const { backup } = scene()
    const { brand, signal } = known.mine
    raw(backup, (db) => {
      db.exec(`WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 5000)
        INSERT INTO lead (id, brand_id, ext_id, name, name_key, profile_times, signal_id, signal_ids, flags, score_missing, created_at, updated_at)
          SELECT 1000 + i, ${brand.id}, printf('a%05d', i), 'N', 'n', '{}', ${signal.id}, '["${signal.id}"]', 0, 1, 0, 0 FROM c`)
    })
    const sql = new DriverConnection(backup, { readonly: false, busyMillis: 0 })
    const secret = sql.value<string>("SELECT suppression_secret FROM brand WHERE id = ?", [Number(brand.id)])!
    const subject = Suppression.hasher(secret)("ylva")
    const removal = { position: 1, at: 12_345, kind: "person" as const, brandId: Number(brand.id), subject }
    expect(replay(sql, new Secrets(undefined), [removal], 20_000).person).toEqual({ done: 1, absent: 0 })
    const left = sql.column("SELECT id FROM lead WHERE brand_id = ? AND ext_id = 'ylva'", [Number(brand.id)])
    expect([left, sql.value("SELECT erased_at FROM suppression WHERE hash = ?", [subject])]).toEqual([
      [],
      12_345
    ])
    sql.close()
  })

  it("gives no number again that the replaced database has given [REST-5]", async () => {
    const { backup, database } = scene()
    const { mine } = known
    const late = await on(
      database,
      Effect.map(
        recordObservations(mine.brand, [seen(mine.signal.id, "late", "late-1", "x")]),
        ([outcome]) => outcome!.leadId!
      )
    )
    await Effect.runPromise(restore(backup, database))
    const next = await on(
      database,
      Effect.map(
        recordObservations(mine.brand, [seen(mine.signal.id, "next", "next-1", "x")]),
        ([outcome]) => outcome!.leadId!
      )
    )
    expect(next).toBe(late + 1)
    // A stream that resumes after a lost event is told so.
    const [newest, given] = raw(database, (db) => [
      db.prepare("SELECT newest_event FROM pruning").pluck().get(),
      db.prepare("SELECT max(position) FROM event").pluck().get()
    ])
    expect(newest).toBe((given as number) - 2)
  })

  it("without --replace, of a dry run, or of a newer schema leaves everything as it was [REST-4]", async () => {
    const { backup, database, folder } = scene()
    const all = () => readdirSync(folder).sort()
    const content = () =>
      raw(database, (db) => db.prepare("SELECT * FROM lead JOIN removal ORDER BY 1").all())
    const before = content()
    const names = all()
    expect(await whyNot(backup, database, { replace: false })).toContain("--replace")
    const dry = await Effect.runPromise(restore(backup, database, { dryRun: true }))
    expect([dry.replacedAs, dry.replayed.person.done]).toEqual([null, 2])
    const newer = join(root, "newer.sqlite")
    cpSync(backup, newer)
    raw(newer, (db) => db.exec("INSERT INTO migration (migration_id, name) VALUES (99, 'later')"))
    expect(await whyNot(newer, database)).toMatch(/schema version 99 and this program has/)
    const damaged = join(root, "damaged.sqlite")
    cpSync(backup, damaged)
    raw(damaged, (db) => db.exec("UPDATE lead_count SET n = n + 1"))
    expect(await whyNot(damaged, database)).toContain("is damaged")
    expect(await whyNot(join(root, "missing.sqlite"), database)).toContain("there is no file")
    const foreign = join(root, "foreign.sqlite")
    raw(foreign, (db) => db.exec("CREATE TABLE t (x)"))
    expect(await whyNot(foreign, database)).toContain("not a database of Lead Signals")
    expect(all()).toEqual(names)
    expect(content()).toEqual(before)
  })

  it("keeps the replaced database also where a file can't have a second name [REST-4]", async () => {
    const { backup, database } = scene()
    const expected = namesIn(database)
    const link = vi.spyOn(fs, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error("the file system has no links"), { code: "EPERM" })
    })
    syncBuiltinESMExports()
    try {
      const { replacedAs } = await Effect.runPromise(restore(backup, database))
      expect([link.mock.calls.length > 0, namesIn(replacedAs!)]).toEqual([true, expected])
      expect(namesIn(database)).toEqual(expected)
    } finally {
      link.mockRestore()
      syncBuiltinESMExports()
    }
  })

  it("is refused while a process has the database open [REST-4]", async () => {
    const { backup, database } = scene()
    await on(
      database,
      Effect.gen(function* () {
        expect(yield* Effect.promise(() => whyNot(backup, database))).toContain("stop it first")
        expect((yield* (yield* BrandStore).list).length).toBe(2)
      })
    )
    await Effect.runPromise(restore(backup, database))
  })

  it("brings an older backup to this version, and says what its journal can't know [REST-3]", async () => {
    const { backup, database } = scene()
    raw(backup, (db) => takeBackTo(db, 18))
    const restored = await Effect.runPromise(restore(backup, database))
    expect(restored.fromVersion).toBe(18)
    expect(restored.replayed.person.done).toBe(2)
    expect(restored.warnings).toEqual([expect.stringContaining("a version without a journal")])
    expect(namesIn(database)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    expect(await refusalOf(database)).toBe("opened")
  })
})

describe("a restore without the database", () => {
  const lost = () => {
    const made = scene()
    for (const ending of ["", "-wal", "-shm"]) rmSync(made.database + ending, { force: true })
    return made
  }

  it("puts the log aside that it has left, which would damage the restored one [REST-4]", async () => {
    const { backup, database } = lost()
    const gone = scene()
    const open = new Database(gone.database)
    open.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE brand SET name = 'lost'")
    // A process that is killed leaves its log, and somebody moves the file away.
    const log = readFileSync(`${gone.database}-wal`)
    open.close()
    for (const ending of ["-wal", "-journal"]) writeFileSync(database + ending, log)
    const dry = await Effect.runPromise(restore(backup, database, { dryRun: true }))
    expect([dry.warnings, existsSync(`${database}-wal`)]).toEqual([[], true])
    const { replacedAs, warnings } = await Effect.runPromise(restore(backup, database, { replace: false }))
    const names = raw(database, (db) => db.prepare("SELECT name FROM brand").pluck().all())
    expect([replacedAs, names.includes("lost"), await soundness(database)]).toEqual([null, false, []])
    const kept = warnings.map((warning) => /kept as (\S+),/.exec(warning)![1]!)
    expect(kept.map((file) => readFileSync(file).equals(log))).toEqual([true, true])
  })

  it("leaves its log where an empty file has its name, which SQLite would remove [REST-4]", async () => {
    const { backup, database } = lost()
    for (const ending of ["-wal", "-journal"]) writeFileSync(database + ending, "a log")
    writeFileSync(database, "")
    for (const dryRun of [true, false])
      expect(await whyNot(backup, database, { dryRun, replace: false })).toMatch(/is empty.*-wal, the log of/)
    expect(["-wal", "-journal"].map((ending) => readFileSync(database + ending, "utf8"))).toEqual([
      "a log",
      "a log"
    ])
  })

  it.each([0.3, 0.8])(
    "replaces no database that is made in its place meanwhile, when %d of the work is done [REST-4]",
    async (done) => {
      const { backup, database, folder } = lost()
      const bytes = readFileSync(backup)
      const onProgress = (fraction: number): void => {
        if (fraction >= done && !existsSync(database)) writeFileSync(database, bytes)
      }
      expect(await whyNot(backup, database, { replace: false, onProgress })).toMatch(
        /was made at .* meanwhile/
      )
      expect(readFileSync(database).equals(bytes)).toBe(true)
      expect(readdirSync(folder).filter((name) => /replaced|partial/.test(name))).toEqual([])
    }
  )

  it("says of a path that can't be looked at why it fails [REST-4, STORE-10]", async () => {
    const { backup } = scene()
    const target = join(temporaryFolder(), "x".repeat(300))
    expect(await whyNot(backup, target)).toMatch(/ENAMETOOLONG/)
    const copied = SqliteStore.backup(backup, target)
    expect((await Effect.runPromise(Effect.flip(copied)))._tag).toMatch(/StoreUnavailable/)
  })

  it("follows the link to it, finds its journal, and leaves a circle of links [REST-3, REST-4]", async () => {
    const { backup, database, folder } = lost()
    const [link, circle] = [join(folder, "link.sqlite"), join(folder, "circle.sqlite")]
    symlinkSync("leads.sqlite", link)
    symlinkSync("circle.sqlite", circle)
    const { journal } = await Effect.runPromise(restore(backup, link, { replace: false }))
    expect([journal, existsSync(database), lstatSync(link).isSymbolicLink()]).toEqual([
      realpathSync(`${database}-removals`),
      true,
      true
    ])
    const refused = await Effect.runPromise(Effect.either(restore(backup, circle, { replace: false })))
    expect([refused._tag, lstatSync(circle).isSymbolicLink()]).toEqual(["Left", true])
  })

  it("reads the journal, beside it or elsewhere [REST-3]", async () => {
    const { backup, database, folder, journal } = lost()
    await Effect.runPromise(restore(backup, database, { replace: false }))
    expect(namesIn(database)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    const elsewhere = join(folder, "elsewhere")
    mkdirSync(elsewhere)
    const target = join(elsewhere, "new.sqlite")
    expect(await whyNot(backup, target)).toMatch(/no journal of removals.*--journal.*--without-journal/)
    await Effect.runPromise(restore(backup, target, { journal: { file: journal } }))
    expect(namesIn(target)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    await on(target, Effect.void)
    expect(readFileSync(`${target}-removals`, "utf8")).toBe(readFileSync(journal, "utf8"))
  })

  it("refuses a journal that is damaged, ends too early, or is of another database [REST-3]", async () => {
    const { backup, database, journal } = lost()
    const whole = readFileSync(journal, "utf8")
    const lines = whole.split("\n")
    writeFileSync(
      journal,
      lines
        .with(
          3,
          lines[3]!.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
        )
        .join("\n")
    )
    expect(await whyNot(backup, database)).toMatch(/damaged behind removal 2;/)
    // A line that is missing in the middle.
    writeFileSync(journal, lines.toSpliced(2, 1).join("\n"))
    expect(await whyNot(backup, database)).toMatch(/damaged behind removal 1;/)
    const partly = await Effect.runPromise(
      restore(backup, database, { acceptIncomplete: true, dryRun: true })
    )
    expect([partly.replayed.person.done, partly.warnings.length]).toEqual([1, 1])
    // The last line was being written when the process was killed: nobody was told that it is done.
    writeFileSync(journal, whole.slice(0, -3))
    expect((await Effect.runPromise(restore(backup, database, { dryRun: true }))).warnings).toEqual([])
    writeFileSync(journal, "")
    expect(await whyNot(backup, database)).toContain("no journal of removals")
    const other = join(root, "other.sqlite")
    await on(other, Effect.void)
    expect(await whyNot(backup, database, { journal: { file: `${other}-removals` } })).toContain(
      "another database"
    )
    expect(existsSync(database)).toBe(false)
  })

  it("of a backup that has more than the journal is refused [REST-3]", async () => {
    const made = scene()
    const short = linesOf(made.journal).slice(0, 4).join("\n") + "\n"
    const later = join(made.folder, "later.sqlite")
    await Effect.runPromise(SqliteStore.backup(made.database, later))
    for (const ending of ["", "-wal", "-shm"]) rmSync(made.database + ending, { force: true })
    writeFileSync(made.journal, short)
    expect(await whyNot(later, made.database)).toMatch(
      /ends with removal 3, before the copy was made with removal 13/
    )
  })

  it("can leave the journal out, and the file then is a database of its own [REST-3]", async () => {
    const { backup, database, folder } = lost()
    const restored = await Effect.runPromise(restore(backup, database, { journal: "none" }))
    expect(restored.replayed.person).toEqual({ done: 0, absent: 0 })
    expect(namesIn(database)).toEqual(namesIn(backup))
    expect(await refusalOf(database)).toBe("opened")
    expect(readdirSync(folder).filter((name) => name.startsWith("leads.sqlite-removals."))).toHaveLength(1)
  })

  it("of a path that is a link restores the file that it names [REST-3, REST-4]", async () => {
    const { backup, database, folder } = scene()
    const link = join(folder, "link.sqlite")
    symlinkSync(database, link)
    const { replacedAs } = await Effect.runPromise(restore(backup, link))
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(replacedAs!.startsWith(`${realpathSync(database)}.replaced-`)).toBe(true)
    expect(namesIn(database)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
  })

  it("puts a file aside that SQLite can't read, and leaves no log of it [REST-4]", async () => {
    const { backup, database } = scene()
    writeFileSync(database, "no database ".repeat(1000))
    writeFileSync(`${database}-wal`, "a log")
    const { replacedAs } = await Effect.runPromise(restore(backup, database))
    expect(readFileSync(replacedAs!, "utf8")).toBe("no database ".repeat(1000))
    expect(existsSync(`${database}-wal`)).toBe(false)
    expect(await soundness(database)).toEqual([])
  })
})

describe("a restore of an encrypted database", () => {
  const newKey = () => Either.getOrThrow(parseEncryptionKey(generateEncryptionKey()))
  const [encryption, other] = [{ key: newKey() }, { key: newKey() }]

  it.each([undefined, "secrets"] as const)(
    "replays what was removed under its key, and refuses without it (scope %s) [REST-3, PII-4]",
    async (scope) => {
      const options = scope === undefined ? encryption : { ...encryption, scope }
      const folder = temporaryFolder()
      const [database, backup] = [join(folder, "leads.sqlite"), join(folder, "backup.sqlite")]
      const made = await on(database, before, options)
      await Effect.runPromise(SqliteStore.backup(database, backup, { encryption: options }))
      await on(database, removeAfter(made), options)
      const kept = readFileSync(database)
      for (const wrong of scope === undefined ? [undefined, other] : [])
        expect(await whyNot(backup, database, { encryption: wrong })).toMatch(/encryption key/)
      expect(readFileSync(database).equals(kept)).toBe(true)
      const restored = await Effect.runPromise(restore(backup, database, { encryption: options }))
      expect(restored.replayed).toMatchObject({
        person: { done: 2, absent: 0 },
        key: { done: 2 },
        brand: { done: 1 },
        webhook: { done: 1 }
      })
      const { problems } = await Effect.runPromise(SqliteStore.check(database, () => {}, options))
      expect(problems).toEqual([])
      const left = await on(
        database,
        Effect.flatMap(
          recordObservations(made.mine.brand, [seen(made.mine.signal.id, "ylva", "mine-again")]),
          ([again]) => Effect.succeed(again!.outcome)
        ),
        options
      )
      expect(left).toBe("suppressed")
    }
  )
})
