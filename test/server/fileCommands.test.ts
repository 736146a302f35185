/** The commands that open the database file: backup and check. */
import Database from "better-sqlite3"
import { copyFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { fileURLToPath } from "node:url"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { runCommand, runProcess, startOperatedServer } from "../harness/CommandRun.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  setUpBrand
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
const database = join(folder, "commands.sqlite")
let server: ServerProcess

endServersAfterTests()

beforeAll(async () => {
  server = await startOperatedServer(database)
})

describe("backup of a database on Postgres", () => {
  it("says by which tools Postgres is copied, and connects to nothing", async () => {
    const url = "postgres://leads:secret-7@127.0.0.1:1/leads"
    const { code, err, out } = await runCommand(["backup", join(folder, "copy"), "--database", url])
    expect([code, out]).toEqual([2, ""])
    for (const tool of [
      "pg_dump --format=custom --schema=lead_signals",
      "pg_basebackup",
      "docs/scale.md",
      "lead-signals copy --from URL --to"
    ]) {
      expect(err).toContain(tool)
    }
    expect(err).not.toContain("secret-7")
  })
})

describe("the commands on the file", () => {
  it("copies the file as it is at one moment, while it is written to [STORE-7, STORE-8]", async () => {
    const { brandId: id, signalId } = await setUpBrand(server.url)
    let isOver = false
    let sent = 0
    const writing = (async () => {
      for (;;) {
        if (isOver) return
        const observations = Array.from({ length: 50 }, () => ({
          signalId,
          person: { extId: `p${++sent}`, name: `Person ${sent}` },
          engagement: { id: `e${sent}`, type: "comment", commentText: "x".repeat(500) }
        }))
        await callJson(`${server.url}/operator/brands/${id}/observations`, operatorToken, "POST", {
          observations
        })
      }
    })()
    const enough = async (): Promise<void> => {
      if (sent >= (isThorough ? 1000 : 300)) return
      await new Promise((resolve) => setTimeout(resolve, 5))
      return enough()
    }
    await enough()
    const target = join(folder, "copy.sqlite")
    const before = sent - 50
    const copied = await runProcess(folder, ["backup", target, "--database", database, "--json"])
    isOver = true
    await writing
    expect(copied.code).toBe(0)
    expect(JSON.parse(copied.out)).toMatchObject({ file: database, target, bytes: statSync(target).size })
    expect(statSync(target).mode & 0o077).toBe(0)
    const checked = await runCommand(["check", "--database", target, "--json"])
    const { counts, problems, sound } = JSON.parse(checked.out)
    expect([checked.code, sound, problems]).toEqual([0, true, []])
    expect(counts.leads).toBeGreaterThanOrEqual(before)
    expect(counts.leads).toBe(counts.engagements)
    expect((await runCommand(["backup", target, "--database", database])).code).toBe(2)
  })

  it("finds what is wrong with a file, with exit code 1 [STORE-9, CLI-1]", async () => {
    const sound = join(folder, "sound.sqlite")
    const copied = await runCommand(["backup", sound, "--database", database])
    expect([copied.code, copied.out.replace(/\(\S+ [kM]B\)/, "(…)")]).toEqual([
      0,
      `Copied ${database} (…) to ${sound}.\n`
    ])
    const damages: ReadonlyArray<readonly [string, RegExp, (file: string) => void]> = [
      [
        "counters",
        /the counts of leads by flags and signal are wrong/,
        (file) => new Database(file).exec("UPDATE lead_count SET n = n + 1")
      ],
      [
        "days",
        /the counts of leads by day are wrong/,
        (file) => new Database(file).exec("DELETE FROM lead_day_count")
      ],
      [
        "lost-buckets",
        /the rank buckets of the orders are wrong/,
        (file) => new Database(file).exec("DELETE FROM lead_stretch WHERE ordering = 'name'")
      ],
      [
        "buckets",
        /the rank buckets of the orders are wrong/,
        (file) => new Database(file).exec("UPDATE lead_stretch SET n0 = n0 + 1")
      ],
      [
        "signals",
        /the leads of the signals are wrong/,
        (file) => new Database(file).exec("UPDATE lead_signal SET flags = 7 - flags WHERE lead_id = 1")
      ],
      [
        "references",
        /foreign keys refer to missing rows in/,
        (file) => {
          const db = new Database(file)
          db.pragma("foreign_keys = OFF")
          db.exec("UPDATE engagement SET lead_id = 999999 WHERE seq = (SELECT max(seq) FROM engagement)")
        }
      ],
      [
        "index",
        /never used[^]*the index lead_by_name is missing/,
        (file) => {
          const db = new Database(file)
          db.unsafeMode()
          db.pragma("writable_schema = ON")
          db.exec("DELETE FROM sqlite_schema WHERE name = 'lead_by_name'")
        }
      ]
    ]
    for (const [name, report, damage] of damages) {
      const file = join(folder, `${name}.sqlite`)
      copyFileSync(sound, file)
      damage(file)
      const { code, out } = await runCommand(["check", "--database", file])
      expect([name, code]).toEqual([name, 1])
      expect(out).toMatch(report)
      expect(out).toContain("The file is damaged")
    }
    const foreign = await runProcess(folder, ["check", "--database", fileURLToPath(import.meta.url)])
    expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining("not a SQLite file")])
  })
})
