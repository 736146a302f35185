/** Calls the operator API of a running server. */
import { Effect, Option } from "effect"
import { foreignResponseMessage, isUnavailable, refusalMessage } from "../ServerResponse.ts"
import { valueOf } from "../Variables.ts"
import { CommandProcess, Failed, usage } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"

export interface Operator {
  /** Without a trailing slash. */
  readonly url: string
  readonly token: string
}

/** The server to call, and its token: the given one, or `LEAD_SIGNALS_OPERATOR_TOKEN`. Fails on a URL or token of wrong form. */
export const resolveOperator = ({
  token,
  url
}: {
  readonly url: string
  readonly token: Option.Option<string>
}): Effect.Effect<Operator, Failed> =>
  Effect.flatMap(CommandProcess, ({ env }) => {
    const found = Option.getOrUndefined(token) ?? valueOf(env, "LEAD_SIGNALS_OPERATOR_TOKEN")
    if (!/^https?:/i.test(url) || !URL.canParse(url))
      return usage("--url takes http:// or https:// and a host, like http://127.0.0.1:4000.")
    if (found === undefined || found === "")
      return usage(
        "The operator token is required: set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token. A server that started without one prints its own."
      )
    if (!/^[\x21-\x7e]+$/.test(found))
      return usage("The operator token takes printable ASCII without spaces.")
    return Effect.succeed({ url: url.replace(/\/+$/, ""), token: found })
  })

/** The parsed body of a response, whose form each command knows. */
export type Json = any

export type Method = "GET" | "POST" | "PATCH" | "DELETE"

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

/** Calls the operator API. Returns the response's body, null when it is empty; fails with the server's own message. */
export const callOperator = (
  { token, url }: Operator,
  method: Method,
  path: string,
  body?: unknown,
  idempotencyKey: string | null = null
): Effect.Effect<Json, Failed> =>
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
    catch: () =>
      new Failed({
        message: `There is no answer from ${url}; is the server running there?`,
        code: exitCodes.unreachable
      })
  }).pipe(
    Effect.flatMap(({ status, text }) => {
      if (status === 401) {
        const message = `${refusalMessage(text)} Set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token.`
        return Effect.fail(new Failed({ message }))
      }
      if (isUnavailable(status))
        return Effect.fail(new Failed({ message: refusalMessage(text), code: exitCodes.unreachable }))
      if (status >= 300) return Effect.fail(new Failed({ message: refusalMessage(text) }))
      return text === "" ? Effect.succeed(null) : parseBody(url, text)
    })
  )
