/** More connections than a server may have open, over real sockets. */
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { type Api, setUpBrand, startApi } from "../harness/HttpServers.ts"

interface Client {
  readonly socket: Socket
  /** What came. */
  readonly text: () => string
  /** Whether the server has closed the connection. */
  readonly isClosed: () => boolean
}

/** One that `keeps` leaves its end open when the server has closed its own. */
const opened = ({ port }: Api, keeps = false): Promise<Client> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: keeps })
    let [text, isClosed] = ["", false]
    socket.on("data", (chunk) => (text += chunk.toString("latin1")))
    socket.on("error", () => {})
    for (const event of ["end", "close"]) socket.on(event, () => (isClosed = true))
    socket.once("connect", () => resolve({ socket, text: () => text, isClosed: () => isClosed }))
  })

const health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

const requested = async (client: Client, request = health): Promise<void> => {
  const before = client.text().length
  client.socket.write(request)
  await expect.poll(() => client.text().slice(before)).toMatch(/^HTTP\/1\.1 200 OK/)
}

const closed = async ({ isClosed }: Client): Promise<void> => void (await expect.poll(isClosed).toBe(true))

/** Connections that have each had an answer, in the order in which they asked. */
const requestedInTurn = async (api: Api, count: number): Promise<ReadonlyArray<Client>> => {
  const clients: Array<Client> = []
  for (let i = 0; i < count; i++) {
    clients.push(await opened(api))
    await requested(clients[i]!)
  }
  return clients
}

/** Connections that wait for a change. */
const waiting = async (api: Api, count: number): Promise<ReadonlyArray<Client>> => {
  const { key } = await setUpBrand(api)
  const { body } = await api.call("/signals/changes", { token: key })
  const wait =
    `GET /signals/changes?cursor=${body.meta.cursor}&wait=30 HTTP/1.1\r\nHost: x\r\n` +
    `Authorization: Bearer ${key}\r\n\r\n`
  const clients: Array<Client> = []
  for (let i = 0; i < count; i++) {
    clients.push(await opened(api))
    // Both requests come at once: when the first is answered, the second is in flight.
    await requested(clients[i]!, health + wait)
  }
  return clients
}

const logged = ({ log }: Api): ReadonlyArray<string> =>
  log.filter((line) => line.includes("connections refused"))

describe("a connection beyond the most", () => {
  it("takes the place of the one that has been without a request the longest [ERR-13]", async () => {
    const api = await startApi({ maxConnections: 3 })
    const [first, second, third] = await requestedInTurn(api, 3)
    await requested(first!)
    const further = await opened(api)
    await requested(further)
    await closed(second!)
    for (const client of [first!, third!, further]) await requested(client)
    expect(logged(api)).toEqual([])
  })

  it("is answered among any number that ask nothing [ERR-13]", async () => {
    const api = await startApi({ maxConnections: 5 })
    const silent: Array<Client> = []
    for (let i = 0; i < 40; i++) silent.push(await opened(api))
    expect((await api.call("/health")).status).toBe(200)
    await expect.poll(() => silent.filter(({ isClosed }) => !isClosed()).length).toBe(4)
  })

  it("is refused while each of them has a request in flight, and let in again after [ERR-13]", async () => {
    const api = await startApi({ maxConnections: 2 })
    const clients = await waiting(api, 2)
    const refused = await opened(api)
    await closed(refused)
    expect(refused.text()).toMatch(
      /^HTTP\/1\.1 503 Service Unavailable[^]*Retry-After: 1\r\n[^]*"code":"unavailable"/
    )
    await closed(await opened(api))
    expect(logged(api)).toEqual([expect.stringContaining('"maxConnections":2')])
    expect(clients.map(({ isClosed }) => isClosed())).toEqual([false, false])
    clients[0]!.socket.destroy()
    await expect.poll(async () => (await api.call("/health")).status).toBe(200)
    expect(clients[1]!.isClosed()).toBe(false)
    clients[1]!.socket.destroy()
  })

  it("is closed without an answer where a hundred are being refused [ERR-13]", async () => {
    const api = await startApi({ maxConnections: 1 })
    const [client] = await waiting(api, 1)
    const further = await Promise.all(Array.from({ length: 300 }, () => opened(api, true)))
    for (const each of further) await closed(each)
    const refused = further.filter(({ text }) => text().startsWith("HTTP/1.1 503 ")).length
    expect(refused).toBeGreaterThanOrEqual(100)
    expect(refused).toBeLessThan(300)
    expect(client!.isClosed()).toBe(false)
    for (const { socket } of [client!, ...further]) socket.destroy()
  })
})
