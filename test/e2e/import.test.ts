import { execFile } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "./BundledServer.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  root,
  type ServerProcess,
  setUpBrand,
  startServer
} from "./ServerProcess.ts"

endServersAfterTests()
const folder = temporaryFolder()
const command = bundledServer

let server: ServerProcess
let brand: Awaited<ReturnType<typeof setUpBrand>>

beforeAll(async () => {
  server = await startServer({
    LEAD_SIGNALS_DATABASE: join(folder, "import.sqlite"),
    LEAD_SIGNALS_DEMO: "false",
    LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
  })
  brand = await setUpBrand(server.url)
})

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

const run = (
  args: ReadonlyArray<string>,
  environment: Record<string, string> = { LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }
): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment }
    execFile(process.execPath, [command, "import", ...args], { cwd: root, env }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err })
    )
  })

const line = (person: string, id: string): string =>
  JSON.stringify({
    signalId: brand.signalId,
    person: { extId: person, name: `Name ${person}` },
    engagement: { id }
  })

describe("lead-signals import", () => {
  it("takes a file in, tells each bad line by its number, and keeps those lines to be mended [EVT-8, ERR-3]", async () => {
    const file = join(folder, "observations.jsonl")
    const good = Array.from({ length: 1200 }, (_, i) => line(`p${i % 90}`, `e${i}`))
    const bad = [
      '{"broken',
      JSON.stringify({ signalId: brand.signalId, person: { extId: "x" }, engagement: { id: "x" } })
    ]
    writeFileSync(file, [...good.slice(0, 700), bad[0], "", ...good.slice(700), bad[1]].join("\n"))
    const first = await run([file, "--brand", brand.brandId, "--url", server.url, "--json"])
    expect(first.code).toBe(1)
    expect(JSON.parse(first.out)).toMatchObject({ recorded: 1200, duplicate: 0, suppressed: 0, rejected: 2 })
    expect(first.err).toContain("Line 701: takes one observation as JSON")
    expect(first.err).toContain("Line 1203: person.name is required.")
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(`${bad.join("\n")}\n`)
    const listed = await callJson(`${server.url}/signals/leads`, brand.key)
    expect(listed.body.meta.pagination.total).toBe(90)

    const again = await run(["--brand", brand.brandId, "--url", `${server.url}/`, file])
    expect(again.out).toContain("0 recorded, 1200 duplicates, 0 suppressed, 2 rejected")

    writeFileSync(file, `${good.join("\r\n")}\r\n`)
    const mended = await run([file, "--brand", brand.brandId, "--url", server.url])
    expect(mended.code).toBe(0)
    expect(existsSync(`${file}.rejected.jsonl`)).toBe(false)
  })

  it("keeps the rejected lines of an earlier run until one has its first answer [ERR-3]", async () => {
    const file = join(folder, "kept.jsonl")
    writeFileSync(file, `${line("kept", "kept")}\n{"broken\n`)
    expect((await run([file, "--brand", brand.brandId, "--url", server.url])).code).toBe(1)
    const refused = await run([file, "--brand", "999", "--url", server.url])
    expect(refused.code).toBe(3)
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe('{"broken\n')
  })

  it("ends with 3 when it can't keep a rejected line, or the answers are no server's of ours [ERR-3]", async () => {
    const file = join(folder, "unkept.jsonl")
    writeFileSync(file, `${line("unkept", "unkept")}\n{"broken\n`)
    mkdirSync(`${file}.rejected.jsonl`)
    const unkept = await run([file, "--brand", brand.brandId, "--url", server.url])
    expect([unkept.code, unkept.err]).toEqual([3, expect.stringContaining("can't be written")])

    const other = createServer((_, response) => response.end("<html>a login page</html>"))
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const strange = await run([file, "--brand", "1", "--url", `http://127.0.0.1:${port}`])
    other.close()
    expect([strange.code, strange.err]).toEqual([3, expect.stringContaining("not one of Lead Signals")])
    expect(strange.err).not.toContain("login")
  })

  it("ends with what to do when it can't go on [ERR-3]", async () => {
    const file = join(folder, "one.jsonl")
    writeFileSync(file, line("one", "one"))
    const wrongBrand = await run([file, "--brand", "999", "--url", server.url])
    expect([wrongBrand.code, wrongBrand.err]).toEqual([3, expect.stringContaining("There is no brand 999")])
    const wrongToken = await run([
      file,
      "--brand",
      brand.brandId,
      "--url",
      server.url,
      "--token",
      "wrong-wrong-wrong"
    ])
    expect([wrongToken.code, wrongToken.err]).toEqual([
      3,
      expect.stringContaining("--token or LEAD_SIGNALS_OPERATOR_TOKEN")
    ])
    expect(wrongToken.err).not.toContain("wrong-wrong-wrong")
    const noToken = await run([file, "--brand", brand.brandId], {})
    expect([noToken.code, noToken.err]).toEqual([2, expect.stringContaining("--token is needed")])
    const noUrl = await run([file, "--brand", brand.brandId, "--url", "localhost:4000"])
    expect([noUrl.code, noUrl.err]).toEqual([2, expect.stringContaining("--url takes http://")])
    const noFile = await run([join(folder, "nowhere.jsonl"), "--brand", "1"])
    expect(noFile.code).toBe(2)
    const noBrand = await run([file])
    expect(noBrand.code).toBe(2)
  })

  it("prints help that is plain where there is no terminal [ERR-3]", async () => {
    const { code, out } = await run(["--help"])
    expect(code).toBe(0)
    for (const word of ["--brand", "--url", "--token", "--json", "Exit codes"]) expect(out).toContain(word)
    expect(out).not.toContain("\u001b[")
  })
})
