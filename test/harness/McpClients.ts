/** Clients of the Model Context Protocol, of the official packages: the line of today, and the one before. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Mcp } from "@lead-signals/http"
import { makeMcpService } from "@lead-signals/mcp"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer } from "effect"
import { type Api, startApi, type Stores } from "./HttpServers.ts"

/** A short specification with two areas. */
const specification =
  "# Specification\n\n## PAGE: pages\n\n### PAGE-1\n\nPages.\n\n## SORT: order\n\n### SORT-1\n\nOrder.\n"

/** A server with `/mcp`. */
export const startMcpApi = (
  options: Parameters<typeof startApi>[0] = {},
  stores: Layer.Layer<Stores, unknown> = MemoryStore.layer
): Promise<Api> =>
  startApi({
    ...options,
    stores: Layer.merge(
      stores,
      Layer.succeed(
        Mcp,
        Effect.sync(() => makeMcpService(specification))
      )
    ) as typeof MemoryStore.layer
  })

// Both lines answer what tests look into freely.
export interface McpClient {
  readonly callTool: (
    call: { name: string; arguments?: Record<string, unknown> },
    ...more: Array<any>
  ) => Promise<any>
  readonly listTools: () => Promise<{ tools: Array<any> }>
  readonly listResources: () => Promise<{ resources: Array<any> }>
  readonly listResourceTemplates: () => Promise<{ resourceTemplates: Array<any> }>
  readonly readResource: (params: { uri: string }) => Promise<any>
  readonly getServerVersion: () => any
  readonly getInstructions: () => string | undefined
  readonly close: () => Promise<void>
}

export type ClientLine = "2026-07-28" | "2025-11-25" | "earlier package"

export const clientLines: ReadonlyArray<ClientLine> = ["2026-07-28", "2025-11-25", "earlier package"]

const info = { name: "tests", version: "1" }

/** A client that speaks this revision, not yet connected; and how it connects to the server's `/mcp` with a credential. */
const makeClient = (line: ClientLine) => {
  if (line === "earlier package") return new EarlierClient(info)
  return new Client(info, line === "2026-07-28" ? { versionNegotiation: { mode: { pin: line } } } : {})
}

/** A client that is connected to the server over HTTP. */
export const connectMcp = async (
  url: string,
  credential: string,
  line: ClientLine = "2026-07-28"
): Promise<McpClient> => {
  const client = makeClient(line)
  const options = { requestInit: { headers: { authorization: `Bearer ${credential}` } } }
  const target = new URL(`${url}/mcp`)
  const transport =
    line === "earlier package"
      ? new EarlierTransport(target, options)
      : new StreamableHTTPClientTransport(target, options)
  await client.connect(transport as never)
  return client as unknown as McpClient
}

/** What a tool answered, as an assistant reads it. */
export const textOf = (result: any): any => JSON.parse(result.content[0].text)
