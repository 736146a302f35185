/**
 * Sends requests with waits and retries: waits while the key's rate window is used up, for as long as
 * Retry-After says, and with growing pauses while the service does not respond.
 */
import { Clock, Duration, Effect, Random } from "effect"
import { type CallFailure, RequestRefused, Unanswered } from "./Failures.ts"
import { KeyWindow, wholeNumber } from "./KeyWindow.ts"
import type { Transport, TransportResponse } from "./Transport.ts"

/** Where the API is, and how it is called. */
export interface RequestOptions {
  /** The base URL of the API, including the path that it is mounted under. */
  readonly url: string | URL
  readonly key: string
  /** How long a call may take with all its waits and retries; five minutes by default. */
  readonly patience?: Duration.DurationInput
  /** How long the client waits for one response; 30 s by default. */
  readonly timeout?: Duration.DurationInput
}

/** A value of a query parameter; undefined ones are left out. */
type Parameter = string | number | boolean | Date | undefined

const [initialPauseMillis, maxPauseMillis] = [500, 30_000]

/** An invalid `Date` has no ISO form: the service refuses its text, and names the parameter. */
const textOf = (value: Exclude<Parameter, undefined>): string =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value)

const queryOf = (parameters: object): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters as Record<string, Parameter>)) {
    if (value !== undefined) query.append(name, textOf(value))
  }
  return query.size === 0 ? "" : `?${query}`
}

/** Milliseconds since an arbitrary instant, by the monotonic clock: a machine's time may be set while a call waits. */
const elapsedMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n))
)

const isTemporary = (status: number): boolean => status === 429 || status === 408 || status >= 500

/** Returns undefined for malformed JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const refusalOf = ({ headers, status, text }: TransportResponse): RequestRefused => {
  const error = (parseJson(text) as { error?: { code?: unknown; message?: unknown } } | undefined)?.error
  const [code, message] = [error?.code, error?.message]
  return new RequestRefused({
    status,
    code: typeof code === "string" ? code : "unknown",
    message: typeof message === "string" ? message : `The service answered ${status}.`,
    requestId: headers["x-request-id"] ?? null
  })
}

/** Why an attempt failed that may be repeated. */
interface TransientFailure {
  readonly status: number | null
  readonly reason: string
  /** The wait that the response requests by Retry-After; null without one. */
  readonly waitMillis: number | null
}

type Outcome = { readonly value: unknown } | { readonly failure: TransientFailure }

/** Calls `GET` on a path below the base URL, with retries, and answers the body. */
export type Requests = <A>(path: string, parameters?: object) => Effect.Effect<A, CallFailure>

/**
 * The base URL without slashes at its end. Throws a `TypeError`, which shows nothing of it, when it is not one of http or https, or has more
 * than a host and a path: paths of the API are put at its end, and no request may carry a password in its URL.
 */
const readUrl = (url: unknown): string => {
  const example = "such as http://127.0.0.1:4000"
  if (url === undefined)
    throw new TypeError(`url takes the base URL of the API, ${example}: it is undefined.`)
  const text = typeof url === "string" || url instanceof URL ? String(url) : ""
  const read = URL.canParse(text) ? new URL(text) : null
  if (read === null || !["http:", "https:"].includes(read.protocol))
    throw new TypeError(`url takes an http or https URL, ${example}.`)
  if (read.username !== "" || read.password !== "")
    throw new TypeError(
      `url takes a URL without a user and a password, ${example}: key is what authenticates.`
    )
  if (read.search !== "" || read.hash !== "")
    throw new TypeError(`url takes a URL without a query and a fragment, ${example}.`)
  return `${read.origin}${read.pathname}`.replace(/\/+$/, "")
}

/** Throws a `TypeError` when the key is no text, or has characters that a header can't hold; no message holds it. */
const readKey = (key: unknown): string => {
  if (key === undefined) throw new TypeError("key takes an API key: it is undefined.")
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key takes an API key: printable ASCII without spaces.")
  return key
}

