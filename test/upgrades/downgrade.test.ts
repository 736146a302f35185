/** A database of a newer version is refused by the server and by each command that opens it, with one line, and stays as it is. */
import { Brands, BrandStore, StoreHealth } from "@lead-signals/domain"
import { generateEncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { raw } from "../harness/RawFile.ts"
import { endServersAfterTests, spawnBundle } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { fixtureVersions, readFixture } from "./ReleasedVersions.ts"

endServersAfterTests()
const folder = temporaryFolder()

/** Every command that opens a database, by what it is given. */
const commandsOn = (database: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["check", "--database", database],
  ["prune", "--database", database],
  ["prune", "--dry-run", "--database", database],
  ["copy", "--from", database, "--to", join(folder, "copied.sqlite")],
  ["rekey", "--to", "env:NEXT_KEY", "--database", database]
]

/** Has the key that `rekey` is to bring the database to. */
const run = (command: ReadonlyArray<string>) => runCommand(command, { NEXT_KEY: generateEncryptionKey() })

const oneLine = (text: string): string => {
  expect(text.trim().split("\n")).toHaveLength(1)
  return text.trim()
}

const startOn = async (database: string) => {
  const server = spawnBundle(bundledServer, { LEAD_SIGNALS_DATABASE: database, LEAD_SIGNALS_DEMO: "false" })
  await once(server.child, "close")
  return { code: await server.exit, line: oneLine(server.err()) }
}

describe("a file of a newer version", () => {
  const filename = join(folder, "newer.sqlite")
  const refused =
    /was written by a newer version of Lead Signals \(\d+, this one knows \d+\): use that version, or a backup of before/
  /** The digest, size, mode and time of the file, and the names beside it. */
  const state = () => {
    const { mode, mtimeMs, size } = statSync(filename)
    const digest = createHash("sha256").update(readFileSync(filename)).digest("hex")
    return { digest, mode, mtimeMs, size, names: readdirSync(folder).sort() }
  }
  let before: ReturnType<typeof state>

  beforeAll(async () => {
    const store = SqliteStore.layer({ filename, synced: false })
    await Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(store))))
    raw(filename, (db) => {
      const next = `(SELECT max(migration_id) + 1 FROM migration)`
      db.exec(
        `ALTER TABLE lead ADD COLUMN later TEXT; INSERT INTO migration (migration_id, name) VALUES (${next}, 'later')`
      )
      // As a program leaves it that chose another way of writing: opening it must not change that either.
      db.pragma("wal_checkpoint(TRUNCATE)")
      db.pragma("journal_mode = DELETE")
    })
    before = state()
  })

  it("is refused by the server, and stays as it is [STORE-4, UPG-3]", async () => {
    const { code, line } = await startOn(filename)
    expect([code, line]).toEqual([2, expect.stringMatching(refused)])
    expect(state()).toEqual(before)
  })

  it("is refused by each command, and stays as it is [STORE-4, UPG-3]", async () => {
    const commands = [
      ...commandsOn(filename),
      ["backup", join(folder, "backup.sqlite"), "--database", filename],
      ["rekey", "--to", "none", "--database", filename],
      ["restore", filename, "--to", join(folder, "restored.sqlite")]
    ]
    for (const command of commands) {
      const { code, err, out } = await run(command)
      expect([command[0], code, out, oneLine(err)]).toEqual([
        command[0],
        1,
        "",
        expect.stringMatching(
          command[0] === "restore" ? /schema version \d+ and this program has \d+/ : refused
        )
      ])
      expect([
        command[0],
        {
          ...state(),
          names: readdirSync(folder)
            .filter((name) => !name.startsWith("copied"))
            .sort()
        }
      ]).toEqual([command[0], before])
    }
  })
})

describe.skipIf(isWithoutPostgres)("a Postgres schema of a version that this one can't serve", () => {
  const refused =
    /is of a newer version of Lead Signals \(99, this one knows \d+\): use that version, or a backup of before/
  let url: string
  const query = async (text: string): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  beforeAll(async () => {
    url = await newDatabase()
    const newest = fixtureVersions("postgres").at(-1)!
    await query(readFixture("postgres", newest).content.toString())
    await query("INSERT INTO lead_signals.migration (id, name, min_version) VALUES (99, 'later', 99)")
  })

  it("is refused by the server and each command, and stays as it is [STORE-4, UPG-3]", async () => {
    const state = () =>
      query(
        "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del AS changes FROM pg_stat_user_tables ORDER BY relname"
      )
    const tables = await query("SELECT count(*)::int AS n FROM pg_class")
    const before = await state()
    const { code, line } = await startOn(url)
    expect([code, line]).toEqual([2, expect.stringMatching(refused)])
    for (const command of commandsOn(url)) {
      const ran = await run(command)
      expect([command[0], ran.code, ran.out, oneLine(ran.err)]).toEqual([
        command[0],
        1,
        "",
        expect.stringMatching(refused)
      ])
    }
    expect(await state()).toEqual(before)
    expect(await query("SELECT count(*)::int AS n FROM pg_class")).toEqual(tables)
  })
})

describe("a file that a newer version migrates while this one serves it", () => {
  it("takes no write of this one any more, and is not ready [STORE-4, UPG-3]", async () => {
    const filename = join(folder, "served.sqlite")
    const refused = expect.stringContaining("was written by a newer version of Lead Signals")
    await Effect.gen(function* () {
      const brands = yield* BrandStore
      const health = yield* StoreHealth
      yield* Brands.create("Before")
      expect((yield* health.check).writeProblem).toBe(null)
      raw(filename, (db) =>
        db.exec(
          "INSERT INTO migration (migration_id, name) SELECT max(migration_id) + 1, 'later' FROM migration"
        )
      )
      expect((yield* Effect.flip(Brands.create("After"))).reason).toEqual(refused)
      expect((yield* Effect.flip(health.check)).reason).toEqual(refused)
      raw(filename, (db) => db.exec("DELETE FROM migration WHERE name = 'later'"))
      yield* Brands.create("After all")
      expect((yield* brands.list).map(({ name }) => name)).toEqual(["Before", "After all"])
    }).pipe(
      Effect.provide(Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)),
      Effect.scoped,
      Effect.runPromise
    )
  })
})
