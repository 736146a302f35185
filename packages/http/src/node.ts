/**
 * The API on Node's HTTP server. What Node's parser refuses gets the same error shape as everything else; nothing is
 * answered by Node's own bare texts. [ERR-1, ERR-5]
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
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
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Reply } from "./Answers.ts"
import { type Requirements, service, untraced } from "./App.ts"
import { errorBody } from "./contract/Failures.ts"
import { RepliesTogether } from "./RepliesTogether.ts"

export interface NodeServerOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** How long requests in flight may take when the server stops. */
  readonly drain: Duration.DurationInput
}

/** Where the server listens. */
export class NodeServer extends Context.Tag("@lead-signals/http/NodeServer")<
  NodeServer,
  { readonly host: string; readonly port: number }
>() {}

/** Room for a target that is refused with its own message, and for a browser's headers beside a long one. */
const maxHeaderBytes = 64 * 1024

const parserRefusals: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: `The request's target and headers take at most ${maxHeaderBytes / 1024} KiB.`,
  HOST_MISSING: "The request takes a Host header.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time."
}

/** Written by hand: there is no response object for what could not be parsed. */
const refuse = (socket: Socket, code: string | undefined): void => {
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const body = JSON.stringify(
    errorBody("invalid_parameter", parserRefusals[code ?? ""] ?? "The request is not well-formed HTTP.")
  )
  const id = globalThis.crypto.randomUUID()
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`
  )
}

/** What a socket still has to answer: a refusal of what came after waits for its turn. */
interface PendingAnswers {
  open: number
  refusal: string | null
}

const listen = (server: Server, { host, port }: NodeServerOptions) =>
  Effect.async<AddressInfo, Error>((resume) => {
    const onError = (cause: Error): void => resume(Effect.fail(cause))
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** How often connections that have become idle are closed while the server drains. */
const idleCheckMillis = 25

/**
 * Stops accepting, lets what is in flight finish, and after the drain time closes what is left. Timers of Node's own:
 * this runs while the fiber is being interrupted, where a timeout of Effect's would end at once.
 */
const close = (server: Server, drain: Duration.DurationInput) =>
  Effect.async<void>((resume) => {
    const idle = setInterval(() => server.closeIdleConnections(), idleCheckMillis)
    const deadline = setTimeout(() => server.closeAllConnections(), Duration.toMillis(drain))
    server.close(() => {
      clearInterval(idle)
      clearTimeout(deadline)
      resume(Effect.void)
    })
  })

const write = (response: ServerResponse, { body, headers, status }: Reply): void => {
  // A host may have given up waiting, and answered by itself.
  if (response.headersSent) return
  try {
    response.writeHead(status, {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body)
    })
    response.end(body)
  } catch {
    // What a host has put around the response: nobody else's answer is lost for it.
    response.destroy()
  }
}

/** Runs the work and writes what comes of it; stops it when whoever asked goes away. */
const respond = (
  run: <A>(work: Effect.Effect<A, never, Requirements>) => Fiber.RuntimeFiber<A>,
  reply: Effect.Effect<Reply, never, Requirements>,
  response: ServerResponse,
  replies: RepliesTogether
): void => {
  const fiber = run(reply)
  fiber.addObserver((exit) => {
    if (exit._tag === "Failure") response.destroy()
    else replies.add(() => write(response, exit.value))
  })
  if (fiber.unsafePoll() === null) {
    response.once("close", () => fiber.unsafeInterruptAsFork(FiberId.none))
  }
}

const ignored = (): void => {}

export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The API as a listener of a Node server's requests, for a host with a server of its own. It answers every request that it is
 * handed, by the target as it was sent (`request.url`: a host that serves it under a path takes that off), and reads the
 * body itself: nothing may have read it before. A response that its client leaves alone stops the work on it.
 */
export const nodeListener: Effect.Effect<NodeListener, never, Requirements> = Effect.gen(function* () {
  const { app, quick } = yield* service
  const handle = yield* untraced(NodeHttpServer.makeHandler(app))
  const runtime = yield* untraced(Effect.runtime<Requirements>())
  // Effect's own counts of fibers tell nothing that the counts of requests do not, and cost a tenth of a small one.
  const run = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.RuntimeMetrics))
  const replies = new RepliesTogether()
  return (request, response) => {
    replies.writeOverdue()
    // A socket that breaks while it is written to is no error of ours.
    response.on("error", ignored)
    const reply = quick({
      method: request.method ?? "",
      target: request.url ?? "",
      authorization: request.headers.authorization
    })
    if (reply !== null) return respond(run, reply, response, replies)
    request.on("error", ignored)
    return handle(request, response)
  }
})

const start = (
  options: NodeServerOptions
): Effect.Effect<typeof NodeServer.Service, Error, Requirements | Scope.Scope> =>
  Effect.gen(function* () {
    const listener = yield* nodeListener
    // Node's own refusal of a request without Host has no body; the one below has.
    const server = createServer({ maxHeaderSize: maxHeaderBytes, requireHostHeader: false })
    const pending = new WeakMap<Socket, PendingAnswers>()
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request
      if (request.httpVersion === "1.1" && request.headers.host === undefined) {
        response.on("error", () => {})
        refuse(socket, "HOST_MISSING")
        return
      }
      const answers = pending.get(socket) ?? { open: 0, refusal: null }
      pending.set(socket, answers)
      answers.open++
      response.on("close", () => {
        answers.open--
        if (answers.open === 0 && answers.refusal !== null) refuse(socket, answers.refusal)
      })
      listener(request, response)
    }
    server.on("request", answer)
    // Without these, Node answers 417 and closes on CONNECT, each without a body.
    server.on("checkExpectation", answer)
    server.on("connect", (request: IncomingMessage, socket: Socket) => {
      const response = new ServerResponse(request)
      response.assignSocket(socket)
      response.shouldKeepAlive = false
      response.on("finish", () => socket.end())
      answer(request, response)
    })
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      const answers = pending.get(socket)
      if (answers === undefined || answers.open === 0) refuse(socket, error.code)
      else answers.refusal = error.code ?? ""
    })
    yield* Effect.addFinalizer(() => close(server, options.drain))
    const address = yield* listen(server, options)
    return { host: options.host, port: address.port }
  })

/** Serves while its scope is open; fails with Node's error when the address can't be listened on. */
export const layer = (options: NodeServerOptions): Layer.Layer<NodeServer, Error, Requirements> =>
  Layer.scoped(NodeServer, start(options))
