/**
 * The API on Node's HTTP server. Nothing is answered by Node's own bare texts. [ERR-1, ERR-5]
 */
import {
  Context,
  Duration,
  Effect,
  type Fiber,
  FiberId,
  Layer,
  Runtime,
  RuntimeFlags,
  type Scope
} from "effect"
import type { Entropy } from "@lead-signals/domain"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { RawResponse } from "./Responses.ts"
import { makeHandler, type NodeListener } from "./NodeHandler.ts"
import { service, untraced } from "./App.ts"
import { ConnectionPipeline } from "./ConnectionPipeline.ts"
import { refuse, respondWhileStarting } from "./FastPath.ts"
import { hosted } from "./Hosted.ts"
import { OpenConnections } from "./OpenConnections.ts"
import { headersProblem, hostProblem, maxHeaderBytes, noConnections } from "./ParseErrorResponder.ts"
import { logNoConnections, logParseError } from "./RequestLog.ts"
import type { Requirements } from "./Requirements.ts"
import { ResponseBatcher } from "./ResponseBatcher.ts"
import { answerBeforeClosing, beginAnswer } from "./UnreadBody.ts"

/** Where the server listens, and how long it waits. */
export interface NodeServerOptions {
  /** The address to listen on, such as `127.0.0.1`; `0.0.0.0` for all of IPv4. */
  readonly host: string
  /** The port to listen on; 0 picks a free one. */
  readonly port: number
  /** How long requests in flight may take when the server stops. */
  readonly drain: Duration.DurationInput
  /** How long a request may take to arrive; `defaultArrival` unless given. */
  readonly arrival?: Arrival
  /** Milliseconds in which a client has to take something of its answer, or its connection is closed; 60,000 unless given. [ERR-12] */
  readonly unreadMillis?: number
  /**
   * How many connections may be open, at least 1; 10,000 unless given. Each takes a descriptor of the process and some 15 KB of memory. [ERR-13]
   */
  readonly maxConnections?: number
}

/** Milliseconds that a request may take to arrive. One that takes longer is answered 408. [ERR-6] */
export interface Arrival {
  /** Until its headers have arrived. */
  readonly headersMillis: number
  /** Until its body has arrived, too, unless its answer has begun or its body is read, which has the bounds of `BodyPace`. */
  readonly requestMillis: number
  /** Between looks at both. */
  readonly checkMillis: number
}

/** 60 s for the headers, 120 s for the whole request, looked at every 5 s. */
export const defaultArrival: Arrival = { headersMillis: 60_000, requestMillis: 120_000, checkMillis: 5000 }

const defaultUnreadMillis = 60_000

/** How many connections may be open unless the options say another number. [ERR-13] */
export const defaultMaxConnections = 10_000

/** How many connections beyond the bound may be refused at the same time; further ones are closed without an answer. */
const maxRefused = 100

/** Milliseconds between two lines of the log about refused connections. */
const refusedLogMillis = 60_000

/** Where the server listens, once it does. */
export class NodeServer extends Context.Tag("@lead-signals/http/NodeServer")<
  NodeServer,
  {
    /** The address that the options gave. */
    readonly host: string
    /** The port in use: a free one where the options gave 0. */
    readonly port: number
  }
>() {}

