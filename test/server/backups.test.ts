/** Backups that the server makes by itself. */
import { makeBackups, readSettings } from "@lead-signals/server/internal"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Fiber, Layer, Logger } from "effect"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCommand, program } from "../harness/CommandRun.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const until = async <A>(look: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(20)
  }
}

const metric = async (url: string, name: string): Promise<number | undefined> => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
  const value = new RegExp(`^lead_signals_backup_${name} (\\S+)$`, "m").exec(await response.text())?.[1]
  return value === undefined ? undefined : Number(value)
}

const settings = (folder: string) => ({
  LEAD_SIGNALS_DATABASE: join(folder, "leads.sqlite"),
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_BACKUP_FOLDER: join(folder, "backups"),
  LEAD_SIGNALS_BACKUP_COPIES: "3"
})

describe("a server with a folder for backups", () => {
  it("makes one that can be restored, keeps as many as it is to, and touches no other file [REST-6]", async () => {
    const folder = temporaryFolder()
    const backups = join(folder, "backups")
    mkdirSync(backups)
    const old = ["01", "02", "03"].map((day) => `leads-2026-01-${day}T00-00-00Z.sqlite`)
    const others = ["other-2026-01-01T00-00-00Z.sqlite", "leads-2026-01-01.sqlite", "notes.txt"]
    for (const name of [...old, ...others]) writeFileSync(join(backups, name), "x")
    // A killed process left it.
    writeFileSync(join(backups, "leads-2026-01-04T00-00-00Z.sqlite.999999.lead-signals-partial"), "x")
    // Two servers on one file make one backup.
    const servers = await Promise.all([
      startServer(settings(folder), program),
      startServer(settings(folder), program)
    ])
    const listed = () => readdirSync(backups).sort()
    const made = await until(() =>
      listed().find((name) => name.startsWith("leads-") && !old.includes(name) && name.endsWith("Z.sqlite"))
    )
    await until(() => (listed().includes(old[0]!) ? undefined : true))
    const times = await until(async () => {
      const each = await Promise.all(servers.map(({ url }) => metric(url, "completed_timestamp_seconds")))
      return each.find((value) => value !== undefined && value > 1_780_000_000)
    })
    expect(Math.abs(times * 1000 - Date.now())).toBeLessThan(600_000)
    await Promise.all(servers.map((each) => each.end("SIGTERM")))
    expect(listed()).toEqual([...others, ...old.slice(1), made].sort())
    expect(statSync(join(backups, made)).mode & 0o077).toBe(0)
    const { code, out } = await runCommand([
      "restore",
      join(backups, made),
      "--to",
      join(folder, "leads.sqlite"),
      "--replace"
    ])
    expect([code, out]).toEqual([0, expect.stringContaining("Restored ")])
  })

  it.runIf(isThorough)(
    "serves on while backups fail, says so in log and metrics, and goes on when it can [REST-6]",
    async () => {
      const folder = temporaryFolder()
      const backups = join(folder, "backups")
      const server = await startServer({ ...settings(folder), LEAD_SIGNALS_BACKUP_INTERVAL: "1m" }, program)
      await until(async () => ((await metric(server.url, "failures_total")) === 1 ? true : undefined))
      expect(server.err()).toMatch(/"level":"error","message":"backup failed".*there is no folder/)
      expect(await metric(server.url, "interval_seconds")).toBe(60)
      expect(await metric(server.url, "completed_timestamp_seconds")).toBeUndefined()
      await setUpBrand(server.url)
      expect((await callJson(`${server.url}/operator/brands`, operatorToken)).status).toBe(200)
      await server.end("SIGTERM")
      // The time of the newest backup is known after a restart, and none is made before it is due.
      mkdirSync(backups)
      const name = `leads-${new Date(Date.now() - 30_000).toISOString().slice(0, 19).replaceAll(":", "-")}Z.sqlite`
      writeFileSync(join(backups, name), "12345")
      const again = await startServer({ ...settings(folder), LEAD_SIGNALS_BACKUP_INTERVAL: "1m" }, program)
      expect(await until(() => metric(again.url, "bytes"))).toBe(5)
      expect(readdirSync(backups)).toEqual([name])
      await again.end("SIGTERM")
    }
  )
})

