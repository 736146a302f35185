/** Requests at a server from some connections at once, and what came back how fast. Only 2xx counts. */
import autocannon from "autocannon"
import { connect } from "node:net"
import { median } from "./Statistics.ts"

export const connections = 16

/** Paths requested in turn, again and again; or the next path at each call. */
export type Paths = ReadonlyArray<string> | (() => string)

export interface Target {
  readonly url: string
  readonly key: string
  readonly paths: Paths
}

/** The next at each call; of a list from its first on. */
const cycleThrough = <A>(items: ReadonlyArray<A> | (() => A)): (() => A) => {
  if (typeof items === "function") return items
  let next = 0
  return () => items[next++ % items.length]!
}

export interface Rate {
  readonly perSecond: number
  /** The median of one request, as the client sees it, among `connections` at once. */
  readonly medianMillis: number
}

const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })

export const get = async ({ key, url }: Pick<Target, "key" | "url">, path: string) => {
  const response = await fetch(`${url}${path}`, { headers: headersOf(key) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/**
 * A request that takes longer than this is measured on one connection: more would only wait in the server's queue, so
 * many times as long as there are connections.
 */
const slowMillis = 100
const slowRequests = 3

/** Null when the time was over before the first answer. */
const cannonade = (target: Target, limit: { readonly duration: number } | { readonly amount: number }) =>
  new Promise<Rate | null>((resolve, reject) => {
    const isSlow = "amount" in limit
    const millis: Array<number> = []
    const startedAt = performance.now()
    let endedAt = startedAt
    const headers = headersOf(target.key)
    const { paths } = target
    const instance = autocannon(
      {
        url: target.url,
        connections: isSlow ? 1 : connections,
        ...limit,
        timeout: 120,
        sampleInt: 20,
        requests:
          typeof paths === "function"
            ? [{ headers, setupRequest: (request) => ({ ...request, path: paths() }) }]
            : paths.map((path) => ({ path, headers }))
      },
      (error, result) => {
        if (error !== null) return reject(error)
        if (result.errors > 0 || result.non2xx > 0)
          return reject(
            new Error(
              `${typeof paths === "function" ? "of drawn requests" : paths[0]}: ${result.errors} errors, ${result.non2xx} other than 2xx, ${millis.length} answers`
            )
          )
        return resolve(
          millis.length === 0
            ? null
            : {
                perSecond: (millis.length * 1000) / (endedAt - startedAt),
                medianMillis: median(millis) * (isSlow ? connections : 1)
              }
        )
      }
    )
    instance.on("response", (_client: unknown, _status: number, _bytes: number, responseMillis: number) => {
      millis.push(responseMillis)
      endedAt = performance.now()
    })
  })

/** Requests for so many seconds; where they are slow, a few, however long they take. */
export const measure = async (target: Target, seconds: number): Promise<Rate> => {
  const startedAt = performance.now()
  await get(target, cycleThrough(target.paths)())
  const isSlow = performance.now() - startedAt > slowMillis
  const rate = isSlow ? null : await cannonade(target, { duration: seconds })
  // What the ended connections left in the server's queue is not on the next measurement's account.
  await get(target, "/health")
  return rate ?? (await cannonade(target, { amount: slowRequests }))!
}

/**
 * The same with next to no work on this side, for what answers faster than autocannon can send: a socket of Node's a
 * connection, which looks no further into an answer than its status and length. Adds the milliseconds of each request to `millis`.
 */
export const measureBare = (
  { key, paths, url }: Target,
  seconds: number,
  millis: Array<number> = []
): Promise<Rate> => {
  const { hostname, port } = new URL(url)
  const requestOf = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`
  const requests = typeof paths === "function" ? () => requestOf(paths()) : paths.map(requestOf)
  const startedAt = performance.now()
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      const nextRequest = cycleThrough(requests)
      let [request, missing, sentAt] = ["", -1, 0]
      const send = (): void => {
        request = nextRequest()
        sentAt = performance.now()
        missing = -1
        socket.write(request, "latin1")
      }
      socket.on("connect", send)
      socket.on("error", reject)
      socket.on("data", (chunk) => {
        if (missing < 0) {
          const end = chunk.indexOf("\r\n\r\n")
          const head = chunk.toString("latin1", 0, end)
          const length = /content-length: (\d+)/i.exec(head)?.[1]
          if (!head.startsWith("HTTP/1.1 200") || length === undefined) {
            socket.destroy()
            return reject(new Error(`${request.slice(0, request.indexOf(" HTTP"))}: ${head.slice(0, 60)}`))
          }
          missing = Number(length) + end + 4
        }
        missing -= chunk.length
        if (missing > 0) return undefined
        const now = performance.now()
        millis.push(now - sentAt)
        if (now - startedAt < seconds * 1000) return send()
        socket.destroy()
        return resolve()
      })
    })
  return Promise.all(Array.from({ length: connections }, one)).then(() => ({
    perSecond: (millis.length * 1000) / (performance.now() - startedAt),
    medianMillis: median(millis)
  }))
}
