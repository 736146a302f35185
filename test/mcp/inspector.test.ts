/**
 * The checks of the protocol's inspector, by its command line: every method that it has, over HTTP and over standard input and output. Each
 * call is a process that begins a session of its own, and validates what it is answered by the schemas of the official package.
 */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer, nodeArguments } from "../harness/BundledServer.ts"
import {
  type Api,
  type BrandSetUp,
  observation,
  observe,
  operatorToken,
  setUpBrand
} from "../harness/HttpServers.ts"
import { startMcpApi } from "../harness/McpClients.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** The program beside the package's entry, which would start it with other options in a process of its own. */
const inspector = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli")),
  "index.js"
)
/** It looks for its own package.json in the folder above, and finds it only where there is one of any package. */
const folder = dirname(dirname(fileURLToPath(import.meta.url)))

interface Inspected {
  readonly code: number
  // What it prints is looked into freely.
  readonly json: any
  readonly text: string
}

/** How the inspector reaches a server: its arguments before the method. */
type Target = (credential: string) => ReadonlyArray<string>

const inspect = (target: ReadonlyArray<string>, method: string, ...more: ReadonlyArray<string>) =>
  new Promise<Inspected>((resolve) => {
    const isUrl = target[0]!.startsWith("http")
    // Its options come before the "--" of a command's arguments.
    const [url, header] = target
    const args = isUrl
      ? [url!, "--method", method, ...more, "--header", header!]
      : [target[0]!, "--method", method, ...more, "--", ...target.slice(1)]
    const env = {
      ...process.env,
      LEAD_SIGNALS_API_KEY: brand.key,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
    }
    execFile(
      process.execPath,
      [inspector, ...args],
      { cwd: folder, env, maxBuffer: 2 ** 26 },
      (error, out, err) => {
        const code = error === null ? 0 : Number(error.code)
        resolve({ code, json: code === 0 ? JSON.parse(out) : null, text: `${out}${err}` })
      }
    )
  })

let api: Api
let brand: BrandSetUp
let leadId: number

beforeAll(async () => {
  api = await startMcpApi()
  brand = await setUpBrand(api)
  await observe(api, brand, observation(brand.signalId, "ada", "ada-1"))
  leadId = (await api.operate("GET", `/operator/brands/${brand.id}/leads`)).body.data[0].id
})

const overHttp: Target = (credential) => [`${api.url}/mcp`, `Authorization: Bearer ${credential}`]
const overStdio: Target = () => [process.execPath, ...nodeArguments, bundledServer, "mcp", "--url", api.url]

describe.runIf(isThorough).each([
  ["HTTP", overHttp],
  ["standard input and output", overStdio]
])("the inspector's command line, over %s,", (_, target) => {
  it("lists tools, with a valid schema of arguments and answers each [MCP-4, MCP-7, MCP-10]", async () => {
    const { code, json, text } = await inspect(target(brand.key), "tools/list")
    expect([code, code === 0 ? "" : text]).toEqual([0, ""])
    expect(json.tools.map(({ name }: any) => name)).toContain("search_leads")
    for (const { annotations, description, inputSchema, name, outputSchema } of json.tools) {
      expect([name, inputSchema.type, outputSchema.type]).toEqual([name, "object", "object"])
      expect([name, description.length > 0, typeof annotations.readOnlyHint]).toEqual([name, true, "boolean"])
    }
  })

  it("calls every tool that reads, and is told what is wrong with a call [MCP-4, MCP-5, MCP-8]", async () => {
    const { json } = await inspect(target(brand.key), "tools/list")
    const readers = json.tools.filter(({ annotations }: any) => annotations.readOnlyHint)
    /** By the names of arguments that a tool needs. */
    const known: Readonly<Record<string, string>> = {
      id: String(leadId),
      leadId: String(leadId),
      brandId: `"${brand.id}"`,
      updatedAfter: "2026-01-01T00:00:00Z",
      from: "2026-01-01",
      to: "2026-01-02",
      interval: "day"
    }
    for (const { inputSchema, name } of readers) {
      const needed: ReadonlyArray<string> = inputSchema.required ?? []
      const args = needed.flatMap((each) => ["--tool-arg", `${each}=${known[each] ?? "1"}`])
      const {
        code,
        json: answer,
        text
      } = await inspect(target(brand.key), "tools/call", "--tool-name", name, ...args)
      expect([name, code, code === 0 ? "" : text]).toEqual([name, 0, ""])
      const said = JSON.parse(answer.content[0].text)
      if (answer.isError === true) expect([name, said.error.code]).toEqual([name, "not_found"])
      else expect(answer.structuredContent).toEqual(said)
    }
    const found = await inspect(
      target(brand.key),
      "tools/call",
      "--tool-name",
      "get_lead",
      "--tool-arg",
      `id=${leadId}`
    )
    expect(found.json.structuredContent.data.extId).toBe("ada")
    const wrong = await inspect(
      target(brand.key),
      "tools/call",
      "--tool-name",
      "search_leads",
      "--tool-arg",
      "sort=name"
    )
    expect([wrong.json.isError, JSON.parse(wrong.json.content[0].text).error.code]).toEqual([
      true,
      "invalid_parameter"
    ])
    const none = await inspect(target(brand.key), "tools/call", "--tool-name", "no_such_tool")
    expect([none.code, none.text]).toEqual([1, expect.stringContaining("no_such_tool")])
  })

  it("lists and reads every resource, and the templates [MCP-9]", async () => {
    const { json } = await inspect(target(brand.key), "resources/list")
    expect(json.resources.length).toBeGreaterThan(2)
    for (const { mimeType, uri } of json.resources) {
      const read = await inspect(target(brand.key), "resources/read", "--uri", uri)
      expect([read.json.contents[0].uri, read.json.contents[0].mimeType]).toEqual([uri, mimeType])
      expect(read.json.contents[0].text.length).toBeGreaterThan(0)
    }
    const templates = await inspect(target(brand.key), "resources/templates/list")
    expect(templates.json.resourceTemplates.map(({ uriTemplate }: any) => uriTemplate)).toEqual([
      "lead-signals://operations/{operationId}"
    ])
    const none = await inspect(target(brand.key), "resources/read", "--uri", "file:///etc/passwd")
    expect(none.code).toBe(1)
  })

  it("is refused what the server does not offer, in words of the protocol [MCP-1]", async () => {
    for (const method of ["prompts/list", "logging/setLevel"]) {
      const more = method === "logging/setLevel" ? ["--log-level", "debug"] : []
      const { code, text } = await inspect(target(brand.key), method, ...more)
      expect([method, code, text]).toEqual([
        method,
        1,
        expect.stringMatching(/not support|not found|-32601/i)
      ])
    }
  })
})

it("refuses the inspector without a credential, and with a wrong one [MCP-2]", async () => {
  const { code, text } = await inspect([`${api.url}/mcp`, "Authorization: Bearer lsk_wrong"], "tools/list")
  expect([code, text]).toEqual([1, expect.stringMatching(/401|invalid/i)])
})
