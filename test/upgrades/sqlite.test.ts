/** Files of every released version, written by the code of that version, are brought to this one, whole and whatever happens meanwhile. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { newestMigration, rebuildDerivedTables } from "@lead-signals/store-sqlite/internal"
import { Prng } from "@lead-signals/simulation-kernel"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { raw } from "../harness/RawFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { comparedWith, withApi } from "./Comparison.ts"
import { commits, fixtureVersions, readFixture, releasedVersions } from "./ReleasedVersions.ts"
import { rowsOf, schemaOf } from "./SqliteContents.ts"

const folder = temporaryFolder()
const versions = fixtureVersions("sqlite")
/** The first version, and the newest before this one. */
const chosen = isThorough ? versions : [versions[0]!, versions.findLast((each) => each < newestMigration)!]
const layer = (filename: string, maxEffort?: number) =>
  SqliteStore.layer({ filename, synced: false, ...(maxEffort === undefined ? {} : { maxEffort }) })
const open = (filename: string, maxEffort?: number): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(layer(filename, maxEffort)))))

let files = 0
/** The file as the version left it. */
const fileOf = (version: number): string => {
  const filename = join(folder, `${++files}-of-${version}.sqlite`)
  writeFileSync(filename, readFixture("sqlite", version).content, { mode: 0o600 })
  return filename
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
      await open(inThread, 0)
      expect(rowsOf(inThread)).toEqual(rowsOf(atOnce))
    }
  })
})

const killer = fileURLToPath(new URL("KillAtStatement.mjs", import.meta.url))

/** Runs a command that opens the file as a server does and sends no webhook; answers its exit code, or the signal that ended it. */
const openAndDie = async (filename: string, statement: number): Promise<string | number> => {
  const child = spawn(
    process.execPath,
    [...nodeArguments, "--import", killer, bundledServer, "prune", "--dry-run", "--database", filename],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: compileCache,
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
