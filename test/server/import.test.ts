import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { runCommand, runProcess, startOperatedServer } from "../harness/CommandRun.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { callJson, endServersAfterTests, type ServerProcess, setUpBrand } from "../harness/ServerProcess.ts"

endServersAfterTests()
const folder = temporaryFolder()

let server: ServerProcess
let brand: Awaited<ReturnType<typeof setUpBrand>>

beforeAll(async () => {
  server = await startOperatedServer(join(folder, "import.sqlite"))
  brand = await setUpBrand(server.url)
})

const run = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  runCommand(["import", ...args], environment)

const line = (person: string, id: string): string =>
  JSON.stringify({
    signalId: brand.signalId,
    person: { extId: person, name: `Name ${person}` },
    engagement: { id }
  })

describe("lead-signals import", () => {
  it("takes a file in, tells each bad line by its number, and keeps those lines to be mended [CLI-5, EVT-8]", async () => {
    const file = join(folder, "observations.jsonl")
    const good = Array.from({ length: 1200 }, (_, i) => line(`p${i % 90}`, `e${i}`))
    const bad = [
      '{"broken',
      JSON.stringify({ signalId: brand.signalId, person: { extId: "x" }, engagement: { id: "x" } })
    ]
    writeFileSync(file, [...good.slice(0, 700), bad[0], "", ...good.slice(700), bad[1]].join("\n"))
    const args = ["import", file, "--brand", brand.brandId, "--url", server.url, "--json"]
    const first = await runProcess(folder, args)
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
  })

  it("tells lines that are no objects by their numbers wherever they stand behind the first lines [CLI-5]", async () => {
    const file = join(folder, "junk.jsonl")
    const good = Array.from({ length: 1010 }, (_, i) => line(`j${i % 7}`, `j${i}`))
    // Requests have 500 lines: these begin the second and the third.
    const list = "[1]"
    const brace = "{"
    const notes = Array.from({ length: 25 }, (_, i) => `note ${i}`)
    const lines = [...good.slice(0, 500), list, ...good.slice(500, 999), brace, ...notes, ...good.slice(999)]
    writeFileSync(file, lines.join("\n"))
    const { code, err, out } = await run([file, "--brand", brand.brandId, "--url", server.url])
    expect([code, out]).toEqual([1, expect.stringContaining("1010 recorded")])
    for (const number of [501, 1001, 1002, 1019])
      expect(err).toContain(`Line ${number}: takes one observation`)
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(`${[list, brace, ...notes].join("\n")}\n`)
  })

  it("names fields that no observation has, and with --strict rejects their lines [CLI-9, CLI-23, OBS-11]", async () => {
    const file = join(folder, "misspelt.jsonl")
    const of = (id: string, more: object): string => {
      const { person, ...rest } = JSON.parse(line(id, id))
      return JSON.stringify({ ...rest, person: { ...person, ...more } })
    }
    const misspelt = Array.from({ length: 3 }, (_, i) => of(`odd${i}`, { headlin: "Chief secret" }))
    const raw = of("odd3", { "\u001b[31mraw": 1 })
    writeFileSync(file, [line("odd4", "odd4"), ...misspelt, raw].join("\n"))
    const args = [file, "--brand", brand.brandId, "--url", server.url]
    const strict = await run([...args, "--strict"])
    expect([strict.code, strict.out]).toEqual([1, expect.stringContaining("1 recorded")])
    expect(strict.err).toContain(
      'Line 2: person.headlin is not a field of an observation. Did you mean "headline"?\n'
    )
    expect(strict.err).toContain("Line 5: person. [31mraw is not a field of an observation.")
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(`${[...misspelt, raw].join("\n")}\n`)
    const lenient = await run(args)
    expect([lenient.code, lenient.out]).toEqual([0, expect.stringContaining("4 recorded, 1 duplicates")])
    expect(lenient.err).toContain(
      "Ignored person.headlin of 3 observations: no observation has this field. Did you mean person.headline?\n"
    )
    expect(lenient.err).toContain(
      "Ignored person. [31mraw of 1 observation: no observation has this field.\n"
    )
    expect(lenient.err + lenient.out).not.toContain("secret")
    const counted = JSON.parse((await run([...args, "--json"])).out)
    expect(counted).toMatchObject({ duplicate: 5, unknownFields: { "person.headlin": 3 } })
  })

  it("prints a refusal without its control characters [CLI-9]", async () => {
    const steering = createServer((_, response) => {
      const error = { code: "x", message: "\u001b[2JGone\u202e" }
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }))
    }).listen(0, "127.0.0.1")
    await once(steering, "listening")
    const file = join(folder, "steered.jsonl")
    writeFileSync(file, line("steered", "s1"))
    const { port } = steering.address() as AddressInfo
    const { code, err } = await run([file, "--brand", "1", "--url", `http://127.0.0.1:${port}`])
    steering.close()
    expect([code, err]).toEqual([1, "The server answered 400:  [2JGone\n"])
  })

  it("takes a line of a byte order mark alone for blank, as the server does [CLI-5]", async () => {
    const file = join(folder, "marked.jsonl")
    writeFileSync(file, `\uFEFF\n${line("marked", "m1")}\n\uFEFF \t\r\n${line("marked", "m2")}\n`)
    const { code, out } = await run([file, "--brand", brand.brandId, "--url", server.url])
    expect([code, out]).toEqual([0, expect.stringContaining("2 recorded")])
  })

  it("never overwrites lines that an earlier run rejected: they may be corrected by now [CLI-5]", async () => {
    const file = join(folder, "kept.jsonl")
    const arguments_ = ["--brand", brand.brandId, "--url", server.url]
    const broken = '{"broken\n'
    writeFileSync(file, `${line("kept", "kept")}\n${broken}`)
    expect((await run([file, ...arguments_])).code).toBe(1)
    const corrected = `${line("kept", "corrected")}\n`
    writeFileSync(`${file}.rejected.jsonl`, corrected)
    const again = await run([file, ...arguments_])
    expect(again.err).toContain(`The rejected lines are in ${file}.rejected.2.jsonl`)
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(corrected)
    expect(readFileSync(`${file}.rejected.2.jsonl`, "utf8")).toBe(broken)
    expect(statSync(`${file}.rejected.2.jsonl`).mode & 0o077).toBe(0)
    expect((await run([file, "--brand", "999", "--url", server.url])).code).not.toBe(0)
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(corrected)
    // One that has none to reject leaves them, too.
    writeFileSync(file, line("kept", "kept"))
    expect((await run([file, ...arguments_])).code).toBe(0)
    expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe(corrected)
  })

  it("takes a file of rejected lines, and leaves in it what is rejected again [CLI-5]", async () => {
    const file = join(folder, "again.jsonl")
    const rejected = `${file}.rejected.jsonl`
    const arguments_ = ["--brand", brand.brandId, "--url", server.url]
    // Longer than what is taken: it is copied whole, not as it is held in memory.
    const long = `"${"x".repeat(17 * 1024 * 1024)}"\n`
    writeFileSync(file, `{"first\n{"second\n${long}`)
    expect((await run([file, ...arguments_])).code).toBe(1)
    expect(readFileSync(rejected, "utf8") === `{"first\n{"second\n${long}`).toBe(true)

    writeFileSync(rejected, `${line("again", "first")}\n{"second\n${long}`)
    const half = await run([rejected, ...arguments_])
    expect([half.code, half.out]).toEqual([1, expect.stringContaining("1 recorded")])
    expect(half.err).toContain(`The rejected lines are in ${rejected}:`)
    expect(readFileSync(rejected, "utf8") === `{"second\n${long}`).toBe(true)
    expect(statSync(rejected).mode & 0o077).toBe(0)

    writeFileSync(rejected, `${line("again", "second")}\n`)
    const refused = await run([rejected, "--brand", "999", "--url", server.url])
    expect([refused.code === 0, existsSync(rejected)]).toEqual([false, true])
    const whole = await run([rejected, ...arguments_])
    expect([whole.code, whole.out]).toEqual([0, expect.stringContaining("1 recorded")])
    expect(readdirSync(folder).filter((name) => name.startsWith("again"))).toEqual(["again.jsonl"])
  })

  it("leaves a file of rejected lines as it is when it is changed meanwhile [CLI-5]", async () => {
    const rejected = join(folder, "changed.jsonl.rejected.jsonl")
    const saved = `${line("changed", "saved")}\n`
    writeFileSync(rejected, `${line("changed", "first")}\n`)
    const editing = createServer((request, response) => {
      request.resume().on("end", () => {
        writeFileSync(rejected, saved)
        response.end('{"outcome":"recorded"}\n')
      })
    })
    editing.listen(0, "127.0.0.1")
    await once(editing, "listening")
    const { port } = editing.address() as AddressInfo
    const { code, err } = await run([rejected, "--brand", "1", "--url", `http://127.0.0.1:${port}`])
    editing.close()
    expect([code === 0, err]).toEqual([false, expect.stringContaining("changed during the import")])
    expect(readFileSync(rejected, "utf8")).toBe(saved)
  })

  it("ends with 1 when it can't keep a rejected line, or the answers are no server's of ours [CLI-1, CLI-4]", async () => {
    // So long a name that none with `.rejected.jsonl` after it can be.
    const file = join(folder, `${"u".repeat(244)}.jsonl`)
    writeFileSync(file, `${line("unkept", "unkept")}\n{"broken\n`)
    const unkept = await run([file, "--brand", brand.brandId, "--url", server.url])
    expect([unkept.code, unkept.err]).toEqual([1, expect.stringContaining("can't be written")])

    const other = createServer((_, response) => response.end("<html>a login page</html>"))
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const strange = await run([file, "--brand", "1", "--url", `http://127.0.0.1:${port}`])
    other.close()
    expect([strange.code, strange.err]).toEqual([
      1,
      expect.stringContaining("does not come from Lead Signals")
    ])
    expect(strange.err).not.toContain("login")
  })

  it("ends with what to do when it can't go on [CLI-1, ERR-3]", async () => {
    const file = join(folder, "one.jsonl")
    writeFileSync(file, line("one", "one"))
    const wrongBrand = await run([file, "--brand", "999", "--url", server.url])
    expect([wrongBrand.code, wrongBrand.err]).toEqual([1, expect.stringContaining("has no brand 999")])
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
      1,
      expect.stringContaining("Set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token.")
    ])
    expect(wrongToken.err).not.toContain("wrong-wrong-wrong")
    const noToken = await run([file, "--brand", brand.brandId], { LEAD_SIGNALS_OPERATOR_TOKEN: "" })
    expect([noToken.code, noToken.err]).toEqual([
      2,
      expect.stringContaining("The operator token is required")
    ])
    const noUrl = await run([file, "--brand", brand.brandId, "--url", "localhost:4000"])
    expect([noUrl.code, noUrl.err]).toEqual([2, expect.stringContaining("--url takes http://")])
    const noFile = await run([join(folder, "nowhere.jsonl"), "--brand", "1"])
    expect(noFile.code).toBe(2)
    const noBrand = await run([file])
    expect(noBrand.code).toBe(2)
  })

  it("says in one line that a file is one JSON document, and sends nothing [CLI-6]", async () => {
    const observations = Array.from({ length: 30 }, (_, i) => JSON.parse(line("document", `d${i}`)))
    for (const text of [
      JSON.stringify(observations),
      JSON.stringify(observations, null, 2),
      JSON.stringify({ observations }),
      JSON.stringify({ observations }, null, 2),
      `\uFEFF${JSON.stringify({ observations }, null, "\t")}`
    ]) {
      const file = join(folder, "document.json")
      writeFileSync(file, text)
      const { code, err, out } = await run([file, "--brand", brand.brandId, "--url", server.url])
      expect([code, out, err.trim().split("\n")]).toEqual([
        2,
        "",
        [expect.stringContaining("is one JSON document, not one observation a line")]
      ])
    }
    expect(readdirSync(folder).filter((name) => name.startsWith("document"))).toEqual(["document.json"])
  })

  it("prints help that is plain where there is no terminal [CLI-3]", async () => {
    const { code, out } = await run(["--help"])
    expect(code).toBe(0)
    for (const word of ["--brand", "--url", "--token", "--json", "Exit codes"]) expect(out).toContain(word)
    expect(out).not.toContain("\u001b[")
  })
})
