/** The client of the API: its calls and their types derive from the contract. */
import createClient from "openapi-fetch"
import type { components, paths } from "./contract.ts"
import { Refusal } from "./Refusal.ts"
import { repeatedCalls } from "./repeatedCalls.ts"

/** The schemas of the OpenAPI document by their names there. The types below give short names to those that several pages use. */
export type Schemas = components["schemas"]

/** A lead as lists have it: without engagements. */
export type Lead = Schemas["Lead"]

/** A lead with its newest 20 engagements. An API key and an operator read the same shape. */
export type LeadDetail = Schemas["LeadDetail"]

/** One comment, reaction or repost of a lead, with its post. */
export type Engagement = Schemas["Engagement"]

/** What a brand watches. */
export type Signal = Schemas["Signal"]

/** A webhook without its secret, which only its creation and its rotation return. */
export type Webhook = Schemas["Webhook"]

/** A delivery as lists have it: without its attempts. */
export type Delivery = Schemas["Delivery"]

/** A key without its value: `start` has the first characters, to recognise it by. */
export type ApiKey = Schemas["ApiKey"]

/** A token of an operator without its value. The environment's token is not among them. */
export type AccessToken = Schemas["OperatorToken"]

/** One line of the audit log: ids and names of operations, nothing of a person. */
export type AuditEntry = Schemas["AuditEntry"]

/** What the session opens: `access` is "operator" or "brand"; a session of an API key has its brand and no scopes. */
export type Session = Schemas["Session"]

/** Every page of the console lies below this path, and the API beside it. */
export const basePath = "/console"

/** The session's cookie is the credential; the browser proves the origin of each call by itself. */
export const api = createClient<paths>({ baseUrl: location.origin, credentials: "same-origin" })
api.use(repeatedCalls())

/** A call that was refused, or that the server could not answer. */
export class CallFailed extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    /** Milliseconds that the server asks to wait; null where it does not. */
    readonly retryAfterMillis: number | null
  ) {
    super(message)
  }

  /** The failure that the answer says. */
  static of(error: unknown, response: Response): CallFailed {
    return failureOf(error, response)
  }
}

/** Nothing answered: the server is down, or the way to it. */
export class Unreachable extends Error {}

/**
 * Whether the same call may succeed later: the rate window of a key is used up (429), the server starts or is overloaded (503), a proxy before it
 * waits for it (502, 504), the connection was slow (408), or nothing answered.
 */
export const isTransient = (failure: unknown): boolean =>
  failure instanceof CallFailed
    ? [408, 429, 502, 503, 504].includes(failure.status)
    : failure instanceof Unreachable

interface Answered<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

const failureOf = (error: unknown, response: Response): CallFailed => {
  const { code, message } =
    (error as { error?: { code?: string; message?: string } } | undefined)?.error ?? {}
  const seconds = Number(response.headers.get("retry-after"))
  return new CallFailed(
    response.status,
    code ?? "unknown",
    message ?? `The server answered ${response.status}.`,
    response.headers.get("x-request-id"),
    seconds > 0 ? seconds * 1000 : null
  )
}

/** Hands on that the caller ended the call; what else a browser rejects is that nothing answered. */
const unreachable = (cause: unknown): never => {
  throw cause instanceof DOMException && cause.name === "AbortError"
    ? cause
    : new Unreachable("Nothing answered.", { cause })
}

/** The body of a call that succeeded; rejects with `CallFailed`, or with `Unreachable`. */
export const answerOf = async <Data>(call: Promise<Answered<Data>>): Promise<Data> => {
  const { data, error, response } = await call.catch(unreachable)
  if (!response.ok) throw failureOf(error, response)
  return data as Data
}

/** Whether the code of a page could not be loaded: the server is away, or has another version by now. */
const isMissingCode = (failure: unknown): boolean =>
  failure instanceof TypeError && /dynamically imported module|importing a module/i.test(failure.message)

/** What the user learns of a failure. */
export const messageOf = (failure: unknown): string => {
  if (failure instanceof CallFailed || failure instanceof Refusal) return failure.message
  if (failure instanceof Unreachable) return "The server can't be reached. Check that it runs, and try again."
  if (isMissingCode(failure))
    return "This page could not be loaded. The server can't be reached, or it has another version by now: reload the page."
  return `This page has failed: ${failure instanceof Error ? failure.message : String(failure)}`
}
