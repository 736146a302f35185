/** Clients that take nothing of their answers, over real sockets: the connection is given back, and nobody else's is. */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { type Api, setUpBrand, startApi } from "../harness/HttpServers.ts"

const document = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
/** Their answers are more than the buffers of two sockets hold. */
const requests = 200
/** Enough for the system to tell the server that there is room again: it does not for every byte that is read. */
const bytesAtOnce = 1_500_000

const statusLine = "HTTP/1.1 200 OK"

interface Client {
  readonly socket: Socket
  /** How many answers have begun. */
  readonly answers: () => number
  /** The end of what came. */
  readonly last: () => string
  readonly closed: Promise<unknown>
}

/** Reads only when its socket is resumed. */
const opened = (api: Api): Promise<Client> =>
  new Promise((resolve) => {
    const socket = connect({ port: api.port, host: "127.0.0.1" })
    let [answers, last] = [0, ""]
    socket.on("data", (chunk) => {
      // A status line can come in two pieces, and none is counted twice.
      const text = last.slice(1 - statusLine.length) + chunk.toString("latin1")
      answers += text.split(statusLine).length - 1
      last = text.slice(-1000)
    })
    socket.pause()
    socket.on("error", () => {})
    const closed = new Promise((ended) => socket.once("close", ended))
    socket.once("connect", () => resolve({ socket, answers: () => answers, last: () => last, closed }))
  })

/** The sockets of both ends, as the server is in this process. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length

describe("an answer", () => {
  it("of which its client takes nothing is given up, and the connection is closed [ERR-12]", async () => {
    const api = await startApi({ unreadMillis: 300 })
    const others = sockets()
    const client = await opened(api)
    await expect.poll(sockets).toBe(others + 2)
    client.socket.write(document.repeat(requests))
    // The client's own socket can learn of it at once.
    await expect.poll(sockets).toBeLessThanOrEqual(others + 1)
    client.socket.resume()
    await client.closed
    expect(client.answers()).toBeLessThan(requests)
    expect((await api.call("/health")).status).toBe(200)
  })

  it("of which its client takes nothing is given up also where the client goes on sending [ERR-12]", async () => {
    const api = await startApi({ unreadMillis: 500 })
    const others = sockets()
    const client = await opened(api)
    client.socket.write(document.repeat(requests))
    await expect.poll(sockets).toBe(others + 2)
    // A head without an end, a little of it at a time.
    client.socket.write("GET /health HTTP/1.1\r\nHost: x\r\nX: ")
    const sending = setInterval(() => client.socket.write("x"), 100)
    // The client's own socket can learn of it at once.
    await expect.poll(sockets).toBeLessThanOrEqual(others + 1)
    clearInterval(sending)
    client.socket.destroy()
  })

  it("that is taken slowly arrives whole, however long it takes [ERR-12]", async () => {
    const api = await startApi({ unreadMillis: 5000 })
    const { answers, socket } = await opened(api)
    let room = 0
    const pauseWhenFull = (chunk: Buffer): void => {
      room -= chunk.length
      if (room <= 0) socket.pause()
    }
    socket.on("data", pauseWhenFull)
    socket.write(document.repeat(requests))
    for (let quarter = 0; quarter < 24; quarter++) {
      await sleep(250)
      room = bytesAtOnce
      socket.resume()
    }
    socket.off("data", pauseWhenFull)
    expect(answers()).toBeLessThan(requests)
    socket.resume()
    await expect.poll(answers).toBe(requests)
    socket.destroy()
  })

  it("may take the service longer than a client may leave it unread [ERR-12]", async () => {
    const api = await startApi({ unreadMillis: 100 })
    const { key: token } = await setUpBrand(api)
    const { body } = await api.call("/signals/changes", { token })
    const answer = await api.call(`/signals/changes?cursor=${body.meta.cursor}&wait=1`, { token })
    expect(answer.status).toBe(200)
  })
})

describe("a connection", () => {
  it("that is not used again is closed, as Node would [ERR-12]", async () => {
    const api = await startApi()
    const client = await opened(api)
    client.socket.resume()
    client.socket.write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    await client.closed
    expect(client.answers()).toBe(1)
  })

  it("that goes no further with its first request has the whole time of the headers [ERR-6, ERR-12]", async () => {
    const arrival = { headersMillis: 500, requestMillis: 10_000, checkMillis: 50 }
    const api = await startApi({ unreadMillis: 50, arrival })
    const client = await opened(api)
    client.socket.resume()
    client.socket.write("GET /health HTTP/1.1\r\n")
    await client.closed
    expect(client.last()).toContain("HTTP/1.1 408")
  })
})
