/** The driver under the store: on which runtimes it is loaded, and what is said where it can't be. */
import { createLeadSignals } from "@lead-signals/embedded"
import { generateEncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { SqliteClient } from "@effect/sql-sqlite-node"
import BetterSqlite3 from "better-sqlite3"
import { Effect, Either, Layer } from "effect"
import { existsSync } from "node:fs"
import Module, { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { DriverConnection, runtimeProblem } from "@lead-signals/store-sqlite/internal"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const require = createRequire(import.meta.url)
const folder = temporaryFolder()

describe("the SQLite driver", () => {
  it.each([
    ["Node 20", { node: "20.20.2", napi: "9" }, /^Node 20\.20\.2 can't load .*Node 22\.14 or newer/],
    ["Node 22.13", { node: "22.13.1", napi: "9" }, /^Node 22\.13\.1 can't load/],
    [
      "Bun 1.3",
      { bun: "1.3.14", node: "24.3.0", napi: "10" },
      /^Bun 1\.3\.14 can't load .*update Bun to 1\.4\.1/
    ],
    ["Bun 1.4.0", { bun: "1.4.0", node: "24.3.0", napi: "10" }, /^Bun 1\.4\.0/]
  ])("is not loaded on %s, where it would end the process [RUN-7]", (_, versions, reason) => {
    expect(runtimeProblem(versions)).toMatch(reason)
    expect(runtimeProblem(versions)).toContain("or use a store in memory")
  })

  it.each([
    ["Node 22.14", { node: "22.14.0", napi: "10" }],
    ["Node 26", { node: "26.10.0", napi: "10" }],
    ["Bun 1.4.1", { bun: "1.4.1", node: "26.3.0", napi: "10" }],
    ["Bun 2", { bun: "2.0.0-canary.1", node: "26.3.0", napi: "10" }],
    ["Deno 2, which understates its Node-API", { deno: "2.4.0", node: "22.14.0", napi: "8" }]
  ])("is loaded on %s [RUN-7]", (_, versions) => {
    expect(runtimeProblem(versions)).toBe(null)
  })

  it.each([
    ["a folder", folder, { code: "SQLITE_CANTOPEN" }],
    ["in a folder that is not there", join(folder, "missing", "a.sqlite"), { name: "TypeError" }]
  ])("hands on what SQLite says of a file that is %s [RUN-7]", (_, filename, said) => {
    let thrown: unknown = null
    try {
      new DriverConnection(filename, { readonly: false, busyMillis: 0 }).close()
    } catch (failure) {
      thrown = failure
    }
    expect(thrown).toMatchObject(said)
  })

  it.each([
    ["installed", "MODULE_NOT_FOUND", "is not installed beside this program; run npm install"],
    ["of this machine", "ERR_DLOPEN_FAILED", "can't be loaded (no such driver)"]
  ])("that encrypts and is not %s is named, and no file is made [RUN-7, PII-4]", async (_, code, reason) => {
    const cipherDriver = "better-sqlite3-multiple-ciphers"
    const loader = Module as unknown as { _load: (name: string, ...more: ReadonlyArray<unknown>) => unknown }
    const load = loader._load
    const failing = vi.spyOn(loader, "_load").mockImplementation((name, ...more) => {
      if (name === cipherDriver) throw Object.assign(new Error("no such driver"), { code })
      return load(name, ...more)
    })
    const filename = join(folder, "encrypted.sqlite")
    const encryption = { key: Either.getOrThrow(parseEncryptionKey(generateEncryptionKey())) }
    const failure = await Effect.runPromise(
      Effect.flip(Effect.scoped(Layer.build(SqliteStore.layer({ filename, encryption }))))
    ).finally(() => failing.mockRestore())
    expect(failure.reason).toContain(`${cipherDriver}, the SQLite driver that encrypts, ${reason}`)
    expect(existsSync(filename)).toBe(false)
  })

  it("is the one of @effect/sql-sqlite-node, too, which reads the file beside the store", async () => {
    const ofClient = createRequire(require.resolve("@effect/sql-sqlite-node")).resolve("better-sqlite3")
    expect(ofClient).toBe(require.resolve("better-sqlite3"))
    const version = require("better-sqlite3/package.json").version as string
    expect(Number(version.split(".")[0])).toBeGreaterThanOrEqual(13)

    const filename = join(folder, "shared.sqlite")
    const service = await createLeadSignals({ store: SqliteStore.layer({ filename }) })
    await service.createBrand("Of the store")
    const program = Effect.gen(function* () {
      const sql = yield* SqliteClient.SqliteClient
      yield* sql`CREATE TABLE host_note (brand_id INTEGER, note TEXT)`
      yield* sql.withTransaction(sql`INSERT INTO host_note SELECT id, 'kept by the host' FROM brand`)
      return yield* sql`SELECT name, note FROM brand JOIN host_note ON brand_id = id`
    })
    const rows = await Effect.runPromise(program.pipe(Effect.provide(SqliteClient.layer({ filename }))))
    expect(rows).toEqual([{ name: "Of the store", note: "kept by the host" }])
    await service.close()
    new BetterSqlite3(filename, { readonly: true }).close()
  })
})
