/** A receiver on a real socket, that keeps what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { afterAll } from "vitest"

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Milliseconds, of this process's clock. */
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Array<Received>
}

/** Answers by `answer`, else 204. It is stopped after the tests of the file. */
export const startReceiver = async (
  answer: (received: Received, response: ServerResponse, request: IncomingMessage) => void = (
    _,
    response
  ) => {
    response.writeHead(204).end()
  }
): Promise<Receiver> => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    response.on("error", () => {})
    request.on("end", () => {
      const one: Received = {
        path: request.url!,
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString("utf8"),
        at: performance.now()
      }
      received.push(one)
      answer(one, response, request)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, port, received }
}
