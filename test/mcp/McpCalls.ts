/** Calls of `/mcp` over HTTP, at a server with two brands that have a lead each. */
import { beforeAll } from "vitest"
import {
  type Answer,
  type Api,
  type BrandSetUp,
  observation,
  observe,
  setUpBrand
} from "../harness/HttpServers.ts"
import { startMcpApi } from "../harness/McpClients.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"

/** A message of the protocol. */
export const message = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

export const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }

export interface McpCalls {
  readonly api: Api
  /** Sets the server's clock forward by so many milliseconds, or back by negative ones. */
  readonly setClock: (millis: number) => void
  readonly brand: BrandSetUp
  readonly other: BrandSetUp
  /** The only lead of the brand, and of the other one. */
  readonly leadId: number
  readonly otherLeadId: number
  readonly post: (token: string | null, json: unknown, more?: Record<string, string>) => Promise<Answer>
  /** Calls a tool. */
  readonly call: (token: string, name: string, args?: unknown) => Promise<Answer>
}

/** Call once in a file: the server and its brands are there when its tests begin. */
export const mcpCalls = (): McpCalls => {
  let made: Omit<McpCalls, "post" | "call" | "setClock">
  const { clock, set } = settableWallClock()
  beforeAll(async () => {
    const api = await startMcpApi({ clock })
    const idIn = async (of: BrandSetUp): Promise<number> =>
      (await api.operate("GET", `/operator/brands/${of.id}/leads`)).body.data[0].id
    const brand = await setUpBrand(api)
    const other = await setUpBrand(api)
    await observe(api, brand, observation(brand.signalId, "ada", "ada-1"))
    await observe(api, other, observation(other.signalId, "bo", "bo-1"))
    made = { api, brand, other, leadId: await idIn(brand), otherLeadId: await idIn(other) }
  })
  const post: McpCalls["post"] = (token, json, more = {}) =>
    made.api.call("/mcp", { method: "POST", token, json, headers: { ...headers, ...more } })
  return {
    get api() {
      return made.api
    },
    get brand() {
      return made.brand
    },
    get other() {
      return made.other
    },
    get leadId() {
      return made.leadId
    },
    get otherLeadId() {
      return made.otherLeadId
    },
    setClock: set,
    post,
    call: (token, name, args = {}) => post(token, message("tools/call", { name, arguments: args }))
  }
}
