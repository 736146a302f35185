/** A real server on a real socket, with a store of its own, and ways to talk to it. */
import type { Entropy, StorePorts } from "@lead-signals/domain"
import {
  type BodyLimits,
  AuditedKeyReads,
  BodyPace,
  type ConsoleFile,
  ChangeWaitLimits,
  ConsoleFiles,
  DefaultRateLimit,
  DrainState,
  type FetchHandler,
  fetchHandler,
  logLine,
  OperatorToken,
  webCrypto
} from "@lead-signals/http"
import { EventStreamLimits } from "@lead-signals/http/internal"
import * as NodeServer from "@lead-signals/http/node"
import * as MemoryStore from "@lead-signals/store-memory"
import { Addresses, Emitter, TargetGuard } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { type Clock, type Duration, Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { connect } from "node:net"
import { afterAll } from "vitest"

export const operatorToken = "operator-token-of-the-tests"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Bodies are looked into freely here.
  readonly body: any
}

interface Options {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly body?: BodyInit
}

export type Stores = StorePorts

export interface Api {
  readonly url: string
  readonly port: number
  readonly fetch: FetchHandler
  /** The lines of the log, as JSON. */
  readonly log: ReadonlyArray<string>
  readonly run: <A, E>(work: Effect.Effect<A, E, Stores | Entropy>) => Promise<A>
  readonly call: (path: string, options?: Options) => Promise<Answer>
  readonly operate: (method: string, path: string, json?: unknown) => Promise<Answer>
  /** Sends the bytes as they are, and gives what came back until the server closed or `until` was there. */
  readonly raw: (bytes: string | Uint8Array, until?: RegExp) => Promise<string>
  /** From now on answers say that they are their connection's last. */
  readonly drain: () => Promise<void>
  readonly stop: () => Promise<void>
}

const send = async (
  url: string,
  { body, headers, json, method = "GET", token }: Options
): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body, duplex: "half" })
  } as RequestInit)
  const text = await response.text()
  const isJson = (response.headers.get("content-type") ?? "").includes("application/json")
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : null
  }
}

const sendRaw = (port: number, bytes: string | Uint8Array, until?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let seen = ""
    socket.on("connect", () => socket.write(bytes))
    socket.on("data", (chunk) => {
      seen += chunk.toString("latin1")
      if (until?.test(seen) === true) socket.destroy()
    })
    socket.on("close", () => resolve(seen))
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(seen) : reject(error)
    )
  })

/** Webhooks to receivers of this machine, each attempt tried again once. */
const webhooks = (scheduleMillis: ReadonlyArray<number>) => {
  const allowed = [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))]
  return Layer.merge(
    Emitter.layer({ scheduleMillis, drain: 0 }).pipe(Layer.provide(NodeWebhook.sender({ allowed }))),
    TargetGuard.layer({ allowed, allowedBy: "LEAD_SIGNALS_WEBHOOK_ALLOW" })
  ).pipe(Layer.provide(NodeWebhook.resolver))
}

