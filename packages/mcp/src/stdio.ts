/** The protocol over standard input and output, for an assistant on this machine: calls a server by its URL. [MCP-10] */
import type { ApiAnswer, ApiCall, McpCaller } from "@lead-signals/http"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import type { CredentialKind } from "./Operations.ts"
import { makeServer } from "./McpServer.ts"
import { makeResources } from "./Resources.ts"
import { StdioTransport } from "./StdioTransport.ts"

/** Where the server is, and what opens it. */
export interface StdioOptions {
  /** Without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** A brand's key; null to call with the token alone. */
  readonly apiKey: string | null
  /** An operator's token; null to call with the key alone. */
  readonly operatorToken: string | null
  /** The text of docs/specification.md. */
  readonly specification: string
}

/** A call takes at most this long. */
const timeoutMillis = 60_000

/** More is not read of an answer. */
const maxAnswerBytes = 8 * 1024 * 1024

const local = (code: string, message: string): ApiAnswer => ({
  status: 503,
  retryAfterSeconds: null,
  body: JSON.stringify({ error: { code, message } })
})

const readText = async (response: Response): Promise<string | null> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxAnswerBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Calls with a credential. A redirection is not followed: the credential is for this server. An answer takes at most `millis`. */
export const callWith =
  (url: string, credential: string, millis: number = timeoutMillis) =>
  async ({ body, headers, method, target }: ApiCall, signal: AbortSignal): Promise<ApiAnswer> => {
    try {
      const response = await fetch(`${url}${target}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(millis)]),
        headers: {
          ...headers,
          authorization: `Bearer ${credential}`,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body })
      })
      const text = await readText(response)
      if (text === null) return local("answer_too_large", "The answer is larger than this program reads.")
      const retryAfter = response.headers.get("retry-after") ?? ""
      return {
        status: response.status,
        retryAfterSeconds: /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) : null,
        body: text
      }
    } catch (failure) {
      if (signal.aborted) throw failure
      return local("unreachable", `There is no answer from ${url}; is the server running there?`)
    }
  }

const callerOf = (kind: CredentialKind, url: string, credential: string | null) =>
  credential === null
    ? {}
    : {
        [kind]: { kind, scopes: null, refusal: null, call: callWith(url, credential) } satisfies McpCaller
      }

/**
 * Serves until standard input has ended and each request is answered, or standard output breaks. Standard output carries messages alone, and
 * problems of the connection go to `onProblem`, without what was sent.
 */
export const serveOverStdio = async (
  { apiKey, operatorToken, specification, url }: StdioOptions,
  onProblem: (message: string) => void
): Promise<void> => {
  const resources = makeResources(specification)
  const callers = { ...callerOf("key", url, apiKey), ...callerOf("operator", url, operatorToken) }
  const transport = new StdioTransport(process.stdin, process.stdout)
  const handle = serveStdio(() => makeServer(callers, resources), {
    transport,
    maxSubscriptions: 1,
    onerror: () => onProblem("A message could not be read or answered.")
  })
  await transport.finished
  await handle.close()
}
