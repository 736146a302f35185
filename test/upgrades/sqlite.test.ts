/** Files of every released version, written by the code of that version, are brought to this one, whole and whatever happens meanwhile. */
import { type EncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import * as SqliteStore from "@lead-signals/store-sqlite"
import {
  DriverConnection,
  fileKeyOf,
  newestMigration,
  rebuildDerivedTables
} from "@lead-signals/store-sqlite/internal"
import { Prng } from "@lead-signals/simulation-kernel"
import { Effect, Either, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { raw } from "../harness/RawFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { comparedWith, moveRecords, withApi } from "./Comparison.ts"
import { commits, fixtureKey, fixtureVersions, readFixture, releasedVersions } from "./ReleasedVersions.ts"
import { rowsOf, schemaOf } from "./SqliteContents.ts"

const folder = temporaryFolder()
const versions = fixtureVersions("sqlite")
/** The first version, and the newest before this one. */
const chosen = isThorough ? versions : [versions[0]!, versions.findLast((each) => each < newestMigration)!]
const key: EncryptionKey = Either.getOrThrow(parseEncryptionKey(fixtureKey))
interface Opening {
  readonly maxEffort?: number
  readonly isEncrypted?: boolean
}
const layer = (filename: string, { isEncrypted = false, maxEffort }: Opening = {}) =>
  SqliteStore.layer({
    filename,
    synced: false,
    ...(maxEffort === undefined ? {} : { maxEffort }),
    ...(isEncrypted ? { encryption: { key } } : {})
  })
const open = (filename: string, opening?: Opening): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(layer(filename, opening)))))

let files = 0
/** The file as the version left it, with its journal of removals. */
const fileOf = (version: number, isEncrypted = false): string => {
  const filename = join(folder, `${++files}-of-${version}.sqlite`)
  const { content, removals } = readFixture(isEncrypted ? "sqlite-encrypted" : "sqlite", version)
  writeFileSync(filename, content, { mode: 0o600 })
  if (removals.length > 0) writeFileSync(`${filename}-removals`, removals, { mode: 0o600 })
  return filename
}

/** Brings what lasts for a day to the present. */
const renew = (filename: string, isEncrypted = false): void => {
  const sql = new DriverConnection(filename, {
    readonly: false,
    busyMillis: 1000,
    key: isEncrypted ? fileKeyOf(key) : undefined
  })
  try {
    if (sql.value("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency_record'") !== undefined)
      sql.run(moveRecords("idempotency_record", String(Date.now())))
  } finally {
    sql.close()
  }
}

const fresh = join(folder, "fresh.sqlite")
beforeAll(() => open(fresh))

const check = (filename: string) => Effect.runPromise(SqliteStore.check(filename))

describe("a file of a released version", () => {
  it("is kept for each version before this one", () => {
    expect(versions).toEqual(releasedVersions("sqlite"))
    expect(commits.sqlite.length, "make it as CONTRIBUTING.md says").toBeGreaterThanOrEqual(
      newestMigration - 1
    )
  })

  it.each(chosen)(
    "%i answers after the upgrade what it answered before, and is sound [STORE-5, UPG-1]",
    async (version) => {
      const filename = fileOf(version)
      expect(raw(filename, (db) => db.prepare("SELECT max(migration_id) FROM migration").pluck().get())).toBe(
        version
      )
      renew(filename)
      const { answers } = readFixture("sqlite", version)
      expect(answers.bodies.length).toBeGreaterThan(40)
      expect(await withApi(layer(filename), (call, token) => comparedWith(answers, call, token))).toEqual([])
      expect(schemaOf(filename)).toEqual(schemaOf(fresh))
      const { problems, version: reached } = await check(filename)
      expect([reached, problems]).toEqual([newestMigration, []])
      const before = rowsOf(filename)
      raw(filename, (db) => db.transaction(() => rebuildDerivedTables.forEach((each) => db.exec(each)))())
      // The buckets of ranks split where leads came in; `check` compares their sums.
      const derived = ["lead_count", "lead_day_count", "activity_hour", "delivery_hour"]
      const after = rowsOf(filename)
      for (const table of derived) {
        const kept = (rows: unknown) =>
          (rows as Array<{ n: number }>)
            .filter(({ n }) => n !== 0)
            .map((row) => JSON.stringify(row))
            .sort()
        expect([table, kept(after[table])]).toEqual([table, kept(before[table])])
      }
    }
  )

  it.skipIf(!isThorough)("is brought to the same in a thread as at once [STORE-5]", async () => {
    for (const version of versions) {
      const [atOnce, inThread] = [fileOf(version), fileOf(version)]
      await open(atOnce)
      await open(inThread, { maxEffort: 0 })
      expect(rowsOf(inThread)).toEqual(rowsOf(atOnce))
    }
  })
})