/** Runs scheduled backups of a file, until `isDone`. */
const scheduledOf = async (
  database: string,
  settings: { readonly folder: string; readonly intervalMillis: number; readonly copies: number },
  isDone: (made: number) => boolean
) => {
  const [newest, logged]: [Array<number | null>, Array<string>] = [[], []]
  let made = 0
  const logger = Logger.make(({ message }) => void logged.push(JSON.stringify(message)))
  const running = Effect.runFork(
    makeBackups(
      { settings, database, encryption: undefined },
      {
        onMade: () => void made++,
        onNewest: (backup) => void newest.push(backup?.madeAt ?? null),
        onFailed: () => {}
      }
    ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  )
  await until(() => (isDone(made) ? true : undefined))
  await Effect.runPromise(Fiber.interrupt(running))
  return { newest, logged }
}

const newFile = async (): Promise<string> => {
  const database = join(temporaryFolder(), "leads.sqlite")
  await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.layer({ filename: database }))))
  return database
}

describe("two databases with files of one name and one folder for backups", () => {
  it("have backups of their own each, and remove none of the other [REST-6]", async () => {
    const [one, other] = [await newFile(), await newFile()]
    const folder = temporaryFolder()
    await scheduledOf(one, { folder, intervalMillis: 3_600_000, copies: 1 }, (made) => made === 1)
    const [ofOne] = readdirSync(folder)
    const { logged } = await scheduledOf(
      other,
      { folder, intervalMillis: 300, copies: 1 },
      (made) => made === 2
    )
    const left = readdirSync(folder)
    expect([left.length, left.includes(ofOne!)]).toEqual([2, true])
    expect(logged.filter((line) => line.includes("backups of another database"))).toHaveLength(1)
  })
})

describe("backups that are dated in the future", () => {
  const nameAt = (at: number) =>
    `leads-${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z.sqlite`
  const year = 366 * 86_400_000
  const ahead = [year, year + 60_000, 120_000].map((millis) => nameAt(Date.now() + millis))

  /** Runs scheduled backups of a new file, until `isDone`. */
  const scheduled = async (folder: string, intervalMillis: number, isDone: (made: number) => boolean) =>
    scheduledOf(await newFile(), { folder, intervalMillis, copies: 3 }, isDone)

  it("delay none, are told as the newest never, and go first [REST-6]", async () => {
    const backups = temporaryFolder()
    const old = nameAt(Date.now() - 86_400_000)
    for (const name of [...ahead, old]) writeFileSync(join(backups, name), "x")
    const { logged, newest } = await scheduled(backups, 300, (made) => made >= 2)
    const left = readdirSync(backups).sort()
    // The first new one, the old one and one of the future; then both new ones and the old one.
    expect(left).toHaveLength(3)
    expect(left.filter((name) => ahead.includes(name))).toEqual([])
    expect(left).toContain(old)
    expect(newest.every((at) => at !== null && at <= Date.now())).toBe(true)
    for (const name of ahead)
      expect(
        logged.filter((line) => line.includes("dated in the future") && line.includes(name))
      ).toHaveLength(1)
  })

  it("leave no time to tell where they are alone, and one a minute ahead counts [REST-6]", async () => {
    const backups = temporaryFolder()
    for (const name of ahead) writeFileSync(join(backups, name), "x")
    const { newest } = await scheduled(backups, 3_600_000, (made) => made === 1)
    expect(newest[0]).toBeNull()
    const near = temporaryFolder()
    writeFileSync(join(near, nameAt(Date.now() + 30_000)), "x")
    let looks = 0
    const later = await scheduled(near, 3_600_000, () => looks++ > 20)
    expect(later.newest.every((at) => at !== null && at <= Date.now())).toBe(true)
    expect(readdirSync(near)).toHaveLength(1)
  })
})

