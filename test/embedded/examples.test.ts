/** Every example, driven over HTTP as its clients would: bundled, and the one with a file from its sources in thorough runs. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, describe, expect, it } from "vitest"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { call, drive, type Json, seen } from "../harness/ExampleClient.ts"
import {
  endAll,
  type Example,
  folderOf,
  fromBundle,
  operatorToken,
  startExample
} from "../harness/ExampleProcess.ts"

const folder = temporaryFolder()
afterAll(endAll)

const own = (example: Example, path: string): string => new URL(path, example.url).href

const asJson = async (url: string, init: RequestInit = {}): Promise<unknown> =>
  (await fetch(url, init)).json()

const posted = { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } }

describe.concurrent("the example", () => {
  it.runIf(isThorough)("express", async ({ expect }) => {
    const example = await startExample("express", {}, { program: await fromBundle("express") })
    await drive(example)
    expect(await asJson(own(example, "/dashboard/1"))).toEqual({ qualifiedLeads: 0 })
    expect(await asJson(own(example, "/echo"), posted)).toEqual({ a: 1 })
    expect(await example.end()).toBe(0)
  })

  it.runIf(isThorough)("fastify", async ({ expect }) => {
    const example = await startExample("fastify", {}, { program: await fromBundle("fastify") })
    await drive(example)
    expect(await asJson(own(example, "/people/1/2"))).toEqual({ name: "Person 2", score1: null })
    expect(await asJson(own(example, "/people/1/99"))).toEqual({ message: "There is no such lead." })
    expect(await asJson(own(example, "/echo"), posted)).toEqual({ a: 1 })
    expect(await example.end()).toBe(0)
  })

  it.runIf(isThorough)("hono", async ({ expect }) => {
    const example = await startExample("hono", {}, { program: await fromBundle("hono") })
    await drive(example)
    expect(await asJson(own(example, "/names/1?search=3"))).toEqual(["Person 3"])
    const tooLong = await fetch(own(example, `/names/1?search=${"x".repeat(201)}`))
    expect([tooLong.status, await tooLong.text()]).toEqual([400, expect.stringContaining("search takes")])
    expect(await asJson(own(example, "/echo"), posted)).toEqual({ a: 1 })
    expect(await example.end()).toBe(0)
  })

  it.runIf(isThorough)("node-http, which keeps a file and sends webhooks", async ({ expect }) => {
    const bodies: Array<Json> = []
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(JSON.parse(body) as Json)
        response.end()
      })
    }).listen(0, "127.0.0.1")
    await once(receiver, "listening")
    const database = join(folder, "example.sqlite")
    const program = await fromBundle("node-http")
    // The cache of what strips the types is empty in each run: a start from sources takes several times as long.
    const example = await startExample("node-http", { DATABASE: database }, isThorough ? {} : { program })
    const key = await drive(example)
    expect(await (await fetch(own(example, "/hello"))).text()).toBe("hello from the host\n")
    await call(`${example.url}/operator/brands/1/webhooks`, operatorToken, {
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      events: ["lead2.created"]
    })
    await call(`${example.url}/operator/brands/1/observations`, operatorToken, { observations: [seen(5)] })
    while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(bodies[0]).toMatchObject({ event: "lead2.created", data: { lead2: { name: "Person 5" } } })
    expect(await example.end()).toBe(0)
    receiver.close()

    const again = await startExample("node-http", { DATABASE: database }, { program })
    expect((await call(`${again.url}/signals/leads`, key))["meta"].pagination.total).toBe(5)
    expect(await again.end()).toBe(0)
  })

  it.runIf(isThorough)("effect", async ({ expect }) => {
    const example = await startExample("effect", {}, { program: await fromBundle("effect") })
    await drive({ ...example, url: `${example.url.replace("0.0.0.0", "127.0.0.1")}/lead-signals` })
    const names = await asJson(own(example, "/newest/1"))
    expect(new Set(names as Array<string>)).toEqual(new Set(["Person 1", "Person 2", "Person 3", "Person 4"]))
    // NodeRuntime's answer to SIGTERM.
    expect([0, 130, 143]).toContain(await example.end())
  })

  it.runIf(isThorough)("own-transaction-sqlite", async ({ expect }) => {
    const child = spawn(process.execPath, await fromBundle("own-transaction-sqlite"), {
      cwd: folderOf("own-transaction-sqlite"),
      env: { ...process.env, DATABASE: join(folder, "shop.sqlite") }
    })
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")])
    const lines = out.trim().split("\n")
    expect(lines.slice(0, 2)).toEqual(["rolled back: orders 0, leads 0", "committed: orders 1, leads 1"])
    expect(new Set(lines.slice(2))).toEqual(new Set(["webhook: lead2.created", "webhook: activity.detected"]))
    expect(code).toBe(0)
  })

  const outcome = "Bo: rolled back\ndeals: Ada\nleads: Ada\n"
  const runToEnd = async (name: string, environment: Readonly<Record<string, string>>): Promise<string> => {
    const child = spawn(process.execPath, await fromBundle(name), {
      cwd: folderOf(name),
      env: { ...process.env, ...environment }
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
    return out + err
  }

  it.runIf(isThorough && !isWithoutPostgres)(
    "own-transaction-postgres, whose deal and lead are there together or not at all",
    async ({ expect }) => {
      const url = await newDatabase()
      expect(await runToEnd("own-transaction-postgres", { DATABASE_URL: url })).toBe(outcome)
    }
  )

  it("domain-only", async ({ expect }) => {
    const child = spawn(process.execPath, await fromBundle("domain-only"), { cwd: folderOf("domain-only") })
    const lines = [
      JSON.stringify(seen(1)),
      "no JSON",
      JSON.stringify(seen(1)),
      JSON.stringify({ ...seen(2), person: {} })
    ]
    child.stdin.end(lines.join("\n"))
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit")
    ])
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json)
    expect(events).toMatchObject([
      { event: "lead2.created", lead: { name: "Person 1" } },
      { event: "activity.detected", isFirstActivity: true }
    ])
    expect(err).toContain("line 2: It takes one observation as JSON.")
    expect(err).toContain("line 4: person.extId is required")
    expect(err).toContain("1 leads; 1 recorded, 1 known before, 2 rejected")
    expect(code).toBe(1)
  })
})

describe("docs/embedding.md", () => {
  it("shows parts of the examples as they are", () => {
    const plain = (code: string): string => code.replace(/\s+/g, " ").trim()
    const examples = new URL("../../examples/", import.meta.url)
    const hosts = [
      "express",
      "fastify",
      "hono",
      "node-http",
      "effect",
      "domain-only",
      "own-transaction-postgres",
      "own-transaction-sqlite"
    ]
    const sources = hosts.map((name) => plain(readFileSync(new URL(`${name}/src/main.ts`, examples), "utf8")))
    const page = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8")
    const parts = Array.from(page.matchAll(/^```ts excerpt\n([^]*?)^```$/gm), ([, code]) => plain(code!))
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.filter((part) => !sources.some((source) => source.includes(part)))).toEqual([])
    for (const name of hosts) expect(page).toContain(`(../examples/${name}/src/main.ts)`)
  })
})