const killer = fileURLToPath(new URL("KillAtStatement.mjs", import.meta.url))

describe("an encrypted file of a released version", () => {
  const encrypted = fixtureVersions("sqlite-encrypted")
  const decrypted = async (filename: string): Promise<string> => {
    await Effect.runPromise(SqliteStore.rekey(filename, { current: key, target: undefined }))
    return filename
  }

  it("is kept", () => expect(encrypted).toEqual(releasedVersions("sqlite-encrypted")))

  it.each(isThorough ? encrypted : encrypted.slice(0, 1))(
    "%i needs its key, and answers after the upgrade what it answered before [PII-4, STORE-5, UPG-1]",
    async (version) => {
      const filename = fileOf(version, true)
      const { answers, content } = readFixture("sqlite-encrypted", version)
      expect(content.includes("Ada Example")).toBe(false)
      await expect(open(filename)).rejects.toThrow(
        /is encrypted under the key .*, and no encryption key is set/
      )
      expect(readFileSync(filename)).toEqual(content)
      renew(filename, true)
      const differences = await withApi(layer(filename, { isEncrypted: true }), (call, token) =>
        comparedWith(answers, call, token)
      )
      expect(differences).toEqual([])
      const { problems, version: reached } = await Effect.runPromise(
        SqliteStore.check(filename, () => {}, { key })
      )
      expect([reached, problems]).toEqual([newestMigration, []])
      expect(readFileSync(filename).includes("Ada Example")).toBe(false)
      expect(schemaOf(await decrypted(filename))).toEqual(schemaOf(fresh))
    }
  )

  it.runIf(isThorough)("is brought to the same end after kills at any statement [PII-4, UPG-2]", async () => {
    const prng = Prng.of(28, "kills with a key")
    for (const version of encrypted) {
      const undisturbed = fileOf(version, true)
      await open(undisturbed, { isEncrypted: true })
      const counting = fileOf(version, true)
      expect(await openAndDie(counting, 0, fixtureKey)).toBe(0)
      const statements = Number(readFileSync(`${counting}.statements`, "utf8"))
      expect(statements).toBeGreaterThan(20)
      const filename = fileOf(version, true)
      const ends = []
      for (let kills = 0; kills < 6; kills++)
        ends.push(await openAndDie(filename, 1 + prng.below(statements), fixtureKey))
      expect(ends).toContain("SIGKILL")
      await open(filename, { isEncrypted: true })
      expect([version, rowsOf(await decrypted(filename))]).toEqual([
        version,
        rowsOf(await decrypted(undisturbed))
      ])
    }
  })
})

