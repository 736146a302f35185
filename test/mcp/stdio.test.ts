/** `lead-signals mcp`: the protocol over standard input and output, with clients of the official packages. */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { callWith, maxLineBytes } from "@lead-signals/mcp/internal"
import { spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { observation, observe, operatorToken, setUpBrand, startBrand } from "../harness/HttpServers.ts"
import { type McpClient, textOf } from "../harness/McpClients.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { api, brand } = await startBrand()

beforeAll(async () => {
  await observe(api, brand, observation(brand.signalId, "ada", "ada-1"))
})

const environment = (more: Record<string, string>) => ({
  PATH: process.env["PATH"]!,
  NODE_COMPILE_CACHE: compileCache,
  ...more
})

const argumentsFor = (url: string) => [...nodeArguments, bundledServer, "mcp", "--url", url]

const connect = async (env: Record<string, string>, url = api.url, isEarlier = false): Promise<McpClient> => {
  const server = { command: process.execPath, args: argumentsFor(url), env: environment(env) }
  const info = { name: "tests", version: "1" }
  const client = isEarlier
    ? new EarlierClient(info)
    : new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
  await client.connect((isEarlier ? new EarlierTransport(server) : new StdioClientTransport(server)) as never)
  return client as unknown as McpClient
}

/** Runs the command on this input, which then ends, and gives all that it wrote. */
const run = async (env: Record<string, string>, input: string | Buffer, args = argumentsFor(api.url)) => {
  const child = spawn(process.execPath, args, { env: environment(env), stdio: "pipe" })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk) => (out += chunk))
  child.stderr.on("data", (chunk) => (err += chunk))
  child.stdin.end(input)
  const [code] = (await once(child, "close")) as [number]
  return { code, out, err }
}