/** The outcome of a response. It also updates what is known of the key's rate window. */
const outcomeOf = (
  answer: TransportResponse,
  window: KeyWindow,
  now: number,
  elapsed: number
): Outcome | RequestRefused => {
  const { headers, status, text } = answer
  window.update(headers, now, elapsed)
  if (isTemporary(status)) {
    const seconds = wholeNumber(headers["retry-after"])
    const waitMillis = seconds === null ? null : seconds * 1000
    if (status === 429 && waitMillis !== null) window.endIn(waitMillis, elapsed)
    return { failure: { status, reason: `status ${status}`, waitMillis } }
  }
  if (status !== 200) return refusalOf(answer)
  const value = parseJson(text)
  return value === undefined
    ? { failure: { status, reason: "a response that is not JSON", waitMillis: null } }
    : { value }
}

const transient = (reason: string): Outcome => ({ failure: { status: null, reason, waitMillis: null } })

/** Doubles with each attempt up to the maximum, with jitter so that clients don't retry in step. */
const backoffMillis = (attempts: number): Effect.Effect<number> =>
  Effect.map(Random.next, (draw) => {
    const longest = Math.min(maxPauseMillis, initialPauseMillis * 2 ** (attempts - 1))
    return longest * (0.5 + draw / 2)
  })

/** A request that waits at the service has its wait besides the timeout. */
const timeoutOf = (timeout: Duration.Duration, parameters: object): Duration.Duration => {
  const { wait } = parameters as { readonly wait?: unknown }
  return typeof wait === "number" ? Duration.sum(timeout, Duration.seconds(wait)) : timeout
}

/** Makes one attempt. A response that does not come in time, or not at all, is a transient failure. */
const attemptOf = (
  response: ReturnType<Transport>,
  window: KeyWindow,
  timeout: Duration.Duration
): Effect.Effect<Outcome, RequestRefused> =>
  response.pipe(
    Effect.timeoutOption(timeout),
    Effect.flatMap((found) =>
      Effect.zipWith(Clock.currentTimeMillis, elapsedMillis, (now, elapsed) =>
        found._tag === "None" ? transient("timeout") : outcomeOf(found.value, window, now, elapsed)
      )
    ),
    Effect.catchTag("NoAnswer", ({ reason }) => Effect.succeed(transient(reason))),
    Effect.flatMap((outcome) =>
      outcome instanceof RequestRefused ? Effect.fail(outcome) : Effect.succeed(outcome)
    )
  )

/** Throws a `TypeError`, which names the option, when `url` or `key` is missing or malformed. */
export const makeRequests = (transport: Transport, options: RequestOptions): Requests => {
  const base = readUrl(options.url)
  const key = readKey(options.key)
  const timeout = Duration.decode(options.timeout ?? "30 seconds")
  const patienceMillis = Duration.toMillis(options.patience ?? "5 minutes")
  const headers = { authorization: `Bearer ${key}`, accept: "application/json" }
  const window = new KeyWindow()

  return <A>(path: string, parameters: object = {}) =>
    Effect.gen(function* () {
      const startedAt = yield* elapsedMillis
      const unanswered = (attempts: number, last: string, status: number | null, now: number) => {
        const seconds = Math.round((now - startedAt) / 1000)
        const message = `The service gave no usable response in ${seconds} s and ${attempts} attempts; the last: ${last}.`
        return new Unanswered({ message, status, attempts })
      }
      let last = { reason: "the key's rate window was used up", status: null as number | null }
      for (let attempts = 1; ; attempts++) {
        const begun = yield* elapsedMillis
        const wait = window.take(begun)
        const left = startedAt + patienceMillis - begun - wait
        if (left < 0) return yield* unanswered(attempts - 1, last.reason, last.status, begun)
        if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
        const response = transport({ url: `${base}${path}${queryOf(parameters)}`, headers })
        const limit = Duration.min(timeoutOf(timeout, parameters), Duration.millis(left))
        const outcome = yield* attemptOf(response, window, limit)
        if ("value" in outcome) return outcome.value as A
        const { reason, status, waitMillis } = outcome.failure
        last = { reason, status }
        // A Retry-After of 0 still pauses: an overloaded service would receive requests without end.
        const pause = waitMillis === null || waitMillis === 0 ? yield* backoffMillis(attempts) : waitMillis
        const now = yield* elapsedMillis
        if (now - startedAt + pause > patienceMillis) return yield* unanswered(attempts, reason, status, now)
        yield* Effect.sleep(Duration.millis(pause))
      }
    })
}
