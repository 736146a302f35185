/** Kill -9 of the server in the middle of an import, which goes on by itself with the server that follows. */
import Database from "better-sqlite3"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { program, startCommand } from "../harness/CommandRun.ts"
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

const lines = 2600

it.runIf(isThorough)(
  "goes on after kill -9 of the server, loses nothing that was counted and repeats nothing [CLI-5, STORE-2, EVT-8]",
  async () => {
    const folder = temporaryFolder()
    const environment = {
      LEAD_SIGNALS_DATABASE: join(folder, "killed.sqlite"),
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
    }
    const first = await startServer(environment, program)
    const { brandId, key, signalId } = await setUpBrand(first.url)
    const leads = async (): Promise<number> =>
      (await callJson(`${first.url}/signals/leads`, key)).body.meta.pagination.total
    const file = join(folder, "observations.jsonl")
    const line = (i: number): string =>
      JSON.stringify({
        signalId,
        // Each other line is of somebody seen before.
        person: { extId: `p${i >> 1}`, name: `Name ${i >> 1}`, headline: `Keeper ${i}` },
        engagement: { id: `e${i}`, trackedAt: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString() }
      })
    writeFileSync(file, Array.from({ length: lines }, (_, i) => `${line(i)}\n`).join(""))
    const args = ["import", file, "--brand", brandId, "--url", first.url, "--json"]
    const importing = startCommand(args)
    while ((await leads()) < 400) await new Promise((resume) => setTimeout(resume, 5))
    await first.end("SIGKILL")
    // At the same place, as a supervisor starts it anew.
    const second = await startServer({ ...environment, PORT: new URL(first.url).port }, program)
    expect(second.url).toBe(first.url)
    // What was committed is there. The command runs in this process, so only its batch under way can have gone on meanwhile.
    const left = await leads()
    expect(left).toBeGreaterThanOrEqual(400)
    expect(left).toBeLessThan(lines / 2)
    const { code, out } = await importing.ended
    expect(code).toBe(0)
    const { duplicate, recorded, rejected, suppressed } = JSON.parse(out)
    // At most the batch under way was recorded without an answer; sent again, its lines are duplicates.
    expect([recorded + duplicate, suppressed, rejected]).toEqual([lines, 0, 0])
    expect(duplicate).toBeLessThanOrEqual(500)
    expect(await leads()).toBe(lines / 2)
    const again = await startCommand(args).ended
    expect(JSON.parse(again.out)).toMatchObject({ recorded: 0, duplicate: lines, rejected: 0 })
    expect(await leads()).toBe(lines / 2)
    await second.end("SIGTERM")
    const db = new Database(environment.LEAD_SIGNALS_DATABASE, { readonly: true })
    const events = db.prepare("SELECT event, count(*) FROM event GROUP BY event ORDER BY event").raw().all()
    const inOrder = db.prepare<[], string>("SELECT id FROM engagement ORDER BY seq").pluck().all()
    db.close()
    expect(events).toEqual([
      ["activity.detected", lines],
      ["lead2.created", lines / 2]
    ])
    expect(inOrder).toEqual(Array.from({ length: lines }, (_, i) => `e${i}`))
  }
)
