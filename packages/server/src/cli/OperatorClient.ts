/** Calls the operator API of a running server. */
import { Effect, Option } from "effect"
import { foreignResponseMessage, isUnavailable, refusalMessage } from "../ServerResponse.ts"
import { stripControlCharacters } from "../UntrustedText.ts"
import { urlVariable, valueOf } from "../Variables.ts"
import { CommandProcess, Failed, usage } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"
import { inTypedNames, type TypedNames } from "./TypedNames.ts"

/** The server that a command calls, and as whom. */
export interface Operator {
  /** Without a trailing slash. */
  readonly url: string
  readonly token: string
}

/** The server that commands call when neither the option nor the variable names one: a server's own default. */
export const defaultUrl = "http://127.0.0.1:4000"

/** The URL to which paths are appended, without slashes at the end; null where it is none. A user's password would stand in messages. */
const readUrl = (text: string): string | null => {
  if (!/^https?:/i.test(text) || !URL.canParse(text) || /[?#\s]/.test(text)) return null
  const { password, username } = new URL(text)
  return username === "" && password === "" ? text.replace(/\/+$/, "") : null
}

/** The URL of the server to call: that of `--url`, else of `LEAD_SIGNALS_URL`, else the default. Fails on one of wrong form. [CLI-21] */
export const resolveUrl = (given: Option.Option<string>): Effect.Effect<string, Failed> =>
  Effect.flatMap(CommandProcess, ({ env }) => {
    const [name, text] = Option.match(given, {
      onNone: () => [urlVariable, valueOf(env, urlVariable) ?? defaultUrl] as const,
      onSome: (option) => ["--url", option] as const
    })
    const url = readUrl(text)
    return url === null
      ? usage(
          `${name} takes http:// or https:// and a host, like ${defaultUrl}, without a user, a query or a fragment.`
        )
      : Effect.succeed(url)
  })

/** The server to call, and its token: the given one, or `LEAD_SIGNALS_OPERATOR_TOKEN`. Fails on a URL or token of wrong form. */
export const resolveOperator = ({
  token,
  url
}: {
  readonly url: Option.Option<string>
  readonly token: Option.Option<string>
}): Effect.Effect<Operator, Failed> =>
  Effect.gen(function* () {
    const { env } = yield* CommandProcess
    const server = yield* resolveUrl(url)
    const found = Option.getOrUndefined(token) ?? valueOf(env, "LEAD_SIGNALS_OPERATOR_TOKEN")
    if (found === undefined || found === "")
      return yield* usage(
        "The operator token is required: set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token. A server that started without one prints its own."
      )
    if (!/^[\x21-\x7e]+$/.test(found))
      return yield* usage("The operator token takes printable ASCII without spaces.")
    return { url: server, token: found }
  })

/** The parsed body of a response, whose form each command knows. */
export type Json = any

/** Methods of the operator API. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Fails without quoting the body, which may hold anything. */
const parseBody = (url: string, text: string): Effect.Effect<Json, Failed> =>
  Effect.try({
    try: () => {
      const body = JSON.parse(text) as Json
      if (body?.data === undefined) throw new Error("no data")
      return body
    },
    catch: () => new Failed({ message: foreignResponseMessage(url) })
  })

/** A call of the operator API. */
export interface OperatorRequest {
  readonly method: Method
  readonly path: string
  /** Sent as JSON; none without. */
  readonly body?: unknown
  readonly idempotencyKey?: string | null
  /** What people type for fields that other commands call otherwise. */
  readonly typed?: TypedNames
}

/** Calls the server. Returns the text of a response with a status below 300; fails with the server's own message. */
const request = (
  { token, url }: Operator,
  { body, idempotencyKey = null, method, path, typed }: OperatorRequest
): Effect.Effect<string, Failed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}${path}`, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, text: await response.text() }
    },
    catch: () => noAnswer(url)
  }).pipe(
    Effect.flatMap(({ status, text }) => {
      const refusal = refusalOf(status, text, typed)
      return refusal === null ? Effect.succeed(text) : Effect.fail(refusal)
    })
  )

/** The failure of a command for a status of the server; null for one below 300. The message names options where the server's names fields. */
export const refusalOf = (status: number, text: string, typed?: TypedNames): Failed | null => {
  const message = (): string => {
    const words = stripControlCharacters(refusalMessage(text))
    return status === 400 ? inTypedNames(words, typed) : words
  }
  if (status === 401)
    return new Failed({ message: `${message()} Set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token.` })
  if (isUnavailable(status)) return new Failed({ message: message(), code: exitCodes.unreachable })
  return status >= 300 ? new Failed({ message: message() }) : null
}

/** Calls the operator API. Returns the response's body, null when it is empty; fails with the server's own message. */
export const callOperator = (operator: Operator, call: OperatorRequest): Effect.Effect<Json, Failed> =>
  Effect.flatMap(request(operator, call), (text) =>
    text === "" ? Effect.succeed(null) : parseBody(operator.url, text)
  )

/** Reads a page that is no JSON. */
export const readText = (operator: Operator, path: string): Effect.Effect<string, Failed> =>
  request(operator, { method: "GET", path })

/** The failure of a call that got no answer. */
export const noAnswer = (url: string): Failed =>
  new Failed({
    message: `There is no answer from ${url}; is the server running there?`,
    code: exitCodes.unreachable
  })