const request = (id: unknown, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const answersIn = (out: string): ReadonlyArray<Record<string, any>> =>
  out
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

describe("lead-signals mcp", () => {
  it("reads with a key, and changes with a token beside it [MCP-10]", async () => {
    const client = await connect({
      LEAD_SIGNALS_API_KEY: brand.key,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
    })
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const takesBrand = (name: string) =>
      tools.find((tool) => tool.name === name).inputSchema.properties.brandId !== undefined
    expect(["search_leads", "get_lead_series", "mark_lead"].map(takesBrand)).toEqual([false, true, true])
    const [lead] = (await client.callTool({ name: "search_leads", arguments: {} })).structuredContent.data
    expect(lead.name).toBe("Name of ada")
    const marked = { brandId: brand.id, id: lead.id, qualified: true }
    expect(
      (await client.callTool({ name: "mark_lead", arguments: marked })).structuredContent.data.qualified
    ).toBe(true)
    const area = await client.readResource({ uri: "lead-signals://specification/PAGE" })
    expect(area.contents[0].text).toContain("### PAGE-4")
    await client.close()
  })

  it.runIf(isThorough)(
    "serves clients of the line before, says what the server says, and follows it nowhere [MCP-10, MCP-8]",
    async () => {
      const limited = await setUpBrand(api, 1)
      const client = await connect({ LEAD_SIGNALS_API_KEY: limited.key }, api.url, true)
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("mark_lead")
      expect((await client.callTool({ name: "list_signals" })).structuredContent.data).toHaveLength(1)
      const { error } = textOf(await client.callTool({ name: "list_signals" }))
      expect(error.code).toBe("rate_limit_exceeded")
      expect(error.retryAfterSeconds).toBeGreaterThan(0)
      await client.close()
    }
  )

  it.runIf(isThorough)(
    "passes its credential to no other server, and says when there is none; a call that is given up ends [MCP-10, MCP-12]",
    async () => {
      const requested: Array<string | undefined> = []
      const hanging = new EventEmitter()
      const elsewhere = createServer(({ headers, url }, response) => {
        if (url === "/signals/leads") {
          response.once("close", () => hanging.emit("left"))
          return void hanging.emit("asked")
        }
        if (url === "/campaigns") {
          // Longer than anything that is read.
          const more = (): void => void (response.destroyed || response.write("x".repeat(1 << 20), more))
          return more()
        }
        requested.push(`${url} ${headers.authorization}`)
        response.writeHead(302, { location: "/taken" }).end()
      })
      afterAll(() => void elsewhere.close())
      elsewhere.listen(0, "127.0.0.1")
      await once(elsewhere, "listening")
      const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
      const client = await connect({ LEAD_SIGNALS_API_KEY: brand.key }, url)
      expect(textOf(await client.callTool({ name: "list_signals" })).error.code).toBe("unexpected_answer")
      expect(requested).toEqual([`/signals Bearer ${brand.key}`])
      expect(textOf(await client.callTool({ name: "list_campaigns" })).error.code).toBe("answer_too_large")
      const [wasRequested, hasLeft] = [once(hanging, "asked"), once(hanging, "left")]
      const givingUp = new AbortController()
      const called = client.callTool({ name: "search_leads" }, { signal: givingUp.signal })
      await wasRequested
      givingUp.abort()
      await expect(called).rejects.toThrow()
      await hasLeft
      elsewhere.closeAllConnections()
      await new Promise((done) => elsewhere.close(done))
      const gone = textOf(await client.callTool({ name: "list_signals" })).error
      expect(gone.code).toBe("unreachable")
      expect(gone.message).toContain(url)
      await client.close()
    }
  )

  it("waits for no answer for ever, and says how long to wait where the server does [MCP-10, MCP-8]", async () => {
    const slow = createServer(({ url }, response) => {
      if (url !== "/hang") response.writeHead(429, { "retry-after": url === "/1" ? "7" : "tomorrow" }).end()
    })
    slow.listen(0, "127.0.0.1")
    await once(slow, "listening")
    const call = (target: string) =>
      callWith(
        `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
        "key",
        target === "/hang" ? 50 : 60_000
      )({ method: "GET", target }, new AbortController().signal)
    expect(JSON.parse((await call("/hang")).body).error.code).toBe("unreachable")
    const waits = [await call("/1"), await call("/2")].map(({ retryAfterSeconds }) => retryAfterSeconds)
    expect(waits).toEqual([7, null])
    slow.closeAllConnections()
    slow.close()
  })

  it("answers each line and each call that came before its input ended, by messages alone, and shows its credential nowhere [MCP-10]", async () => {
    const lines = [
      "no json",
      "[1]",
      '{"jsonrpc":"2.0"}',
      `"${"x".repeat(70_000)}"`,
      "",
      '{"jsonrpc":"2.0","id":"i","method":1}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"An answer gets none."}}',
      "x".repeat(maxLineBytes + 1),
      request(7, "no/such"),
      request(7, "no/such"),
      request("call", "tools/call", { name: "list_signals", arguments: {} }),
      "{"
    ]
    const { code, err, out } = await run({ LEAD_SIGNALS_API_KEY: brand.key }, lines.join("\n"))
    const answers = answersIn(out)
    const errors = answers.flatMap(({ error, id }) => (error === undefined ? [] : [[id, error.code]]))
    expect(errors.filter(([id]) => id !== 7)).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      ["i", -32600],
      [null, -32600],
      [null, -32700]
    ])
    expect(errors.filter(([id]) => id === 7)).toEqual([
      [7, -32601],
      [7, -32601]
    ])
    const signals = answers.find(({ id }) => id === "call")!["result"].structuredContent.data
    expect(signals.map(({ id }: { id: string }) => id)).toEqual([brand.signalId])
    expect([code, `${out}${err}`.includes(brand.key)]).toEqual([0, false])
  })

  it.runIf(isThorough)(
    "ends with wrong usage without a credential or a URL that can be called [MCP-10, CLI-1]",
    async () => {
      const none = await run({}, "")
      expect([none.code, none.out]).toEqual([2, ""])
      expect(none.err).toContain("LEAD_SIGNALS_API_KEY")
      const broken = await run({ LEAD_SIGNALS_API_KEY: "two words" }, "")
      expect([broken.code, broken.err.includes("two words")]).toEqual([2, false])
      const url = await run({ LEAD_SIGNALS_API_KEY: brand.key }, "", [
        bundledServer,
        "mcp",
        "--url",
        "file:///x"
      ])
      expect([url.code, url.err.includes("--url takes http://")]).toEqual([2, true])
    }
  )
})
