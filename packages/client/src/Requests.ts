/**
 * Sends requests with waits and retries: waits while the key's rate window is used up, for as long as
 * Retry-After says, and with growing pauses while the service does not respond.
 */
import { Clock, Duration, Effect, Random } from "effect"
import { type CallFailure, RequestRefused, Unanswered } from "./Failures.ts"
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

/** A rate window lasts one minute; the bound protects against a wrong clock. */
const maxWindowMillis = 61_000

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

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : null

/** Milliseconds since an arbitrary instant, by a clock that nobody sets: a machine's time may be set while a call waits. */
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

/** Throws a `TypeError`, which names the option, when `url` or `key` is missing or malformed. */
export const makeRequests = (transport: Transport, options: RequestOptions): Requests => {
  const base = readUrl(options.url)
  const key = readKey(options.key)
  const timeout = Duration.decode(options.timeout ?? "30 seconds")
  const patienceMillis = Duration.toMillis(options.patience ?? "5 minutes")
  const headers = { authorization: `Bearer ${key}`, accept: "application/json" }
  /** The key's rate window as the last response described it, with its end in elapsed milliseconds. */
  const rateWindow = { remaining: Number.POSITIVE_INFINITY, endsAt: Number.NEGATIVE_INFINITY }

  /** `now` is an instant, as the window's reset is one; `elapsed` is the same moment in elapsed milliseconds. */
  const updateRateWindow = (answer: TransportResponse, now: number, elapsed: number): void => {
    const remaining = wholeNumber(answer.headers["x-ratelimit-remaining"])
    const reset = wholeNumber(answer.headers["x-ratelimit-reset"])
    if (remaining === null || reset === null) return
    rateWindow.remaining = remaining
    rateWindow.endsAt = elapsed + Math.min(reset * 1000 - now, maxWindowMillis)
  }

  /** A request that waits at the service has its wait besides the timeout. */
  const timeoutOf = (parameters: object): Duration.Duration => {
    const { wait } = parameters as { readonly wait?: unknown }
    return typeof wait === "number" ? Duration.sum(timeout, Duration.seconds(wait)) : timeout
  }

  const attempt = (
    path: string,
    limit: Duration.Duration,
    leftMillis: number
  ): Effect.Effect<Outcome, RequestRefused> =>
    transport({ url: `${base}${path}`, headers }).pipe(
      Effect.timeoutOption(Duration.min(limit, Duration.millis(leftMillis))),
      Effect.flatMap((found) =>
        Effect.zipWith(Clock.currentTimeMillis, elapsedMillis, (now, elapsed): Outcome | RequestRefused => {
          if (found._tag === "None") return { failure: { status: null, reason: "timeout", waitMillis: null } }
          const answer = found.value
          const { status } = answer
          updateRateWindow(answer, now, elapsed)
          if (isTemporary(status)) {
            const seconds = wholeNumber(answer.headers["retry-after"])
            const waitMillis = seconds === null ? null : seconds * 1000
            // Retry-After is relative, and so is right even when this clock is wrong.
            if (status === 429 && waitMillis !== null)
              rateWindow.endsAt = elapsed + Math.min(waitMillis, maxWindowMillis)
            return { failure: { status, reason: `status ${status}`, waitMillis } }
          }
          if (status !== 200) return refusalOf(answer)
          const value = parseJson(answer.text)
          return value === undefined
            ? { failure: { status, reason: "a response that is not JSON", waitMillis: null } }
            : { value }
        })
      ),
      Effect.catchTag("NoAnswer", ({ reason }) =>
        Effect.succeed<Outcome>({ failure: { status: null, reason, waitMillis: null } })
      ),
      Effect.flatMap((outcome) =>
        outcome instanceof RequestRefused ? Effect.fail(outcome) : Effect.succeed(outcome)
      )
    )

  /** Milliseconds until the key may send a request, and counts the request when that is 0. */
  const rateWindowWait = (now: number): number => {
    if (rateWindow.remaining > 0 || now >= rateWindow.endsAt) {
      rateWindow.remaining--
      return 0
    }
    return rateWindow.endsAt - now
  }

  /** Doubles with each attempt up to the maximum, with jitter so that clients don't retry in step. */
  const backoffMillis = (attempts: number) =>
    Effect.map(Random.next, (draw) => {
      const longest = Math.min(maxPauseMillis, initialPauseMillis * 2 ** (attempts - 1))
      return longest * (0.5 + draw / 2)
    })

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
        const wait = rateWindowWait(begun)
        const left = startedAt + patienceMillis - begun - wait
        if (left < 0) return yield* unanswered(attempts - 1, last.reason, last.status, begun)
        if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
        const outcome = yield* attempt(`${path}${queryOf(parameters)}`, timeoutOf(parameters), left)
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