describe("the journal of removals of a released version", () => {
  const withJournal = versions.filter((version) => readFixture("sqlite", version).removals.length > 0)
  const linesOf = (filename: string): ReadonlyArray<string> =>
    readFileSync(`${filename}-removals`, "utf8").trimEnd().split("\n")

  it("is kept with each file that has one", () => {
    expect(withJournal).toEqual(versions.filter((version) => version >= 22))
  })

  it.each(isThorough ? withJournal : withJournal.slice(0, 1))(
    "%i goes on after the upgrade, and a restore of a backup of before does again what came since [REST-1, REST-4, UPG-1]",
    async (version) => {
      const filename = fileOf(version)
      const backup = `${filename}-backup`
      copyFileSync(filename, backup)
      const before = linesOf(filename)
      const { keys } = readFixture("sqlite", version).answers
      const [brandId, apiKey] = Object.entries(keys)[0]!
      const statusOf = (path: string, token: string) =>
        withApi(layer(filename), async (call) => (await call("GET", path, token)).status)
      await withApi(layer(filename), async (call, token) => {
        expect((await call("GET", "/signals/leads", apiKey)).status).toBe(200)
        const path = `/operator/brands/${brandId}/keys`
        const { id } = (await call("GET", path, token)).body.data.find(
          ({ start }: { readonly start: string }) => apiKey.startsWith(start)
        )
        expect((await call("DELETE", `${path}/${id}`, token)).status).toBe(204)
      })
      expect(linesOf(filename).slice(0, before.length)).toEqual(before)
      expect(linesOf(filename)).toHaveLength(before.length + 1)
      const restored = await Effect.runPromise(
        SqliteStore.restore({
          file: backup,
          target: filename,
          journal: "beside",
          acceptIncomplete: false,
          replace: true,
          dryRun: false
        })
      )
      expect([restored.fromVersion, restored.version]).toEqual([version, newestMigration])
      expect(restored.replayed.key).toEqual({ done: 1, absent: 0 })
      expect(await statusOf("/signals/leads", apiKey)).toBe(401)
      expect(await statusOf("/signals/leads", keys[Object.keys(keys)[1]!]!)).toBe(200)
    }
  )
})

/**
 * Runs a command that opens the file, under the key where one is given, as a server does, and sends no webhook; answers its exit code, or the
 * signal that ended it.
 */
const openAndDie = async (
  filename: string,
  statement: number,
  encryptionKey = ""
): Promise<string | number> => {
  const child = spawn(
    process.execPath,
    [...nodeArguments, "--import", killer, bundledServer, "prune", "--dry-run", "--database", filename],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: compileCache,
        LEAD_SIGNALS_ENCRYPTION_KEY: encryptionKey,
        KILL_AT_STATEMENT: String(statement),
        STATEMENTS_FILE: `${filename}.statements`
      },
      stdio: "ignore"
    }
  )
  const [code, signal] = await once(child, "exit")
  return signal ?? code
}

describe("a process that migrates a file", () => {
  it("is killed at any statement, and the next start brings the file to the same end [STORE-5, UPG-2]", async () => {
    const prng = Prng.of(28, "kills")
    for (const version of isThorough ? versions.filter((each) => each < newestMigration) : [12]) {
      const undisturbed = fileOf(version)
      await open(undisturbed)
      const counting = fileOf(version)
      expect(await openAndDie(counting, 0)).toBe(0)
      const statements = Number(readFileSync(`${counting}.statements`, "utf8"))
      expect(statements).toBeGreaterThan(20)
      const filename = fileOf(version)
      for (let kills = 0; kills < (isThorough ? 6 : 1); kills++) {
        // Again and again on one file, as a supervisor starts it.
        const ended = await openAndDie(filename, 1 + prng.below(statements))
        expect(["SIGKILL", 0]).toContain(ended)
      }
      await open(filename)
      expect([version, rowsOf(filename)]).toEqual([version, rowsOf(undisturbed)])
      expect((await check(filename)).problems).toEqual([])
      for (const each of [undisturbed, counting, filename]) {
        for (const ending of ["", "-wal", "-shm"]) rmSync(each + ending, { force: true })
        expect(existsSync(each)).toBe(false)
      }
    }
  })
})
