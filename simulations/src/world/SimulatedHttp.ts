/**
 * HTTP without a socket and without a promise: a request of the platform's own interface, handled by the service's app in
 * the scheduling steps of its machine. What the handlers read and write is what they read and write in production.
 */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as IncomingMessage from "@effect/platform/HttpIncomingMessage"
import { Context, Effect, Inspectable, Option, Stream } from "effect"
import { elapsedMillis } from "@lead-signals/domain"
import { BodyPace } from "@lead-signals/http"
import { bodyLimits } from "../vocabulary/ArrivalTimes.ts"
import { type Arrival, piecesOf } from "./BodyPieces.ts"
import {
  bytesOf,
  headersOf,
  type SimulatedRequest,
  type SimulatedResponse,
  type TakenStream,
  type UnusualRequest,
  unframed
} from "./RequestParts.ts"

export type { SimulatedRequest, SimulatedResponse }

const decoder = new TextDecoder()

const parsed = new WeakMap<SimulatedResponse, { readonly json: unknown }>()

/** The body as JSON, which is parsed once for all who look at it; throws where it is none. */
export const jsonOf = (response: SimulatedResponse): unknown => {
  const known = parsed.get(response)
  if (known !== undefined) return known.json
  const json: unknown = JSON.parse(response.text)
  parsed.set(response, { json })
  return json
}

const unsupported = (what: string) => Effect.dieMessage(`A simulated request has no ${what}`)

class Request extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [IncomingMessage.TypeId]: IncomingMessage.TypeId = IncomingMessage.TypeId
  readonly source = {}

  constructor(
    readonly method: HttpMethod,
    readonly originalUrl: string,
    readonly url: string,
    readonly headers: Headers.Headers,
    private readonly bytes: Uint8Array,
    readonly remoteAddress: Option.Option<string>,
    private readonly arrival?: Arrival
  ) {
    super()
  }

  get cookies(): Readonly<Record<string, string>> {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  get stream() {
    const { arrival, bytes } = this
    if (bytes.length === 0) return Stream.empty
    const pieces = piecesOf(bytes, arrival)
    if (pieces.length === 1 && arrival === undefined) return Stream.succeed(bytes)
    const { pauses } = arrival ?? {}
    if (pauses === undefined) return Stream.fromIterable(pieces)
    return Stream.fromIterable(pieces.entries()).pipe(
      Stream.rechunk(1),
      Stream.mapEffect(([i, piece]) => Effect.as(Effect.sleep(pauses[i] ?? 0), piece))
    )
  }

  get text() {
    return Effect.sync(() => decoder.decode(this.bytes))
  }

  get json() {
    return Effect.map(this.text, (text) => JSON.parse(text) as unknown)
  }

  get arrayBuffer() {
    return Effect.sync(() => this.bytes.slice().buffer)
  }

  readonly urlParamsBody = unsupported("form")
  readonly multipart = unsupported("parts")
  readonly multipartStream = Stream.die("A simulated request has no parts")
  readonly upgrade = unsupported("socket")

  modify({ headers, url }: { readonly url?: string; readonly headers?: Headers.Headers }): Request {
    return new Request(
      this.method,
      this.originalUrl,
      url ?? this.url,
      headers ?? this.headers,
      this.bytes,
      this.remoteAddress,
      this.arrival
    )
  }

  toJSON(): unknown {
    return { _id: "SimulatedRequest", method: this.method, url: this.originalUrl }
  }
}

/** What a client takes of an answer without an end, until it leaves or the service ends it. */
const takenOf = <E>(
  stream: Stream.Stream<Uint8Array, E>,
  leavesAfter: number,
  takesMillis: number
): Effect.Effect<TakenStream> =>
  Effect.suspend(() => {
    const pieces: Array<TakenStream["pieces"][number]> = []
    const taking = Stream.runForEach(Stream.decodeText(stream), (text) =>
      Effect.flatMap(elapsedMillis, (at) => {
        pieces.push({ at, text })
        return takesMillis === 0 ? Effect.void : Effect.sleep(takesMillis)
      })
    )
    const taken = Effect.timeoutTo(Effect.orDie(taking), {
      duration: leavesAfter,
      onSuccess: () => false,
      onTimeout: () => true
    })
    return Effect.flatMap(taken, (isLeft) =>
      Effect.map(elapsedMillis, (endedAt) => ({ pieces, isLeft, endedAt }))
    )
  })

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> => {
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(decoder.decode(body.body))
    case "Stream":
      return Effect.orDie(Stream.runFold(Stream.decodeText(body.stream), "", (text, piece) => text + piece))
    default:
      return Effect.succeed("")
  }
}

type Body = Pick<SimulatedResponse, "text" | "stream">

const bodyOf = (
  response: HttpServerResponse.HttpServerResponse,
  { leavesAfter, takesMillis = 0 }: UnusualRequest
): Effect.Effect<Body> =>
  leavesAfter !== undefined && response.body._tag === "Stream"
    ? Effect.map(takenOf(response.body.stream, leavesAfter, takesMillis), (stream) => ({
        text: stream.pieces.map(({ text }) => text).join(""),
        stream
      }))
    : Effect.map(textOf(response), (text) => ({ text }))

/** The work on one request, and the context that it runs in, where it is cheaper than `Effect.provide`. */
export interface Handling<R = HttpServerRequest.HttpServerRequest> {
  readonly work: Effect.Effect<SimulatedResponse, never, R>
  readonly context: Context.Context<R>
}

/** Others come at once, and a timer for each would cost as much as a small request. */
const isSlow = ({ unusual }: SimulatedRequest): boolean => unusual?.arrival?.pauses !== undefined

/** Handles one request; never fails. */
export const handle = (app: HttpApp.Default, sent: SimulatedRequest): Handling => {
  const { method, url } = sent
  const bytes = bytesOf(sent)
  const headers = Headers.fromInput({
    ...headersOf(sent),
    ...(bytes.length === 0 ? {} : { "content-length": String(bytes.length) })
  })
  const { address, arrival } = sent.unusual ?? {}
  const received = Context.make(
    HttpServerRequest.HttpServerRequest,
    new Request(method, url, url, headers, bytes, Option.fromNullable(address), arrival)
  )
  return {
    // The scope is open until the body was read, which may be a stream.
    work: Effect.scoped(
      Effect.flatMap(app, (response) =>
        Effect.map(bodyOf(response, sent.unusual ?? {}), (body) =>
          unframed({ status: response.status, headers: response.headers, ...body })
        )
      )
    ),
    context: isSlow(sent) ? Context.add(received, BodyPace, { limits: bodyLimits }) : received
  }
}
