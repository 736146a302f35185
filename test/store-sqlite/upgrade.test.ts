/** An older file with many leads is brought to this version in a thread: whole or not at all, and others are served meanwhile. */
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { newestMigration } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTick } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { raw } from "../harness/RawFile.ts"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { makeFile } from "../harness/MadeFile.ts"

const folder = temporaryFolder()
const [newest, older] = [join(folder, "newest.sqlite"), join(folder, "older.sqlite")]
/** More than are brought to this version at once, and more than are read at a time. */
const leads = 1100

type Options = Partial<SqliteStore.SqliteStoreOptions>

const over = (filename: string, options: Options = {}) =>
  Layer.merge(SqliteStore.layer({ filename, synced: false, ...options }), webCrypto)

const open = (filename: string, options: Options = {}): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(over(filename, options)))))

const versionOf = (filename: string): unknown =>
  raw(filename, (db) => db.prepare("SELECT max(migration_id) FROM migration").pluck().get())

let number = 0
const copyOf = (filename: string): string => {
  const copy = join(folder, `copy-${++number}.sqlite`)
  copyFileSync(filename, copy)
  return copy
}

/** All that a file holds, but when it was made, and the name that it got when it was first opened. */
const contents = (filename: string): unknown =>
  raw(filename, (db) => {
    const schema = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all()
    const tables = schema as ReadonlyArray<{ readonly type: string; readonly name: string }>
    return [
      schema,
      ...tables
        .filter(({ name, type }) => type === "table" && !["migration", "removal_journal"].includes(name))
        .map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()])
    ]
  })

beforeAll(async () => {
  await makeFile(newest, leads)
  copyFileSync(newest, older)
  raw(older, (db) => takeBackTo(db, 9))
})

describe("an older file", () => {
  it("is brought to the same in a thread as at once, and as a new one is [STORE-5]", async () => {
    for (const version of isThorough ? [3, 8, 11, 12] : [3]) {
      const [atOnce, inWorker] = [copyOf(newest), copyOf(newest)]
      for (const each of [atOnce, inWorker]) raw(each, (db) => takeBackTo(db, version))
      await open(atOnce, { maxEffort: Number.POSITIVE_INFINITY })
      await open(inWorker)
      expect(contents(inWorker)).toEqual(contents(atOnce))
    }
    const [atOnce, inWorker] = [join(folder, "new-1.sqlite"), join(folder, "new-2.sqlite")]
    await open(atOnce, { maxEffort: Number.POSITIVE_INFINITY })
    await open(inWorker, { maxEffort: 0 })
    expect(contents(inWorker)).toEqual(contents(atOnce))
  })

  it("with many leads lets others be served, and one with few is done at once [STORE-5]", async () => {
    const loop = { ticks: 0, isWatched: true }
    const watching = (async () => {
      for (; loop.isWatched; loop.ticks++) await nextTick()
    })()
    /** The ticks of the event loop in which it reported progress. */
    const ticksOf = async (options: Options) => {
      const reports: Array<{ readonly tick: number } & SqliteStore.Migrating> = []
      const onMigrating = (migrating: SqliteStore.Migrating): void =>
        void reports.push({ ...migrating, tick: loop.ticks })
      await open(copyOf(older), { onMigrating, ...options })
      return reports
    }
    const many = await ticksOf({})
    const few = await ticksOf({ maxEffort: 40 * (leads + 1) })
    loop.isWatched = false
    await watching
    expect(many.length).toBeGreaterThan(6)
    // A thread that answers at once does so several times in a tick, most of all on a busy machine.
    expect(new Set(many.map(({ tick }) => tick)).size).toBeGreaterThan(3)
    expect(new Set(few.map(({ tick }) => tick)).size).toBe(1)
    const fractions = many.map(({ fraction }) => fraction)
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b))
    expect([fractions[0], fractions.every((each) => each >= 0 && each <= 1)]).toEqual([0, true])
    expect(many[0]!.doing).toBe(
      `bringing the database to this version, step 1 of ${newestMigration - 9}: texts again`
    )
  })

  it("is read by other processes as it was, until it is of this version [STORE-5]", async () => {
    const filename = copyOf(older)
    const reader = new Database(filename, { readonly: true })
    const seen = new Set<unknown>()
    await open(filename, {
      onMigrating: () => seen.add(reader.prepare("SELECT count(*) FROM lead_text_docsize").pluck().get())
    })
    expect([...seen]).toEqual([leads])
    reader.close()
  })

  it("stays as it was when whoever began goes away half way, and is brought to this version the next time [STORE-5]", async () => {
    const filename = copyOf(older)
    const before = contents(filename)
    const fiber = Effect.runFork(
      Effect.scoped(
        Layer.build(
          over(filename, {
            onMigrating: ({ fraction }) => {
              if (fraction > 0.1) fiber.unsafeInterruptAsFork(fiber.id())
            }
          })
        )
      )
    )
    const exit = await Effect.runPromise(Fiber.await(fiber))
    expect(exit._tag).toBe("Failure")
    expect(versionOf(filename)).toBe(9)
    expect(contents(filename)).toEqual(before)
    await open(filename)
    expect(versionOf(filename)).toBe(newestMigration)
  })

  it("stays as it was when a step fails, and says why [STORE-5]", async () => {
    const filename = copyOf(older)
    // In the way of the eleventh version.
    raw(filename, (db) => db.exec("CREATE TABLE lead_change (theirs)"))
    const before = contents(filename)
    const failure = await Effect.runPromise(Effect.scoped(Effect.flip(Layer.build(over(filename)))))
    expect([failure._tag, failure.reason]).toEqual([
      "@lead-signals/domain/StoreUnavailable",
      "the SQLite file could not be used (SQLITE_ERROR)"
    ])
    expect(contents(filename)).toEqual(before)
  })

  it("waits for whoever brings it to this version already, and says so [STORE-5]", async () => {
    const filename = copyOf(older)
    const locking = new Database(filename)
    locking.exec("BEGIN IMMEDIATE")
    const waits: Array<string> = []
    let letGo = (): void => {}
    const waited = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const opened = open(filename, {
      onMigrating: ({ doing }) => {
        waits.push(doing)
        letGo()
      }
    })
    await waited
    locking.exec(
      `INSERT INTO migration (migration_id, name) VALUES ${Array.from({ length: newestMigration - 9 }, (_, i) => `(${10 + i}, 'theirs')`).join(", ")};
       CREATE TABLE secret_wrapping (id INTEGER PRIMARY KEY CHECK (id = 1), key_id TEXT) STRICT;
       CREATE TABLE removal (position INTEGER PRIMARY KEY, at, kind, brand_id, subject);
       CREATE TABLE removal_journal (id INTEGER PRIMARY KEY, database_id, began_at, dropped);
       INSERT INTO removal_journal VALUES (1, '', 0, 0)`
    )
    locking.exec("COMMIT")
    locking.close()
    await opened
    expect(new Set(waits)).toEqual(new Set(["waiting for the process that has the database locked"]))
    expect(versionOf(filename)).toBe(newestMigration)
  })
})