describe("an old backup that can't be removed", () => {
  it("stays and is logged, and ends neither the removal of others nor later backups [REST-6]", async () => {
    const backups = temporaryFolder()
    const [held, older] = ["02", "01"].map((day) => `leads-2026-01-${day}T00-00-00Z.sqlite`)
    // Nobody removes a folder as a file, not even root.
    mkdirSync(join(backups, held!))
    writeFileSync(join(backups, older!), "x")
    const { logged } = await scheduledOf(
      await newFile(),
      { folder: backups, intervalMillis: 300, copies: 1 },
      (made) => made === 2
    )
    const left = readdirSync(backups)
    expect([left.length, left.includes(held!), left.includes(older!)]).toEqual([2, true, false])
    expect(logged.filter((line) => line.includes("backup not removed") && line.includes(held!))).toHaveLength(
      2
    )
  })
})

describe("the settings of backups", () => {
  const read = (more: Record<string, string>) =>
    Either.getLeft(readSettings({ LEAD_SIGNALS_BACKUP_FOLDER: "/backups", ...more }))
  it("say what they take, and refuse stores that have no file [REST-6]", () => {
    const given = Either.getOrThrow(readSettings({ LEAD_SIGNALS_BACKUP_FOLDER: "/backups" }))
    expect(given.backups).toEqual({ folder: "/backups", intervalMillis: 86_400_000, copies: 7 })
    expect(Either.getOrThrow(readSettings({})).backups).toBeNull()
    const refused: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ LEAD_SIGNALS_BACKUP_INTERVAL: "keep" }, /INTERVAL takes a time from 1m/],
      [{ LEAD_SIGNALS_BACKUP_COPIES: "0" }, /COPIES takes an integer from 1 to 1000/],
      [{ LEAD_SIGNALS_BACKUP_FOLDER: "/backups\r" }, /takes a folder without control characters/],
      [{ LEAD_SIGNALS_DATABASE: "memory" }, /a store in memory has none/],
      [{ LEAD_SIGNALS_DATABASE: "postgres://db/leads" }, /back Postgres up by its own tools/]
    ]
    for (const [more, message] of refused)
      expect(read(more)).toMatchObject({ value: expect.stringMatching(message) })
  })
})

describe("the command restore", () => {
  it.runIf(isThorough)("says what it did, and why it did not [REST-3, REST-4, CLI-1]", async () => {
    const folder = temporaryFolder()
    const database = join(folder, "leads.sqlite")
    const environment = { ...settings(folder), LEAD_SIGNALS_BACKUP_FOLDER: "" }
    const server = await startServer(environment, program)
    const { brandId, key, signalId } = await setUpBrand(server.url)
    const operate = (method: string, path: string, json?: unknown) =>
      callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)
    const observations = ["a", "b"].map((extId) => ({
      signalId,
      person: { extId, name: extId },
      engagement: { id: extId }
    }))
    const { body } = await operate("POST", "/observations", { observations })
    const backup = join(folder, "backup.sqlite")
    expect((await runCommand(["backup", backup, "--database", database])).code).toBe(0)
    await operate("DELETE", `/leads/${body.data[0].leadId}`)
    const run = (...args: ReadonlyArray<string>) =>
      runCommand(["restore", backup, ...args], { LEAD_SIGNALS_DATABASE: database })
    expect(await run("--replace")).toMatchObject({ code: 1, err: expect.stringContaining("stop it first") })
    await server.end("SIGTERM")
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining("--replace restores over it") })
    const dry = await run("--dry-run")
    expect(dry.out).toMatch(/persons erased +1 +0/)
    expect(dry.out).toContain("can be restored")
    const { code, out } = await run("--replace", "--json")
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({
        target: database,
        replayed: expect.objectContaining({ person: { done: 1, absent: 0 } }),
        counts: expect.objectContaining({ leads: 1 })
      })
    ])
    const again = await startServer(environment, program)
    expect(
      (await callJson(`${again.url}/signals/leads`, key)).body.data.map(({ name }: { name: string }) => name)
    ).toEqual(["b"])
    await again.end("SIGTERM")
    for (const [to, message] of [
      ["memory", /no file/],
      ["postgres://db/leads", /Postgres restores its databases itself/]
    ] as const) {
      expect(await run("--to", to)).toMatchObject({ code: 2, err: expect.stringMatching(message) })
    }
    expect(await run("--journal", "x", "--without-journal")).toMatchObject({ code: 2 })
  })
})
