import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import Database from "better-sqlite3"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { knownVariables, listenFailed, readSettings } from "@lead-signals/server/internal"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { makeFile } from "../harness/MadeFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  root,
  setUpBrand,
  spawnBundle,
  spawnServer,
  startServer
} from "../harness/ServerProcess.ts"
import { freePort } from "../harness/FreePort.ts"

endServersAfterTests()
const program = bundledServer
/** `npm start` itself, from the sources, in a thorough run: by default its help below starts from them, and the server in `rootScripts.test.ts`. */
const fromSourceOrBundle = isThorough ? undefined : program
const folder = temporaryFolder()
const shell = (line: string) =>
  promisify(execFile)("bash", ["-c", line.replace("curl ", "curl --silent --fail ")])

const keyIn = (out: string): string => /^Demo key +(lsk_\S+)/m.exec(out)![1]!
const curls = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line.startsWith("  curl "))

/** How many leads the demo has, once the first test has seen it. */
let leadsOfDemo: number | undefined

describe("npm start", () => {
  it("fills an empty database with the demo, prints what works as printed, and keeps it [RUN-5, AUTH-4, PII-2]", async () => {
    const environment = { LEAD_SIGNALS_DATABASE: join(folder, "demo.sqlite") }
    const first = await startServer(environment, fromSourceOrBundle)
    const key = keyIn(first.out())
    const lines = curls(first.out())
    expect(lines).toHaveLength(3)
    const answers = await Promise.all(lines.map(async (line) => JSON.parse((await shell(line)).stdout)))
    expect(answers[0].data).toHaveLength(3)
    expect(answers[1].data[0].engagements.length).toBeGreaterThan(0)
    expect(answers[2].data.impressions).toBeGreaterThan(0)
    const { total } = answers[0].meta.pagination
    expect(total).toBeGreaterThan(500)
    leadsOfDemo = total
    // Everything is made up: no address leads anywhere.
    const all = await callJson(
      `${first.url}/signals/leads?pageSize=25&includeEngagements=true&includeEngagementDetail=true`,
      key
    )
    for (const [, host] of JSON.stringify(all.body).matchAll(/https?:\/\/([^/"]+)/g))
      expect(host).toMatch(/\.example$/)
    expect(await first.end("SIGTERM")).toBe(0)

    const token = /^Operator token +(\S+)/m.exec(first.out())![1]!
    for (const line of first
      .err()
      .split("\n")
      .filter((each) => each !== ""))
      expect(JSON.parse(line)).toBeTypeOf("object")
    for (const secret of [key, token, "search=sales", "Authorization"])
      expect(first.err()).not.toContain(secret)

    const second = await startServer(environment, fromSourceOrBundle)
    expect(second.out()).not.toContain("Demo key")
    expect((await callJson(`${second.url}/signals/leads`, key)).body.meta.pagination.total).toBe(total)
    const [makeKey] = curls(second.out())
    expect(JSON.parse((await shell(makeKey!)).stdout).data.key).toMatch(/^lsk_/)
    expect(await second.end("SIGINT")).toBe(0)
  })

  it("says that it lives and is starting while an older file is brought to this version [HEALTH-1, HEALTH-4]", async () => {
    const filename = join(folder, "older.sqlite")
    await makeFile(filename, 300)
    // The lock on the file keeps the server starting for as long as this test likes.
    const lock = new Database(filename)
    takeBackTo(lock, 9)
    lock.exec("BEGIN IMMEDIATE")
    const port = String(await freePort())
    const environment = {
      LEAD_SIGNALS_DATABASE: filename,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      PORT: port
    }
    const url = `http://127.0.0.1:${port}`
    const isListening = async (): Promise<void> => {
      while ((await fetch(`${url}/health`).catch(() => null)) === null) await sleep(20)
    }
    const interrupted = spawnBundle(program, environment)
    await isListening()
    interrupted.child.kill("SIGTERM")
    expect(await interrupted.exit).toBe(0)

    const server = spawnBundle(program, environment)
    await isListening()
    const health = await fetch(`${url}/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }])
    for (const [path, method] of [
      ["/health/ready", "GET"],
      ["/signals/leads", "GET"],
      ["/operator/brands", "POST"],
      ["/nothing", "GET"]
    ] as const) {
      const { body, status } = await callJson(`${url}${path}`, operatorToken, method)
      expect([path, status, body.error.code]).toEqual([path, 503, "unavailable"])
    }
    expect(server.out()).not.toContain("Listening")
    lock.exec("COMMIT")
    lock.close()
    while ((await fetch(`${url}/health/ready`)).status !== 200) await sleep(20)
    const { body } = await callJson(`${url}/operator/brands`, operatorToken)
    expect(body.data.map(({ name }: { readonly name: string }) => name)).toEqual(["First", "Second"])
    server.child.kill("SIGTERM")
    expect(await server.exit).toBe(0)
    expect(server.out()).toContain(`Listening on ${url}`)
  })

  it.runIf(isThorough)(
    "makes one demo brand when several processes start on a new file at once [RUN-5, STORE-3]",
    async () => {
      const environment = {
        LEAD_SIGNALS_DATABASE: join(folder, "twice.sqlite"),
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
      }
      const servers = await Promise.all([0, 1].map(() => startServer(environment, program)))
      const { url } = servers[0]!
      const { data } = (await callJson(`${url}/operator/brands`, operatorToken)).body
      expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["Demo"])
      expect((await callJson(`${url}/operator/brands/1/keys`, operatorToken)).body.data).toHaveLength(1)
      const keys = servers.filter(({ out }) => out().includes("Demo key"))
      expect(keys).toHaveLength(1)
      expect(existsSync(`${environment.LEAD_SIGNALS_DATABASE}-demo`)).toBe(false)
      await Promise.all(servers.map((server) => server.end("SIGTERM")))
    }
  )

  it.runIf(isThorough)(
    "goes on with a demo that was killed while it was filled, and ends with the same [RUN-5]",
    async () => {
      const environment = { LEAD_SIGNALS_DATABASE: join(folder, "killed.sqlite") }
      for (const millis of isThorough ? [300, 450, 600] : [450]) {
        const { child, exit } = spawnBundle(program, environment)
        const timer = setTimeout(() => child.kill("SIGKILL"), millis)
        child.stdout!.on("data", () => {
          clearTimeout(timer)
          child.kill("SIGKILL")
        })
        await exit
      }
      const server = await startServer(
        { ...environment, LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken },
        program
      )
      const { data } = (await callJson(`${server.url}/operator/brands`, operatorToken)).body
      expect(data).toHaveLength(1)
      const { key } = (
        await callJson(`${server.url}/operator/brands/1/keys`, operatorToken, "POST", { label: "k" })
      ).body.data
      const { meta } = (await callJson(`${server.url}/signals/leads`, key)).body
      expect(meta.pagination.total).toBe(leadsOfDemo)
      await server.end("SIGTERM")
    }
  )

  it("serves from memory, without a demo when the flag says so, and tells of a variable that only looks like one of its own [RUN-3, RUN-5, HEALTH-2]", async () => {
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: "memory",
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_RATE_LIMIT: "5",
        LEAD_SIGNALS_RATELIMIT: "6",
        LEAD_SIGNALS_PORT: "6",
        LEAD_SIGNALS_COLOUR: "6",
        LEAD_SIGNALS_DRAIN_PAUSE: "0.1"
      },
      program
    )
    expect(server.err()).toContain(
      "LEAD_SIGNALS_RATELIMIT is not a setting and was ignored. Did you mean LEAD_SIGNALS_RATE_LIMIT? lead-signals --help lists"
    )
    expect(server.err()).toContain("LEAD_SIGNALS_PORT is not a setting and was ignored. Did you mean PORT?")
    expect(server.err()).toContain(
      "LEAD_SIGNALS_COLOUR is not a setting and was ignored. lead-signals --help lists"
    )
    expect(server.out()).not.toContain(operatorToken)
    expect((await callJson(`${server.url}/operator/brands`, operatorToken)).body.data).toEqual([])
    const { brandId } = await setUpBrand(server.url)
    const made = await callJson(`${server.url}/operator/brands/${brandId}/keys`, operatorToken, "POST", {
      label: "k"
    })
    expect(made.body.data.requestsPerMinute).toBe(5)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    expect(await server.end("SIGTERM")).toBe(0)
  })

  it("takes an empty variable for its default, as compose files pass what is not given, and makes no file of the name :memory: [RUN-2]", async () => {
    const empty = Object.fromEntries(["HOST", "PORT", ...knownVariables].map((name) => [name, ""]))
    expect(Object.keys(empty).length).toBeGreaterThanOrEqual(9)
    expect(readSettings(empty)).toEqual(readSettings({}))
    expect(Either.isRight(readSettings(empty))).toBe(true)
    if (!isThorough) return
    const server = await startServer(
      { ...empty, PORT: "0", LEAD_SIGNALS_DATABASE: ":memory:", LEAD_SIGNALS_DEMO: "false" },
      program
    )
    expect(server.err()).not.toContain("LEAD_SIGNALS")
    expect(server.out()).toMatch(/^Operator token {2}\S{16}/m)
    expect(server.out()).toMatch(/^Database +memory$/m)
    expect(existsSync(join(root, ":memory:"))).toBe(false)
    await server.end("SIGTERM")
  })

  const refusals: ReadonlyArray<readonly [string, string, string]> = [
    ["LEAD_SIGNALS_OPERATOR_TOKEN", "short", "LEAD_SIGNALS_OPERATOR_TOKEN takes at least 16 characters"],
    [
      "HOST",
      "203.0.113.7",
      "203.0.113.7 is not an address of this machine; set HOST, or --host, to one that is."
    ]
  ]
  it.each(refusals.slice(isThorough ? 0 : 1))(
    "stops with one line when %s is %j [RUN-1]",
    async (name, value, message) => {
      const { err, exit, out } = spawnBundle(program, {
        LEAD_SIGNALS_DATABASE: "memory",
        LEAD_SIGNALS_DEMO: "false",
        [name]: value
      })
      expect(await exit).toBe(2)
      expect(out()).toBe("")
      expect(err().trim().split("\n")).toEqual([expect.stringContaining(message)])
      if (name.endsWith("TOKEN")) expect(err()).not.toContain(value)
    }
  )

  it.each(["ENOTFOUND", "EAI_AGAIN"])("says that a host can't be resolved on %s [RUN-4]", (code) => {
    const error = Object.assign(new Error("getaddrinfo"), { code })
    expect(listenFailed({ host: "nohost.invalid", port: 4000 })(error).message).toBe(
      "The server can't listen: nohost.invalid can't be resolved; set HOST, or --host, to an address of this machine."
    )
  })

  it("says what to do when the port is taken or the database can't be used [RUN-4]", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as { port: number }
    const busy = spawnBundle(program, {
      LEAD_SIGNALS_DATABASE: "memory",
      LEAD_SIGNALS_DEMO: "false",
      PORT: String(port)
    })
    expect(await busy.exit).toBe(2)
    expect(busy.err()).toContain(`port ${port} is taken; set PORT, or --port, to another`)
    taken.close()

    const file = join(folder, "text.sqlite")
    writeFileSync(
      file,
      "no database at all, but a text that is long enough to be looked at as one\n".repeat(40)
    )
    const damaged = spawnBundle(program, { LEAD_SIGNALS_DATABASE: file })
    expect(await damaged.exit).toBe(2)
    expect(damaged.err()).toContain("Set LEAD_SIGNALS_DATABASE, or --database, to another file or to memory.")
    if (process.getuid?.() !== 0) {
      const closed = join(folder, "closed")
      mkdirSync(closed)
      chmodSync(closed, 0o500)
      const denied = spawnBundle(program, { LEAD_SIGNALS_DATABASE: join(closed, "x.sqlite") })
      expect(await denied.exit).toBe(2)
    }
  })

  it("prints help, and refuses an option without its value [RUN-3]", async () => {
    const helped = spawnServer({}, "--help")
    expect(await helped.exit).toBe(0)
    expect(helped.out()).toContain("LEAD_SIGNALS_DATABASE")
    // The command line's own tests have such an option, too.
    if (isThorough) expect(await spawnServer({}, "--port").exit).toBe(2)
  })

  it("tells busy clients to go elsewhere, in a pause in which it still serves [HEALTH-5]", async () => {
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: "memory",
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        // However slow the machine is, what is looked at below falls into it.
        LEAD_SIGNALS_DRAIN_PAUSE: "600"
      },
      program
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const ask = (path: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request(`${server.url}${path}`, { agent }, (response) => {
          response.resume()
          response.on("end", () => resolve(response))
          response.on("error", reject)
        })
        sent.on("error", reject)
        sent.end()
      })
    const answers: Array<number> = []
    const client = async (): Promise<string> => {
      for (;;) {
        const { headers, statusCode } = await ask("/health")
        answers.push(statusCode!)
        if (statusCode !== 200) return String(statusCode)
        if (headers.connection === "close") return "close"
      }
    }
    const clients = Promise.all(
      Array.from({ length: 16 }, () => client().catch((error: NodeJS.ErrnoException) => String(error.code)))
    )
    while (answers.length < 160) await sleep(5)
    server.child.kill("SIGTERM")
    expect(await clients).toEqual(Array.from({ length: 16 }, () => "close"))
    const { headers, status } = await fetch(`${server.url}/health/ready`)
    expect([status, headers.get("connection")]).toEqual([503, "close"])
    agent.destroy()
    await server.end("SIGKILL")
  })

  it("serves on when its log can't be written, as on a full disk, or when nobody reads its output [RUN-8]", async () => {
    const environment = {
      LEAD_SIGNALS_DATABASE: "memory",
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_NO_SETTING: "is named on standard error"
    }
    const full = existsSync("/dev/full") ? [openSync("/dev/full", "w")] : []
    for (const stderr of ["pipe", ...full] as const) {
      const server = await startServer(environment, program, undefined, stderr)
      server.child.stdout!.destroy()
      server.child.stderr?.destroy()
      for (let i = 0; i < 3; i++) {
        const { status } = await callJson(`${server.url}/operator/brands`, operatorToken)
        expect(status).toBe(200)
      }
      expect(await server.end("SIGTERM")).toBe(0)
    }
  })

  it.runIf(isThorough)("finishes what is in flight before it ends [HEALTH-5]", async () => {
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: "memory",
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
      },
      program
    )
    const { brandId, signalId } = await setUpBrand(server.url)
    const upload = request(`${server.url}/operator/brands/${brandId}/observations`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/x-ndjson" }
    })
    const line = (id: string): string =>
      `${JSON.stringify({ signalId, person: { extId: id, name: id }, engagement: { id } })}\n`
    upload.write(line("before"))
    const [response] = await once(upload, "response")
    const ended = server.end("SIGTERM")
    while (!server.err().includes("draining")) await new Promise((resolve) => setTimeout(resolve, 10))
    upload.end(line("after"))
    let text = ""
    for await (const chunk of response) text += chunk
    expect(
      text
        .trim()
        .split("\n")
        .map((each) => JSON.parse(each).outcome)
    ).toEqual(["recorded", "recorded"])
    expect(await ended).toBe(0)
  })
})
