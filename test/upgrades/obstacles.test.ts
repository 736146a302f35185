/** What meets a migration of a SQLite file: full and read-only disks, several starts at once, logs that others left, damaged files. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Exit, Layer } from "effect"
import { Prng } from "@lead-signals/simulation-kernel"
import { execFileSync, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { runProcess } from "../harness/CommandRun.ts"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { makeFile } from "../harness/MadeFile.ts"
import { raw } from "../harness/RawFile.ts"
import { callJson } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { smallDisk } from "../store-sqlite/SmallDisk.ts"
import { checkOut, hasCommit, operatorToken, startRelease } from "./EarlierRelease.ts"
import { commits, readFixture } from "./ReleasedVersions.ts"
import { rowsOf } from "./SqliteContents.ts"

const folder = temporaryFolder()
const version = 12
const { content } = readFixture("sqlite", version)

let files = 0
const newFile = (place = folder): string => {
  const filename = join(place, `obstacle-${++files}.sqlite`)
  writeFileSync(filename, content, { mode: 0o600 })
  return filename
}

const open = (filename: string, maxEffort = 10_000): Promise<Exit.Exit<void, { readonly reason: string }>> =>
  Effect.runPromiseExit(
    Effect.scoped(Effect.asVoid(Layer.build(SqliteStore.layer({ filename, synced: false, maxEffort }))))
  )
const versionOf = (filename: string): unknown =>
  raw(filename, (db) => db.prepare("SELECT max(migration_id) FROM migration").pluck().get())
const digestOf = (filename: string): string =>
  createHash("sha256").update(readFileSync(filename)).digest("hex")

let wanted: ReturnType<typeof rowsOf>
let newest: unknown
beforeAll(async () => {
  const filename = newFile()
  await open(filename)
  wanted = rowsOf(filename)
  newest = versionOf(filename)
})

const expectMigrated = async (filename: string): Promise<void> => {
  const exit = await open(filename)
  expect([exit._tag, Exit.isFailure(exit) ? String(exit.cause) : ""]).toEqual(["Success", ""])
  expect(rowsOf(filename)).toEqual(wanted)
}

describe("an older file", () => {
  it("is migrated once by several that open it at the same moment [STORE-5, UPG-2]", async () => {
    const filename = newFile()
    const exits = await Promise.all([open(filename), open(filename, 0), open(filename)])
    expect(exits.map(({ _tag }) => _tag)).toEqual(["Success", "Success", "Success"])
    await expectMigrated(filename)
    if (!isThorough) return
    const among = newFile()
    const ran = await Promise.all(
      [1, 2, 3].map(() => runProcess(folder, ["prune", "--dry-run", "--database", among]))
    )
    expect(ran.map(({ code, err }) => [code, err])).toEqual([
      [0, ""],
      [0, ""],
      [0, ""]
    ])
    await expectMigrated(among)
  })

  it.skipIf(!isThorough)(
    "is migrated beside a log without content, or with the content of no file [UPG-2]",
    async () => {
      for (const log of [Buffer.alloc(0), randomBytes(40_000)]) {
        const filename = newFile()
        writeFileSync(`${filename}-wal`, log)
        await expectMigrated(filename)
      }
    }
  )

  it("that was copied in part is refused, and stays as it is [STORE-4, UPG-2]", async () => {
    for (const part of isThorough ? [0.3, 0.6, 0.95] : [0.6]) {
      const filename = newFile()
      truncateSync(filename, Math.floor((content.length * part) / 4096) * 4096)
      const before = digestOf(filename)
      const exit = await open(filename)
      expect([part, String(exit)]).toEqual([
        part,
        expect.stringContaining("the file is damaged or is not a SQLite file")
      ])
      expect([part, digestOf(filename)]).toEqual([part, before])
      expect(existsSync(`${filename}-limits`)).toBe(false)
    }
  })
})

describe.skipIf(!isThorough)("an older file with many leads", () => {
  it("is killed at any time while a thread migrates it, and the next start brings it to the same end [STORE-5, UPG-2]", async () => {
    const large = join(folder, "large.sqlite")
    await makeFile(large, 2000)
    raw(large, (db) => {
      takeBackTo(db, 9)
      db.pragma("wal_checkpoint(TRUNCATE)")
    })
    const [undisturbed, killed] = [join(folder, "undisturbed.sqlite"), join(folder, "killed.sqlite")]
    for (const copy of [undisturbed, killed]) copyFileSync(large, copy)
    await open(undisturbed)
    const prng = Prng.of(28, "threads")
    const ends: Array<string | number> = []
    while (ends.filter((end) => end === "SIGKILL").length < 8) {
      const child = spawn(
        process.execPath,
        [...nodeArguments, bundledServer, "prune", "--dry-run", "--database", killed],
        {
          env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache },
          stdio: ["ignore", "pipe", "ignore"]
        }
      )
      const ended = once(child, "exit")
      // A migration in a thread begins some time after the log does.
      while (child.exitCode === null && !existsSync(`${killed}-shm`)) await sleep(5)
      await sleep(prng.below(300))
      child.kill("SIGKILL")
      const [code, signal] = await ended
      ends.push(signal ?? code)
      if (versionOf(killed) === newest) break
    }
    expect(ends).toContain("SIGKILL")
    expect((await open(killed))._tag).toBe("Success")
    expect(rowsOf(killed)).toEqual(rowsOf(undisturbed))
    expect((await Effect.runPromise(SqliteStore.check(killed))).problems).toEqual([])
  })
})

const disk = isThorough ? smallDisk(2) : null

describe.skipIf(disk === null)("an older file on a disk of its own", () => {
  it("stays as it is when the disk is full, and is migrated when there is room [UPG-2, ERR-3]", async () => {
    const { fill, folder: place, free } = disk!
    for (const maxEffort of [10_000, 0]) {
      const filename = newFile(place)
      const before = rowsOf(filename)
      fill()
      const exit = await open(filename, maxEffort)
      expect(String(exit)).toMatch(/the disk is full|can't be read or written/)
      free()
      expect(versionOf(filename)).toBe(version)
      expect(rowsOf(filename)).toEqual(before)
      await expectMigrated(filename)
      for (const ending of ["", "-wal", "-shm", "-limits", "-limits-wal", "-limits-shm"])
        rmSync(filename + ending, { force: true })
    }
  })

  it("is refused on a read-only disk, with what is wrong [STORE-4]", async () => {
    const { folder: place } = disk!
    const filename = newFile(place)
    const before = digestOf(filename)
    execFileSync("mount", ["-o", "remount,ro", place])
    try {
      expect(String(await open(filename))).toMatch(/can't be (?:made or )?opened for writing/)
      expect(digestOf(filename)).toBe(before)
    } finally {
      execFileSync("mount", ["-o", "remount,rw", place])
    }
    await expectMigrated(filename)
  })
})

const crashed = [1, version, 17]
const hasHistory = crashed.every((each) => hasCommit(commits.sqlite[each - 1]!))

describe.skipIf(!isThorough || !hasHistory)("a file whose server of an earlier version was killed", () => {
  it.each(crashed)("%i loses nothing that lay in its log [STORE-2, UPG-2]", async (each) => {
    const place = temporaryFolder()
    checkOut(commits.sqlite[each - 1]!, join(place, "sources"))
    const filename = join(place, "leads.sqlite")
    writeFileSync(filename, readFixture("sqlite", each).content, { mode: 0o600 })
    const server = await startRelease(join(place, "sources"), filename)
    const [brandId, key] = Object.entries(readFixture("sqlite", each).answers.keys)[0]!
    const path = `${server.url}/operator/brands/${brandId}`
    const [signal] = (await callJson(`${path}/signals`, operatorToken)).body.data
    const observations = Array.from({ length: 200 }, (_, n) => ({
      signalId: signal.id,
      person: { extId: `in-log-${n}`, name: `In Log ${n}` },
      engagement: { id: `in-log-${n}` }
    }))
    expect((await callJson(`${path}/observations`, operatorToken, "POST", { observations })).status).toBe(200)
    const list = "/signals/leads?pageSize=100&page=2&sort=updatedAt:desc"
    const before = (await callJson(server.url + list, key)).body
    const ended = once(server.child, "exit")
    server.child.kill("SIGKILL")
    await ended
    expect(readFileSync(`${filename}-wal`).length).toBeGreaterThan(10_000)
    const checked = await runProcess(folder, ["prune", "--dry-run", "--database", filename])
    expect([checked.code, checked.err]).toEqual([0, ""])
    expect(
      raw(filename, (db) => db.prepare("SELECT count(*) FROM lead WHERE name LIKE 'In Log %'").pluck().get())
    ).toBe(200)
    const { problems } = await Effect.runPromise(SqliteStore.check(filename))
    expect([problems, versionOf(filename)]).toEqual([[], newest])
    expect(before.data).toHaveLength(100)
    expect(existsSync(bundledServer)).toBe(true)
  })
})
