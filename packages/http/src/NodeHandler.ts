/**
 * The app on Node's own requests and responses, with nothing but `@effect/platform`: a host that mounts the API on its server
 * needs no `@effect/platform-node`.
 */
import * as Cookies from "@effect/platform/Cookies"
import type * as Headers from "@effect/platform/Headers"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { clientAbortFiberId, RequestError } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { MultipartError } from "@effect/platform/Multipart"
import { Chunk, Effect, Inspectable, Option, Runtime, Stream } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { BodyReader } from "./BodyReader.ts"
import { beginAnswer, isUnread, noteReading } from "./UnreadBody.ts"

/** A request listener, as `http.createServer` and the frameworks on it take one. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

interface Changes {
  readonly url?: string
  readonly headers?: Headers.Headers
  readonly remoteAddress?: string
}

/**
 * A request as the app reads it: method, target as it was sent, headers, and the body as a stream. The API takes no forms
 * and no upgrades; those members fail.
 */
class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly url: string
  readonly headers: Headers.Headers
  readonly remoteAddress: Option.Option<string>

  constructor(
    readonly source: IncomingMessage,
    readonly response: ServerResponse,
    private readonly changes: Changes = {}
  ) {
    super()
    this.url = changes.url ?? source.url ?? ""
    this.headers = changes.headers ?? (source.headers as Headers.Headers)
    this.remoteAddress = Option.fromNullable(changes.remoteAddress ?? source.socket.remoteAddress)
  }

  get method(): HttpMethod {
    return (this.source.method ?? "").toUpperCase() as HttpMethod
  }

  get originalUrl(): string {
    return this.source.url ?? ""
  }

  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  private failure(cause: unknown): RequestError {
    return new RequestError({ request: this, reason: "Decode", cause })
  }

  /** The pieces as they arrive, one at a time. A request whose body is not read to its end is destroyed. */
  get stream(): Stream.Stream<Uint8Array, RequestError> {
    const { source } = this
    const reader = Effect.acquireRelease(
      Effect.sync(() => {
        noteReading(source)
        return new BodyReader(source)
      }),
      (opened) => Effect.sync(() => opened.close())
    )
    return Stream.unwrapScoped(
      Effect.map(reader, ({ next }) =>
        Stream.repeatEffectOption(
          Effect.mapError(
            next,
            Option.map((cause) => this.failure(cause))
          )
        )
      )
    ).pipe(
      Stream.ensuring(
        Effect.sync(() => {
          if (!source.readableEnded) source.destroy()
        })
      )
    )
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, RequestError> {
    return Effect.map(Stream.runCollect(this.stream), (chunks) => {
      const { buffer, byteLength, byteOffset } = Buffer.concat(Chunk.toReadonlyArray(chunks))
      return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    })
  }

  get text(): Effect.Effect<string, RequestError> {
    return Effect.map(this.arrayBuffer, (bytes) => new TextDecoder().decode(bytes))
  }

  get json(): Effect.Effect<unknown, RequestError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({ try: () => JSON.parse(text) as unknown, catch: (cause) => this.failure(cause) })
    )
  }

  private get unsupported(): Effect.Effect<never, RequestError> {
    return Effect.suspend(() => Effect.fail(this.failure("not supported by this server")))
  }

  get urlParamsBody() {
    return this.unsupported
  }

  private get noForm() {
    return new MultipartError({ reason: "Parse", cause: "forms are not supported by this server" })
  }

  get multipart() {
    return Effect.suspend(() => Effect.fail(this.noForm))
  }

  get multipartStream() {
    return Stream.suspend(() => Stream.fail(this.noForm))
  }

  get upgrade() {
    return this.unsupported
  }

  modify(changes: Changes): HttpServerRequest.HttpServerRequest {
    return new NodeRequest(this.source, this.response, { ...this.changes, ...changes })
  }

  toJSON(): unknown {
    return { _id: "@lead-signals/http/NodeRequest", method: this.method }
  }
}

/** Ends when Node has handed all of it to the system, or the connection is gone. */
const finished = (response: ServerResponse, end: () => void): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const done = (): void => resume(Effect.void)
    if (response.destroyed) return done()
    response.once("finish", done)
    response.once("close", done)
    end()
  })

/** Ends at once when there is room for more, and otherwise when there is again, or the connection is gone. */
const writePiece = (response: ServerResponse, piece: Uint8Array): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (response.destroyed || response.write(piece)) return resume(Effect.void)
    const done = (): void => {
      response.off("drain", done)
      response.off("close", done)
      resume(Effect.void)
    }
    response.on("drain", done)
    response.on("close", done)
  })

const headersOf = ({ cookies, headers }: HttpServerResponse.HttpServerResponse) =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

/** Writes the response of the app. A stream that fails after its head was sent breaks the connection: no status can report it any more. */
const write = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) =>
  Effect.suspend((): Effect.Effect<void> => {
    const { response: node } = request as NodeRequest
    // A host may have given up waiting, and answered by itself.
    if (node.headersSent) return Effect.void
    node.writeHead(response.status, headersOf(response))
    const { body } = response
    if (request.method === "HEAD" || body._tag === "Empty") return finished(node, () => node.end())
    if (body._tag === "Uint8Array") return finished(node, () => node.end(body.body))
    if (body._tag !== "Stream")
      return Effect.dieMessage(`a body of the kind ${body._tag} is not sent on Node`)
    return body.stream.pipe(
      Stream.runForEach((piece) => writePiece(node, piece)),
      Effect.interruptible,
      Effect.matchCauseEffect({
        onFailure: () => Effect.sync(() => node.destroy()),
        onSuccess: () => finished(node, () => node.end())
      })
    )
  })

const send = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<void> => {
  const { response: node, source } = request as NodeRequest
  const written = write(request, response)
  if (!isUnread(source)) return written
  return Effect.zipRight(
    Effect.async<void>((resume) => beginAnswer(source, node, () => resume(Effect.void))),
    written
  )
}

/** The app as a listener of requests. A client that goes away interrupts the work on its request. */
export const makeHandler = (app: HttpApp.Default): Effect.Effect<NodeListener> => {
  const handled = HttpApp.toHandled(app, send)
  return Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = Runtime.runFork(runtime)
    return (request, response) => {
      const work = Effect.provideService(
        handled,
        HttpServerRequest.HttpServerRequest,
        new NodeRequest(request, response)
      )
      const fiber = run(work)
      response.once("close", () => {
        if (!response.writableEnded) fiber.unsafeInterruptAsFork(clientAbortFiberId)
      })
    }
  })
}
