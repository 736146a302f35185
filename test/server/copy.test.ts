/** `lead-signals copy`: everything moves, is compared, and a copy that was killed goes on. */
import Database from "better-sqlite3"
import { spawn } from "node:child_process"
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { program, runCommand } from "../harness/CommandRun.ts"
import { answersOf, type FilledStore, fillStore, numbersGiven } from "../harness/FilledStore.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
const source = join(folder, "source.sqlite")
let filled: FilledStore
let expected: unknown

endServersAfterTests()

beforeAll(async () => {
  const receiver = await startReceiver((received, response) => {
    response.writeHead(received.path === "/ok" ? 200 : 500).end("answer")
  })
  filled = await fillStore(source, receiver.url)
  expected = await answersOf(source, filled)
})

const copy = (from: string, to: string, ...more: ReadonlyArray<string>) =>
  runCommand(["copy", "--from", from, "--to", to, "--json", ...more])

describe("copy", () => {
  it.runIf(isThorough)(
    "gives a file with the same answers, numbers that go on, and no problem that check finds [STORE-10]",
    async () => {
      const target = join(folder, "target.sqlite")
      const copied = await copy(source, target)
      expect(copied.code, copied.err).toBe(0)
      const { tables } = JSON.parse(copied.out)
      for (const { rows, table } of tables) expect([table, rows > 0]).toEqual([table, true])
      expect(await answersOf(target, filled)).toEqual(expected)
      const checked = await runCommand(["check", "--database", target, "--json"])
      expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
      const again = join(folder, "again.sqlite")
      copyFileSync(source, again)
      expect(await numbersGiven(target)).toEqual(await numbersGiven(again))
    }
  )

  it("goes on after a kill where it stopped, and refuses another source [STORE-10]", async () => {
    const target = join(folder, "killed.sqlite")
    const unfinished = `${target}.lead-signals-copy`
    const child = spawn(
      process.execPath,
      [...nodeArguments, program, "copy", "--from", source, "--to", target],
      { stdio: "ignore", env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache } }
    )
    const ended = new Promise((resolve) => child.on("exit", resolve))
    const copiedLeads = (): number => {
      if (!existsSync(unfinished)) return 0
      const db = new Database(unfinished, { readonly: true })
      try {
        return db.prepare("SELECT count(*) FROM lead").pluck().get() as number
      } catch {
        return 0
      } finally {
        db.close()
      }
    }
    while (copiedLeads() === 0 && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve))
    child.kill("SIGKILL")
    await ended
    expect([existsSync(unfinished), existsSync(target)]).toEqual([true, false])
    const other = join(folder, "other.sqlite")
    copyFileSync(source, other)
    new Database(other).exec("UPDATE brand SET name = 'another' WHERE id = 1")
    const refused = await copy(other, target)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--restart")])
    expect((await copy(source, target)).code).toBe(0)
    expect(await answersOf(target, filled)).toEqual(expected)
    expect((await copy(source, target)).code).toBe(1)
  })

  it.runIf(isThorough)("finds what was written in between, and begins again [STORE-10]", async () => {
    const changing = join(folder, "changing.sqlite")
    copyFileSync(source, changing)
    const target = join(folder, "changed.sqlite")
    const db = new Database(changing)
    const unfinished = `${target}.lead-signals-copy`
    // What a first copy has copied of a lead is no longer what the source has.
    expect((await copy(changing, target)).code).toBe(0)
    copyFileSync(target, unfinished)
    const made = new Database(unfinished)
    made.exec("CREATE TABLE copy_progress (id INTEGER PRIMARY KEY, progress TEXT NOT NULL) STRICT")
    made.close()
    db.exec("UPDATE lead SET headline = 'another' WHERE id = 5")
    db.close()
    const second = join(folder, "second.sqlite")
    copyFileSync(unfinished, `${second}.lead-signals-copy`)
    const written = new Database(`${second}.lead-signals-copy`)
    const digest = JSON.parse((await copy(changing, join(folder, "digest.sqlite"))).out).tables[0].digest
    written
      .prepare("INSERT INTO copy_progress VALUES (1, ?)")
      .run(JSON.stringify({ source: digest, table: "attempt", after: [1_000_000, 0, 0] }))
    written.close()
    const differs = await copy(changing, second)
    expect([differs.code, differs.err]).toEqual([1, expect.stringMatching(/lead differs.*--restart/s)])
    expect((await copy(changing, second, "--restart")).code).toBe(0)
  })
})

describe.skipIf(isWithoutPostgres)("copy to Postgres", () => {
  const schemas = async (database: string): Promise<ReadonlyArray<string>> => {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lead_signals%'")
    await client.end()
    return rows.map(({ nspname }) => nspname)
  }

  it.runIf(isThorough)(
    "and back gives the same answers, rows and numbers, and refuses a database with brands [STORE-10]",
    async () => {
      const database = await newDatabase()
      const there = await copy(source, database)
      expect(there.code, there.err).toBe(0)
      expect(await answersOf(database, filled)).toEqual(expected)
      const checked = await runCommand(["check", "--database", database, "--json"])
      expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
      const refused = await copy(source, database)
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("has brands already")])
      if (isThorough) {
        const back = join(folder, "back.sqlite")
        const returned = await copy(database, back)
        expect(returned.code, returned.err).toBe(0)
        expect(await answersOf(back, filled)).toEqual(expected)
      }
      const untouched = join(folder, "untouched.sqlite")
      copyFileSync(source, untouched)
      expect(await numbersGiven(database)).toEqual(await numbersGiven(untouched))
    }
  )

  it.runIf(isThorough)("goes on where one left a schema without its tables [STORE-10]", async () => {
    const database = await newDatabase()
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    await client.query("CREATE SCHEMA lead_signals_copy")
    await client.end()
    const copied = await copy(source, database)
    expect([copied.code, copied.err]).toEqual([0, ""])
    expect(await schemas(database)).toEqual(["lead_signals"])
  })

  it.runIf(isThorough)("goes on after a kill, and is not served before its end [STORE-10]", async () => {
    const database = await newDatabase()
    const child = spawn(
      process.execPath,
      [...nodeArguments, program, "copy", "--from", source, "--to", database],
      { stdio: "ignore", env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache } }
    )
    const ended = new Promise((resolve) => child.on("exit", resolve))
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const copiedLeads = () =>
      client.query("SELECT count(*) AS n FROM lead_signals_copy.lead").then(
        ({ rows }) => Number(rows[0].n),
        () => 0
      )
    while ((await copiedLeads()) === 0 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2))
    child.kill("SIGKILL")
    await ended
    await client.end()
    expect(await schemas(database)).toEqual(["lead_signals_copy"])
    expect((await copy(source, database)).code).toBe(0)
    expect(await schemas(database)).toEqual(["lead_signals"])
    expect(await answersOf(database, filled)).toEqual(expected)
  })
})
