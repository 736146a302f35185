/** What the commands have in common that call a running server: options, and the call itself. */
import * as Options from "@effect/cli/Options"
import { Failed, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { valueOf } from "../Environment.ts"
import { foreignAnswer, isUnavailable, refusalOf, withoutControls } from "../Foreign.ts"
import { exitCodes } from "./ExitCodes.ts"

export const brand = Options.text("brand").pipe(Options.withDescription("Id of the brand"))
export const url = Options.text("url").pipe(
  Options.withDescription("Where the server runs [http://127.0.0.1:4000]"),
  Options.withDefault("http://127.0.0.1:4000")
)
export const token = Options.text("token").pipe(
  Options.withDescription(
    "The operator token; LEAD_SIGNALS_OPERATOR_TOKEN otherwise, which no process list shows"
  ),
  Options.optional
)
export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON, for scripts"))

export const operatorOptions = { url, token, json }

export interface Operator {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
}

/** Where the server runs, and its token: the given one, or the environment's. */
export const operatorOf = ({
  token,
  url
}: {
  readonly url: string
  readonly token: Option.Option<string>
}): Effect.Effect<Operator, Failed> => {
  const found = Option.getOrUndefined(token) ?? valueOf(process.env, "LEAD_SIGNALS_OPERATOR_TOKEN")
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    return usage("--url takes http:// or https:// and a host, like http://127.0.0.1:4000.")
  if (found === undefined || found === "")
    return usage("--token is needed, or LEAD_SIGNALS_OPERATOR_TOKEN; the server prints it when it starts.")
  if (!/^[\x21-\x7e]+$/.test(found)) return usage("The operator token takes printable ASCII without spaces.")
  return Effect.succeed({ url: url.replace(/\/+$/, ""), token: found })
}

// Answers are looked into freely here.
type Json = any

/** Not quoted: it can hold anything. */
const read = (url: string, text: string): Effect.Effect<Json, Failed> =>
  Effect.try({
    try: () => {
      const body = JSON.parse(text) as Json
      if (body?.data === undefined) throw new Error("no data")
      return body
    },
    catch: () => new Failed({ message: foreignAnswer(url) })
  })

/** The answer's body; null when it has none. A refusal is told in the server's own words. */
export const callOperator = (
  { token, url }: Operator,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown
): Effect.Effect<Json, Failed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}${path}`, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
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
        const message = `${refusalOf(text)} Give it by --token or LEAD_SIGNALS_OPERATOR_TOKEN.`
        return Effect.fail(new Failed({ message }))
      }
      if (isUnavailable(status))
        return Effect.fail(new Failed({ message: refusalOf(text), code: exitCodes.unreachable }))
      if (status >= 300) return Effect.fail(new Failed({ message: refusalOf(text) }))
      return text === "" ? Effect.succeed(null) : read(url, text)
    })
  )

const cell = (value: unknown): string =>
  value === null || value === undefined
    ? "–"
    : withoutControls(String(Array.isArray(value) ? value.join(", ") : value))

/** Rows under their columns' names, each as wide as it must be. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): string => {
  const lines = [columns, ...rows.map((row) => row.map(cell))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One JSON value, or what a person reads. */
export const print = (isJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`))

/** A command that asks the server once and shows what it answers. */
export const asking =
  <Given extends { readonly url: string; readonly token: Option.Option<string>; readonly json: boolean }>(
    work: (
      call: (
        method: "GET" | "POST" | "PATCH" | "DELETE",
        path: string,
        body?: unknown
      ) => Effect.Effect<Json, Failed>,
      given: Given
    ) => Effect.Effect<{ readonly value: unknown; readonly text: string }, Failed>
  ) =>
  (given: Given): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      const operator = yield* operatorOf(given)
      const { text, value } = yield* work(
        (method, path, body) => callOperator(operator, method, path, body),
        given
      )
      yield* print(given.json, value, text)
    })
