/** Passes requests on to a server, and keeps what they asked. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"

interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** Null: no JSON. */
  readonly body: unknown
}

export interface RecordingProxy {
  readonly url: string
  readonly requests: ReadonlyArray<RecordedRequest>
  /** Answers the next requests with these statuses instead of passing them on; 0 ends the connection. */
  readonly failNext: (...statuses: ReadonlyArray<number>) => void
  /** Ends the answers that are under way, as a server does that is stopped. */
  readonly endStreams: () => void
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A proxy on a free port of this machine, until the file's tests end. `target` is looked up for each request. */
export const recordingProxy = async (target: () => string): Promise<RecordingProxy> => {
  const requests: Array<RecordedRequest> = []
  const failures: Array<number> = []
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const passOn = async (): Promise<void> => {
      const parts: Array<Buffer> = []
      for await (const part of request) parts.push(part as Buffer)
      const body = Buffer.concat(parts)
      const url = new URL(request.url!, target())
      requests.push({
        method: request.method!,
        path: url.pathname,
        query: [...url.searchParams.keys()],
        body: parsed(body.toString("utf8"))
      })
      const failure = failures.shift()
      if (failure === 0) return void response.destroy()
      if (failure !== undefined) return void response.writeHead(failure).end("{}")
      const { connection: _, host: __, "content-length": ___, ...headers } = request.headers
      const abort = new AbortController()
      open.add(response)
      response.on("close", () => {
        open.delete(response)
        abort.abort()
      })
      const answer = await fetch(url, {
        method: request.method!,
        headers: headers as Record<string, string>,
        signal: abort.signal,
        ...(body.length === 0 ? {} : { body })
      })
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
      if (answer.body !== null) for await (const part of answer.body) response.write(part)
      response.end()
    }
    passOn().catch(() => response.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failNext: (...statuses) => void failures.push(...statuses),
    endStreams: () => {
      for (const response of open) response.end()
    }
  }
}
