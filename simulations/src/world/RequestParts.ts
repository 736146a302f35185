/** The headers and the body of a simulated request. */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type { Arrival } from "./BodyPieces.ts"

/** How a request differs from an ordinary one, which bears its token and JSON. */
export interface UnusualRequest {
  readonly path?: (path: string) => string
  /** The header Authorization; null: none. */
  readonly authorization?: string | null
  readonly contentType?: string
  /** The header Idempotency-Key. */
  readonly idempotencyKey?: string
  readonly bytes?: Uint8Array
  /** The address of the client; nobody knows it unless given. */
  readonly address?: string
  /** Further headers, such as those of browsers. */
  readonly headers?: Readonly<Record<string, string>>
  /** After how many milliseconds the client leaves an answer without an end, and how long it takes over each piece. */
  readonly leavesAfter?: number
  readonly takesMillis?: number
  /** How the body arrives; as its length says, and at once, unless given. */
  readonly arrival?: Arrival
  /** After how many milliseconds the client goes away, whether it has an answer or not. */
  readonly goesAfter?: number
  /** How many milliseconds the store takes over each commit of its observations. */
  readonly commitMillis?: number
}

/** A request as its client means it; `unusual` replaces parts of what is sent. */
export interface SimulatedRequest {
  readonly method: HttpMethod
  /** Path and query. */
  readonly url: string
  readonly token: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly unusual?: UnusualRequest
}

/** An answer as it arrived, headers in lower case. */
export interface SimulatedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** What was taken of an answer without an end. */
  readonly stream?: TakenStream
  /** The outcomes, as JSON, before the error that ends an answer of lines. */
  readonly outcomesBefore?: ReadonlyArray<string>
}

/** What a client took of an answer without an end. */
export interface TakenStream {
  /** Each piece, with the milliseconds at which the client took it, by the monotonic clock of the service. */
  readonly pieces: ReadonlyArray<{ readonly at: number; readonly text: string }>
  /** Whether the client left, or the service ended it. */
  readonly isLeft: boolean
  /** When either was, by the same clock. */
  readonly endedAt: number
}

const nothing = new Uint8Array()
const encoder = new TextEncoder()

/** The body as it is sent; empty without one. */
export const bytesOf = ({ body, unusual }: SimulatedRequest): Uint8Array =>
  unusual?.bytes ?? (body === undefined ? nothing : encoder.encode(JSON.stringify(body)))

/** Without its length. */
export const headersOf = ({ body, token, unusual }: SimulatedRequest): Record<string, string> => {
  const authorization = unusual?.authorization === undefined ? `Bearer ${token}` : unusual.authorization
  const hasBody = body !== undefined || unusual?.bytes !== undefined
  return {
    ...(authorization === null ? {} : { authorization }),
    ...(unusual?.idempotencyKey === undefined ? {} : { "idempotency-key": unusual.idempotencyKey }),
    ...(hasBody ? { "content-type": unusual?.contentType ?? "application/json" } : {}),
    ...unusual?.headers
  }
}

/**
 * An answer of lines as one JSON value, like the answer to the same observations in one JSON body. One whose last line
 * is an error stands for that error: a client sends everything again. [OBS-4, OBS-8]
 */
export const unframed = (response: SimulatedResponse): SimulatedResponse => {
  if (!(response.headers["content-type"] ?? "").startsWith("application/x-ndjson")) return response
  const lines = response.text.split("\n").filter((line) => line !== "")
  const last = lines.at(-1)
  const isCut = last !== undefined && last.startsWith('{"error"')
  const headers = { ...response.headers, "content-type": "application/json" }
  if (!isCut) return { status: response.status, headers, text: `{"data":[${lines.join(",")}]}` }
  const status = last.startsWith('{"error":{"code":"request_timeout"') ? 408 : 503
  return { status, headers, text: last, outcomesBefore: lines.slice(0, -1) }
}
