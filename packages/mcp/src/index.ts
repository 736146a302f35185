/** The Model Context Protocol over Streamable HTTP, without sessions: each message is answered by itself. [MCP-1, MCP-3] */
import type { McpCaller, McpService } from "@lead-signals/http"
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { type Callers, makeServer } from "./McpServer.ts"
import { makeResources } from "./Resources.ts"

export { type Tool, tools } from "./Tools.ts"
export { boundTools, type BoundTool, type CredentialKind } from "./Operations.ts"
export { definitionOf } from "./Definitions.ts"

const invalidRequest = -32600
const methodNotFound = -32601

const rpcError = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status })

type Message = { readonly method?: unknown; readonly id?: unknown } | null

/** Answers by the protocol's revisions before 2026-07-28, whose clients begin with `initialize`. */
const answerLegacy = async (
  request: Request,
  message: unknown,
  server: ReturnType<typeof makeServer>
): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

const callersOf = (caller: McpCaller): Callers => ({ [caller.kind]: caller })

/** Makes the service that `Mcp` of `@lead-signals/http` takes. `specification` is the text of docs/specification.md. */
export const makeMcpService = (specification: string): McpService => {
  const resources = makeResources(specification)
  return async (request, caller) => {
    const text = await request.text()
    let message: unknown
    try {
      message = JSON.parse(text) as unknown
    } catch {
      return rpcError(400, -32700, "The body takes one message as JSON.")
    }
    // One request is one message: a batch would call many tools for one request of the window.
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return rpcError(400, invalidRequest, "The body takes one message, an object.")
    const { id, method } = message as NonNullable<Message>
    if (caller.refusal !== null && method !== "tools/call") {
      return new Response(caller.refusal.body, {
        status: caller.refusal.status,
        headers: { "content-type": "application/json" }
      })
    }
    // Nothing here ever changes that a client could wait for.
    if (method === "subscriptions/listen")
      return rpcError(200, methodNotFound, "This server has no subscriptions.", id)
    const server = makeServer(callersOf(caller), resources, request.signal)
    const again = new Request(request.url, {
      method: "POST",
      headers: request.headers,
      body: text,
      signal: request.signal
    })
    return (await isLegacyRequest(again, message))
      ? answerLegacy(again, message, server)
      : createMcpHandler(() => server).fetch(again, { parsedBody: message })
  }
}