/** Starts a server for the tests of a file, and stops it after them. */
export const startApi = async ({
  arrival,
  auditsKeyReads = false,
  bodyLimits = null,
  clock,
  consoleFiles,
  drain: drainTime = "1 second",
  draining = () => false,
  maxConnections,
  requestsPerMinute = 60,
  retryMillis,
  stores = MemoryStore.layer,
  streamLimits,
  unreadMillis,
  waitLimits
}: {
  readonly stores?: Layer.Layer<Stores, unknown>
  /** Whether the audit log has what API keys list. */
  readonly auditsKeyReads?: boolean
  readonly requestsPerMinute?: number
  /** How long requests in flight may take when the server stops. */
  readonly drain?: Duration.DurationInput
  readonly draining?: () => boolean
  readonly arrival?: NodeServer.Arrival
  readonly unreadMillis?: number
  readonly maxConnections?: number
  readonly bodyLimits?: BodyLimits | null
  /** The clock of the server; the machine's unless given. */
  readonly clock?: Clock.Clock
  /** The files, or what loads them. Without them there is no console. */
  readonly consoleFiles?: ReadonlyArray<ConsoleFile> | Effect.Effect<ReadonlyArray<ConsoleFile>>
  /** Sends webhooks, to 127.0.0.0/8 only; without it none can be created. */
  readonly retryMillis?: ReadonlyArray<number>
  /** The limits of live events; the server's own unless given. */
  readonly streamLimits?: typeof EventStreamLimits.Service
  /** The limits of requests that wait for changes; the server's own unless given. */
  readonly waitLimits?: typeof ChangeWaitLimits.Service
} = {}): Promise<Api> => {
  const log: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ annotations, cause, message }) => {
      const line = logLine({ annotations, message })
      log.push(JSON.stringify({ message: line.message, ...line.fields, cause: String(cause) }))
    })
  )
  const host = Layer.mergeAll(
    stores,
    clock === undefined ? Layer.empty : Layer.setClock(clock),
    webCrypto,
    Layer.succeed(OperatorToken, operatorToken),
    Layer.succeed(DefaultRateLimit, requestsPerMinute),
    Layer.succeed(DrainState, { isDraining: Effect.sync(draining) }),
    Layer.succeed(BodyPace, { limits: bodyLimits }),
    Layer.succeed(AuditedKeyReads, auditsKeyReads),
    streamLimits === undefined ? Layer.empty : Layer.succeed(EventStreamLimits, streamLimits),
    waitLimits === undefined ? Layer.empty : Layer.succeed(ChangeWaitLimits, waitLimits),
    consoleFiles === undefined
      ? Layer.empty
      : Layer.succeed(
          ConsoleFiles,
          Effect.isEffect(consoleFiles) ? consoleFiles : Effect.succeed(consoleFiles)
        )
  )
  let drain: Effect.Effect<void> = Effect.void
  const listening = NodeServer.listening({
    host: "127.0.0.1",
    port: 0,
    drain: drainTime,
    ...(arrival === undefined ? {} : { arrival }),
    ...(unreadMillis === undefined ? {} : { unreadMillis }),
    ...(maxConnections === undefined ? {} : { maxConnections })
  })
  const server = Layer.unwrapScoped(
    Effect.map(listening, (opened) => {
      drain = opened.drain
      return opened.serve
    })
  )
  const runtime = ManagedRuntime.make(
    server.pipe(
      Layer.provideMerge(retryMillis === undefined ? Layer.empty : webhooks(retryMillis)),
      Layer.provideMerge(host),
      Layer.provideMerge(logger)
    )
  )
  const { port } = await runtime.runPromise(NodeServer.NodeServer)
  const handle = await runtime.runPromise(fetchHandler)
  let stopped = false
  const stop = async (): Promise<void> => {
    if (!stopped) await runtime.dispose()
    stopped = true
  }
  afterAll(stop)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    fetch: handle,
    log,
    run: (work) => runtime.runPromise(work as Effect.Effect<any, any, never>),
    call: (path, options = {}) => send(url + path, options),
    operate: (method, path, json) =>
      send(url + path, { method, token: operatorToken, ...(json === undefined ? {} : { json }) }),
    raw: (bytes, until) => sendRaw(port, bytes, until),
    drain: () => Effect.runPromise(drain),
    stop
  }
}

export interface BrandSetUp {
  readonly id: string
  readonly key: string
  readonly keyId: string
  readonly signalId: string
}

export const setUpBrand = async (api: Api, requestsPerMinute = 1_000_000): Promise<BrandSetUp> => {
  const brand = (await api.operate("POST", "/operator/brands", { name: "Brand" })).body.data
  const key = (
    await api.operate("POST", `/operator/brands/${brand.id}/keys`, { label: "k", requestsPerMinute })
  ).body.data
  const source = {
    type: "li-company-mention",
    value: "https://rival.example/",
    liCompanyId: "99",
    company: { id: 5, name: "Rival" }
  }
  const signal = (
    await api.operate("POST", `/operator/brands/${brand.id}/signals`, {
      name: "Rivals",
      signalType: "mentions",
      source
    })
  ).body.data
  return { id: brand.id, key: key.key, keyId: key.id, signalId: signal.id }
}

/** Starts a server with one brand for the tests of a file, and stops it after them. */
export const startBrand = async (
  options?: Parameters<typeof startApi>[0]
): Promise<{ readonly api: Api; readonly brand: BrandSetUp }> => {
  const api = await startApi(options)
  return { api, brand: await setUpBrand(api) }
}

/** An observation with something personal in every field. */
export const observation = (signalId: string, person: string, engagement: string, more: object = {}) => ({
  signalId,
  person: {
    extId: person,
    name: `Name of ${person}`,
    headline: `Headline of ${person}`,
    username: `user-${person}`,
    title1: "Title",
    liProfileUrl: `https://network.example/in/${person}`,
    profileImgUrl: `https://network.example/img/${person}`,
    company: { id: 12, name: "Employer", domain: "employer.example", staffCount: 40 }
  },
  engagement: {
    id: engagement,
    type: "comment",
    commentText: `Comment of ${person}`,
    postUrl: "https://network.example/posts/1",
    postContent: "Post",
    postPostedAt: "2026-01-01",
    postAuthor: "Author",
    postAuthorDetail: { extId: "author", name: "Author", firstName: "Au", lastName: "Thor" },
    emittedAt: "2026-01-02T00:00:00Z",
    trackedAt: "2026-01-03T10:00:00Z",
    ...more
  },
  raw: { scrape: "internal-scrape" }
})

export const observe = async (
  api: Api,
  brand: BrandSetUp,
  ...observations: ReadonlyArray<unknown>
): Promise<Array<any>> => {
  const answer = await api.operate("POST", `/operator/brands/${brand.id}/observations`, { observations })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}