const listen = (server: Server, { host, port }: NodeServerOptions) =>
  Effect.async<AddressInfo, Error>((resume) => {
    const onError = (cause: Error): void => resume(Effect.fail(cause))
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** Milliseconds between two checks for clients that take nothing of their answers. */
const unreadCheckMillis = 1000

/** How often connections that have become idle are closed while the server drains. */
const idleCheckMillis = 25

/**
 * Stops accepting, lets what is in flight finish, and after the drain time closes what is left. Timers of Node's own:
 * this runs while the fiber is being interrupted, where a timeout of Effect's would end at once.
 */
const close = (server: Server, sockets: Iterable<Socket>, drain: Duration.DurationInput) =>
  Effect.async<void>((resume) => {
    const idle = setInterval(() => server.closeIdleConnections(), idleCheckMillis)
    const deadline = setTimeout(() => {
      // Node forgets those that it could make no HTTP of.
      for (const socket of sockets) socket.destroy()
    }, Duration.toMillis(drain))
    server.close(() => {
      clearInterval(idle)
      clearTimeout(deadline)
      resume(Effect.void)
    })
  })

const write = (response: ServerResponse, { body, headers, status }: RawResponse): void => {
  // A host may have given up waiting, and answered by itself.
  if (response.headersSent) return
  try {
    const fields: Array<string> = []
    for (const name in headers) fields.push(name, headers[name]!)
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
    fields.push("content-type", "application/json", "content-length", String(length))
    // A list is written as it is, where an object would be copied first.
    response.writeHead(status, fields)
    response.end(body)
  } catch {
    // What a host has put around the response: nobody else's answer is lost for it.
    response.destroy()
  }
}

/** Runs the work and writes its response; interrupts it when the client leaves. */
const respond = <R>(
  run: <A>(work: Effect.Effect<A, never, R>) => Fiber.RuntimeFiber<A>,
  work: Effect.Effect<RawResponse, never, R>,
  request: IncomingMessage,
  response: ServerResponse,
  batcher: ResponseBatcher
): void => {
  const fiber = run(work)
  fiber.addObserver((exit) => {
    if (exit._tag === "Failure") response.destroy()
    else batcher.add(() => beginAnswer(request, response, () => write(response, exit.value)))
  })
  if (fiber.unsafePoll() === null) {
    response.once("close", () => fiber.unsafeInterruptAsFork(FiberId.none))
  }
}

const ignored = (): void => {}

export type { NodeListener } from "./NodeHandler.ts"

const apiListener: Effect.Effect<NodeListener, never, Requirements> = Effect.gen(function* () {
  const { app, fastPath } = yield* service
  const handle = yield* untraced(makeHandler(app))
  const runtime = yield* untraced(Effect.runtime<Requirements>())
  // Effect's own metrics of fibers add nothing to those of requests, and cost a tenth of a small request.
  const run = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.RuntimeMetrics))
  const batcher = new ResponseBatcher()
  const answer: NodeListener = (request, response) => {
    // A host's middleware took longer than its client waited, and nothing would ever interrupt the work; or an earlier answer has closed the connection.
    if (response.destroyed || request.socket.writableEnded) return
    batcher.flushOverdue()
    // A socket that breaks while it is written to is no error of ours.
    response.on("error", ignored)
    const raw = {
      method: request.method ?? "",
      target: request.url ?? "",
      authorization: request.headers.authorization,
      cookie: request.headers.cookie,
      peer: request.socket.remoteAddress,
      forwardedFor: request.headers["x-forwarded-for"] as string | undefined
    }
    const problem = headersProblem(request)
    const work = problem === null ? fastPath(raw) : refuse(raw, problem)
    if (work !== null) return respond(run, work, request, response, batcher)
    request.on("error", ignored)
    answerBeforeClosing(request, response)
    return handle(request, response)
  }
  return (request, response) => {
    // A pipelined request: Node does not notify a response that waits for the one before it when the connection breaks, and the
    // work on it would wait for ever.
    if (response.socket === null) response.once("socket", () => process.nextTick(answer, request, response))
    else answer(request, response)
  }
})

/**
 * The API as a listener of a Node server's requests, for a host with a server of its own. It answers every request that it is
 * handed, by the target as it was sent (`request.url`: a host that serves it under a path takes that off), and reads the
 * body itself: nothing may have read it before. A response that its client leaves alone stops the work on it.
 */
export const nodeListener: Effect.Effect<NodeListener, never, Requirements> = hosted(apiListener)

/** Until there is something to serve. */
const startingListener: Effect.Effect<NodeListener, never, Entropy> = Effect.map(
  Effect.runtime<Entropy>(),
  (runtime) => {
    const batcher = new ResponseBatcher()
    return (request, response) => {
      response.on("error", ignored)
      const raw = { method: request.method ?? "", target: request.url ?? "" }
      respond(Runtime.runFork(runtime), respondWhileStarting(raw), request, response, batcher)
    }
  }
)

interface Opened {
  readonly host: string
  readonly port: number
  /** Hands every further request to this listener. */
  readonly hand: (listener: NodeListener) => void
  /** Marks every further response as its connection's last. */
  readonly drain: Effect.Effect<void>
  /** Stops accepting and waits for what is in flight. */
  readonly close: Effect.Effect<void>
}

/**
 * Opens the server with a first listener, which answers that the service is starting, until another one is put in its place. Limits of
 * Node that drop or answer in silence are replaced by refusals of our own.
 */
