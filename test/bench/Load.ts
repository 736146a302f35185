/** Requests at a server from some connections at once, and what came back how fast. Only 2xx counts. */
import autocannon from "autocannon"
import { connect } from "node:net"
import { median } from "./Statistics.ts"

/** How many requests are under way at once. */
export const connections = 16

/** Paths requested in turn, again and again; or the next path at each call. */
export type Paths = ReadonlyArray<string> | (() => string)

/** A server, and what is requested there in turn. */
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

/** What one round gave. */
export interface Rate {
  readonly perSecond: number
  /** The median of one request, as the client sees it, among `connections` at once. */
  readonly medianMillis: number
}

const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })

/** `signal` ends the wait for the answer. */
export const get = async ({ key, url }: Pick<Target, "key" | "url">, path: string, signal?: AbortSignal) => {
  const response = await fetch(`${url}${path}`, {
    headers: headersOf(key),
    ...(signal === undefined ? {} : { signal })
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** A request without an answer by then has no rate: a search of a million leads by the plain server takes seconds, and minutes on a busy machine. */
export const patienceSeconds = 60

const isTimeout = (error: unknown): boolean => (error as Error | null)?.name === "TimeoutError"

/** As `get`; null when there is no answer within `patience` seconds. */
export const getPatiently = async (
  server: Pick<Target, "key" | "url">,
  path: string,
  patience = patienceSeconds
) => {
  try {
    return await get(server, path, AbortSignal.timeout(patience * 1000))
  } catch (error) {
    if (isTimeout(error)) return null
    throw error
  }
}

/** The milliseconds of a request; null when there is no answer within `patience` seconds. */
const millisOf = async (target: Target, path: string, patience?: number): Promise<number | null> => {
  const startedAt = performance.now()
  const answer = await getPatiently(target, path, patience)
  if (answer === null) return null
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  return performance.now() - startedAt
}

/**
 * A request that takes longer than this is measured on one connection: more would only wait in the server's queue, so
 * many times as long as there are connections.
 */
const slowMillis = 100
const slowRequests = 3

/** Null when the time was over before the first answer. */
const cannonade = (target: Target, seconds: number) =>
  new Promise<Rate | null>((resolve, reject) => {
    const millis: Array<number> = []
    const startedAt = performance.now()
    let endedAt = startedAt
    const headers = headersOf(target.key)
    const { paths } = target
    const instance = autocannon(
      {
        url: target.url,
        connections,
        duration: seconds,
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
            : { perSecond: (millis.length * 1000) / (endedAt - startedAt), medianMillis: median(millis) }
        )
      }
    )
    instance.on("response", (_client: unknown, _status: number, _bytes: number, responseMillis: number) => {
      millis.push(responseMillis)
      endedAt = performance.now()
    })
  })

/** Waits until the server has answered what ended connections left in its queue, which is not on the next measurement's account. */
const untilIdle = async (target: Target): Promise<void> => {
  for (let tries = 0; tries < 20; tries++) if ((await getPatiently(target, "/health")) !== null) return
  throw new Error(`the server answers nothing for ${20 * patienceSeconds} s`)
}

/** The rate of requests one after the other, the first of which took `millis`. */
const oneAfterAnother = async (
  target: Target,
  next: () => string,
  firstMillis: number,
  patience?: number
): Promise<Rate | null> => {
  const millis = [firstMillis]
  while (millis.length < slowRequests) {
    const each = await millisOf(target, next(), patience)
    if (each === null) return null
    millis.push(each)
  }
  const sum = millis.reduce((total, each) => total + each, 0)
  return { perSecond: (millis.length * 1000) / sum, medianMillis: median(millis) * connections }
}

/**
 * Requests for so many seconds; where they are slow, a few, however long they take. Null when one has no answer within
 * `patience` seconds.
 */
export const measure = async (
  target: Target,
  seconds: number,
  patience = patienceSeconds
): Promise<Rate | null> => {
  const next = cycleThrough(target.paths)
  const firstMillis = await millisOf(target, next(), patience)
  const rate = firstMillis === null || firstMillis > slowMillis ? null : await cannonade(target, seconds)
  await untilIdle(target)
  return rate ?? (firstMillis === null ? null : await oneAfterAnother(target, next, firstMillis, patience))
}

/** As `measure`, without a result. A slow request is sent once. Answers whether there was an answer within `patienceSeconds`. */
export const warmUp = async (target: Target, seconds: number): Promise<boolean> => {
  const firstMillis = await millisOf(target, cycleThrough(target.paths)())
  if (firstMillis !== null && firstMillis <= slowMillis) await cannonade(target, seconds)
  await untilIdle(target)
  return firstMillis !== null
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
