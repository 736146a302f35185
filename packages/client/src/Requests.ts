/**
 * Asks the API, politely: waits for the key's window when it is used up, as long as Retry-After says when it is told to, and
 * a little longer each time when there is no answer.
 */
import { Clock, Duration, Effect, Random } from "effect"
import { type CallFailure, RequestRefused, Unanswered } from "./Failures.ts"
import type { Transport, TransportAnswer } from "./Transport.ts"

export interface RequestOptions {
  /** Where the API is, with the path that it is mounted under, if any. */
  readonly url: string | URL
  readonly key: string
  /** How long a call may take with all its waits and retries; five minutes unless given. */
  readonly patience?: Duration.DurationInput
  /** How long one answer is waited for; 30 s unless given. */
  readonly timeout?: Duration.DurationInput
}

/** A value of the query; absent ones are left out. */
type Parameter = string | number | boolean | Date | undefined

const [firstPauseMillis, greatestPauseMillis] = [500, 30_000]

/** A window is a minute long: a clock that is off must not keep the client waiting for longer. */
const greatestWindowMillis = 61_000

const textOf = (value: Exclude<Parameter, undefined>): string =>
  value instanceof Date ? value.toISOString() : String(value)

const queryOf = (parameters: object): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters as Record<string, Parameter>)) {
    if (value !== undefined) query.append(name, textOf(value))
  }
  return query.size === 0 ? "" : `?${query}`
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : null

const isTemporary = (status: number): boolean => status === 429 || status === 408 || status >= 500

/** The body, of what is JSON. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const refused = ({ headers, status, text }: TransportAnswer): RequestRefused => {
  const error = (jsonOf(text) as { error?: { code?: unknown; message?: unknown } } | undefined)?.error
  const [code, message] = [error?.code, error?.message]
  return new RequestRefused({
    status,
    code: typeof code === "string" ? code : "unknown",
    message: typeof message === "string" ? message : `The service answered ${status}.`,
    requestId: headers["x-request-id"] ?? null
  })
}

/** How an attempt that may be made again went wrong. */
interface Setback {
  readonly status: number | null
  readonly reason: string
  /** As the service asks; null when it doesn't. */
  readonly waitMillis: number | null
}

type Outcome = { readonly value: unknown } | { readonly setback: Setback }

export type Requests = <A>(path: string, parameters?: object) => Effect.Effect<A, CallFailure>

/** Throws a `TypeError` when the URL is none, or the key can't stand in a header. */
export const makeRequests = (transport: Transport, options: RequestOptions): Requests => {
  const base = String(new URL(options.url)).replace(/\/+$/, "")
  const timeout = Duration.decode(options.timeout ?? "30 seconds")
  const patienceMillis = Duration.toMillis(options.patience ?? "5 minutes")
  const headers = { authorization: `Bearer ${options.key}`, accept: "application/json" }
  if (!/^[\x21-\x7e]+$/.test(options.key)) {
    throw new TypeError("key takes an API key: printable ASCII without spaces.")
  }
  /** What is known of the key's window. */
  const window = { remaining: Number.POSITIVE_INFINITY, endsAt: 0 }

  const learn = (answer: TransportAnswer, now: number): void => {
    const remaining = wholeNumber(answer.headers["x-ratelimit-remaining"])
    const reset = wholeNumber(answer.headers["x-ratelimit-reset"])
    if (remaining === null || reset === null) return
    window.remaining = remaining
    window.endsAt = Math.min(reset * 1000, now + greatestWindowMillis)
  }

  const attempt = (path: string, leftMillis: number): Effect.Effect<Outcome, RequestRefused> =>
    transport({ url: `${base}${path}`, headers }).pipe(
      Effect.timeoutOption(Duration.min(timeout, Duration.millis(leftMillis))),
      Effect.flatMap((found) =>
        Effect.map(Clock.currentTimeMillis, (now): Outcome | RequestRefused => {
          if (found._tag === "None") return { setback: { status: null, reason: "timeout", waitMillis: null } }
          const answer = found.value
          const { status } = answer
          learn(answer, now)
          if (isTemporary(status)) {
            const seconds = wholeNumber(answer.headers["retry-after"])
            const waitMillis = seconds === null ? null : seconds * 1000
            // It says how long, whatever this clock thinks of when the window ends.
            if (status === 429 && waitMillis !== null) window.endsAt = now + waitMillis
            return { setback: { status, reason: `status ${status}`, waitMillis } }
          }
          if (status !== 200) return refused(answer)
          const value = jsonOf(answer.text)
          return value === undefined
            ? { setback: { status, reason: "an answer that is no JSON", waitMillis: null } }
            : { value }
        })
      ),
      Effect.catchTag("NoAnswer", ({ reason }) =>
        Effect.succeed<Outcome>({ setback: { status: null, reason, waitMillis: null } })
      ),
      Effect.flatMap((outcome) =>
        outcome instanceof RequestRefused ? Effect.fail(outcome) : Effect.succeed(outcome)
      )
    )

  /** How long until the key may ask again, as far as is known. */
  const waitOf = (now: number): number => {
    if (window.remaining > 0 || now >= window.endsAt) {
      window.remaining--
      return 0
    }
    return window.endsAt - now
  }

  /** Twice as long each time, and never in step with others. */
  const pauseAfter = (attempts: number) =>
    Effect.map(Random.next, (draw) => {
      const longest = Math.min(greatestPauseMillis, firstPauseMillis * 2 ** (attempts - 1))
      return longest * (0.5 + draw / 2)
    })

  return <A>(path: string, parameters: object = {}) =>
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const unanswered = (attempts: number, last: string, status: number | null, now: number) => {
        const seconds = Math.round((now - startedAt) / 1000)
        const message = `No answer in ${seconds} s and ${attempts} attempts; the last: ${last}.`
        return new Unanswered({ message, status, attempts })
      }
      let last = { reason: "the key's window is used up", status: null as number | null }
      for (let attempts = 1; ; attempts++) {
        const begun = yield* Clock.currentTimeMillis
        const wait = waitOf(begun)
        const left = startedAt + patienceMillis - begun - wait
        if (left < 0) return yield* unanswered(attempts - 1, last.reason, last.status, begun)
        if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
        const outcome = yield* attempt(`${path}${queryOf(parameters)}`, left)
        if ("value" in outcome) return outcome.value as A
        const { reason, status, waitMillis } = outcome.setback
        last = { reason, status }
        // At once is no wait: what is overloaded would be asked without end.
        const pause = waitMillis === null || waitMillis === 0 ? yield* pauseAfter(attempts) : waitMillis
        const now = yield* Clock.currentTimeMillis
        if (now - startedAt + pause > patienceMillis) return yield* unanswered(attempts, reason, status, now)
        yield* Effect.sleep(Duration.millis(pause))
      }
    })
}