const open = (options: NodeServerOptions, first: NodeListener): Effect.Effect<Opened, Error, Scope.Scope> =>
  Effect.gen(function* () {
    let listener = first
    const { checkMillis, headersMillis, requestMillis } = options.arrival ?? defaultArrival
    const server = createServer({
      maxHeaderSize: maxHeaderBytes,
      // Node's own refusal of a request without Host has no body; ours has.
      requireHostHeader: false,
      headersTimeout: headersMillis,
      requestTimeout: requestMillis,
      connectionsCheckingInterval: checkMillis
    })
    // Node would drop those beyond in silence; ours are refused.
    server.maxHeadersCount = 0
    server.timeout = options.unreadMillis ?? defaultUnreadMillis
    let isDraining = false
    const max = options.maxConnections ?? defaultMaxConnections
    const connections = new OpenConnections(max)
    server.maxConnections = max + maxRefused
    const pipelines = new WeakMap<Socket, ConnectionPipeline>()
    const runtime = yield* Effect.runtime()
    const onParseError = (id: string, status: number): void =>
      void Runtime.runFork(runtime)(logParseError(id, status))
    const pipelineOf = (socket: Socket): ConnectionPipeline => {
      const existing = pipelines.get(socket)
      if (existing !== undefined) return existing
      const pipeline = new ConnectionPipeline(socket, onParseError, connections)
      if (isDraining) pipeline.drain()
      pipelines.set(socket, pipeline)
      return pipeline
    }
    let refusalLoggedAt = -Infinity
    const logRefused = (): void => {
      if (performance.now() < refusalLoggedAt + refusedLogMillis) return
      refusalLoggedAt = performance.now()
      void Runtime.runFork(runtime)(logNoConnections(max))
    }
    server.on("connection", (socket: Socket) => {
      if (connections.add(socket)) return
      logRefused()
      pipelineOf(socket).refuse(noConnections)
    })
    server.on("drop", logRefused)
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const pipeline = pipelineOf(request.socket)
      const problem = hostProblem(request)
      if (problem !== null) pipeline.refuse(problem)
      else if (pipeline.begin(request, response)) {
        // The last of those that came together says `Connection: close`: all of them must have begun before one is answered.
        if (isDraining) setImmediate(() => response.destroyed || listener(request, response))
        else listener(request, response)
      }
    }
    server.on("request", answer)
    // Without these, Node answers 417 and closes on CONNECT, each without a body.
    server.on("checkExpectation", answer)
    server.on("connect", (_request: IncomingMessage, socket: Socket) => pipelineOf(socket).refuse("CONNECT"))
    // Nothing was read or written for `unreadMillis`, or the connection was not used again in the time that Node keeps it open.
    server.on("timeout", (socket: Socket) => {
      if (pipelineOf(socket).isAbandoned) socket.destroy()
    })
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      pipelineOf(socket).refuse(error.code ?? "")
    )
    const unreadCheck = setInterval(() => {
      for (const socket of connections) pipelines.get(socket)?.stopReadingWhileUnread()
    }, unreadCheckMillis)
    unreadCheck.unref()
    const drain = Effect.sync(() => {
      isDraining = true
      for (const socket of connections) pipelines.get(socket)?.drain()
    })
    const closed = Effect.zipRight(drain, close(server, connections, options.drain)).pipe(
      Effect.ensuring(Effect.sync(() => clearInterval(unreadCheck)))
    )
    yield* Effect.addFinalizer(() => closed)
    const { port } = yield* listen(server, options)
    const hand = (next: NodeListener): void => {
      listener = next
    }
    return { host: options.host, port, hand, drain, close: closed }
  })

/** A server that listens already. */
export interface Listening {
  /** Serves the API from now on, while the layer's scope is open; then the server drains and closes. */
  readonly serve: Layer.Layer<NodeServer, never, Requirements>
  /**
   * Marks every later answer as its connection's last (`Connection: close`), so that no client loses a request when
   * the server closes.
   */
  readonly drain: Effect.Effect<void>
}

/**
 * Listens before there is a store: answers that the server lives and is starting, so that its supervisor neither ends
 * it nor sends it requests yet. Fails with Node's error when the address can't be listened on. [HEALTH-1, HEALTH-4]
 */
export const listening = (
  options: NodeServerOptions
): Effect.Effect<Listening, Error, Entropy | Scope.Scope> =>
  Effect.gen(function* () {
    const { close, drain, hand, host, port } = yield* open(options, yield* startingListener)
    const serve = Effect.gen(function* () {
      const listener = yield* nodeListener
      yield* Effect.addFinalizer(() => close)
      hand(listener)
      return { host, port }
    })
    return { serve: Layer.scoped(NodeServer, serve), drain }
  })

/**
 * A server that serves the API while its scope is open. Fails with Node's error when the address can't be listened
 * on.
 */
export const layer = (options: NodeServerOptions): Layer.Layer<NodeServer, Error, Requirements> =>
  Layer.scoped(
    NodeServer,
    Effect.flatMap(nodeListener, (listener) => open(options, listener))
  )
