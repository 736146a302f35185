/** One connection on which many requests wait at once, and their answers, in order. */
import { connect, type Socket } from "node:net"
import type { Api } from "../harness/HttpServers.ts"
import type { Sent } from "./HostileRequests.ts"

const pipelined = 24

export interface Received {
  readonly status: number
  readonly contentType: string
  readonly requestId: string
  readonly body: string
}

/** Takes whole answers off the front of what has come; chunked bodies are put together. */
const take = (buffer: Buffer, isHead: boolean): readonly [Received, number] | null => {
  const end = buffer.indexOf("\r\n\r\n")
  if (end < 0) return null
  const head = buffer.subarray(0, end).toString("latin1")
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? ""
  const status = Number(head.slice(9, 12))
  const received = (body: string): Received => ({
    status,
    contentType: header("content-type"),
    requestId: header("x-request-id"),
    body
  })
  let at = end + 4
  if (isHead || status === 204) return [received(""), at]
  if (header("transfer-encoding") === "chunked") {
    let body = ""
    for (;;) {
      const lineEnd = buffer.indexOf("\r\n", at)
      if (lineEnd < 0) return null
      const size = parseInt(buffer.subarray(at, lineEnd).toString("latin1"), 16)
      if (buffer.length < lineEnd + 2 + size + 2) return null
      body += buffer.subarray(lineEnd + 2, lineEnd + 2 + size).toString("utf8")
      at = lineEnd + 2 + size + 2
      if (size === 0) return [received(body), at]
    }
  }
  const length = Number(header("content-length"))
  return buffer.length < at + length
    ? null
    : [received(buffer.subarray(at, at + length).toString("utf8")), at + length]
}

/** Sends on one connection, so many at once, and hands out the answers in order; a closed connection is opened again. */
export const converse = (
  api: Api,
  next: () => Sent | null,
  onAnswer: (sent: Sent, received: Received) => void
): Promise<void> =>
  new Promise((resolve, reject) => {
    let waiting: Array<Sent> = []
    let buffer: Buffer = Buffer.alloc(0)
    let socket: Socket
    const fill = (): void => {
      while (waiting.length < pipelined) {
        const sent = next()
        if (sent === null) break
        waiting.push(sent)
        socket.write(sent.bytes)
      }
      if (waiting.length === 0) {
        socket.destroy()
        resolve()
      }
    }
    const open = (): void => {
      buffer = Buffer.alloc(0)
      socket = connect(api.port, "127.0.0.1")
      socket.on("error", () => {})
      socket.on("connect", () => {
        const again = waiting
        waiting = []
        for (const sent of again) {
          waiting.push(sent)
          socket.write(sent.bytes)
        }
        fill()
      })
      socket.on("data", (chunk) => {
        buffer = Buffer.concat([buffer, chunk])
        try {
          for (
            let taken = take(buffer, waiting[0]?.method === "HEAD");
            taken !== null && waiting.length > 0;
            taken = take(buffer, waiting[0]?.method === "HEAD")
          ) {
            buffer = buffer.subarray(taken[1])
            onAnswer(waiting.shift()!, taken[0])
          }
          fill()
        } catch (error) {
          reject(error as Error)
          socket.destroy()
        }
      })
      socket.on("close", () => {
        if (waiting.length > 0) open()
      })
    }
    open()
  })
