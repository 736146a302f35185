/** Commands that call the operator API of a running server: their options, and the shapes that several of them share. */
import * as Options from "@effect/cli/Options"
import { Duration, Effect, Option } from "effect"
import { CommandProcess, type Failed, leaf, type Node, usage } from "@lead-signals/command-line"
import { urlVariable } from "../Variables.ts"
import { exitCodes } from "./ExitCodes.ts"
import {
  callOperator,
  defaultUrl,
  type Json,
  type Method,
  type Operator,
  resolveOperator
} from "./OperatorClient.ts"
import {
  type Columns,
  type Form,
  formOf,
  json,
  type Listing,
  listingFormOptions,
  print,
  type Reading,
  readingFormOptions,
  rendered,
  renderedReading,
  write,
  writeAgain
} from "./Output.ts"
import type { TypedNames } from "./TypedNames.ts"

/** Takes digits alone: a brand's name in its place would be answered like a brand that does not exist. */
export const brandOption = (description: string) =>
  Options.text("brand").pipe(
    Options.withDescription(description),
    Options.filterMap(
      (id) => (/^[0-9]+$/.test(id) ? Option.some(id) : Option.none()),
      "--brand takes the id of a brand, in digits; `brands list` shows it."
    )
  )

/** The option of commands that need a brand. */
export const brand = brandOption("Id of the brand; `brands list` shows it")
/** The option of commands that call a server; `resolveUrl` reads it. */
export const url = Options.text("url").pipe(
  Options.withDescription(`URL of the server [${urlVariable}, or ${defaultUrl}]`),
  Options.optional
)
/** The option of the operator's token; the environment is the better place for it. */
export const token = Options.text("token").pipe(
  Options.withDescription("The operator token [LEAD_SIGNALS_OPERATOR_TOKEN, which no process list shows]"),
  Options.optional
)
export { json }

/** The options of every command that calls the operator API and prints one thing. */
export const operatorOptions = { url, token, json }

/** Options of commands that create or send something: a repetition with the same key does nothing again. */
export const keyedOptions = {
  ...operatorOptions,
  idempotencyKey: Options.text("idempotency-key").pipe(
    Options.withDescription(
      "Makes the command safe to repeat for a day: the same key gets the first answer; 16 to 255 characters, such as a UUID"
    ),
    Options.optional
  )
}

/** What such a command prints: a value with --json, the text without. */
interface Printed {
  readonly value: unknown
  readonly text: string
}

/** Calls the operator API, and answers the body of the response. */
export type Call = (method: Method, path: string, body?: unknown) => Effect.Effect<Json, Failed>

/** A handler that resolves the server from the options, calls it and prints the result. `typed` has names that other commands have otherwise. */
export const calling =
  <
    Given extends {
      readonly url: Option.Option<string>
      readonly token: Option.Option<string>
      readonly json: boolean
      readonly idempotencyKey?: Option.Option<string>
    }
  >(
    work: (call: Call, given: Given) => Effect.Effect<Printed, Failed>,
    typed?: TypedNames
  ) =>
  (given: Given): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      const operator = yield* resolveOperator(given)
      const key = given.idempotencyKey === undefined ? null : Option.getOrNull(given.idempotencyKey)
      const { text, value } = yield* work(
        (method, path, body) =>
          callOperator(operator, {
            method,
            path,
            body,
            idempotencyKey: method === "POST" ? key : null,
            ...(typed === undefined ? {} : { typed })
          }),
        given
      )
      yield* print(given.json, value, text)
    })

/** The path of a brand's resource, such as `keys`, of one of its items, or of an action on the item. */
export const pathOf = (brandId: string, resource: string, ...path: ReadonlyArray<string>): string =>
  ["/operator/brands", brandId, resource, ...path]
    .map((part, i) => (i === 0 ? part : encodeURIComponent(part)))
    .join("/")

/** The options of a command that lists: where the server is, and how it prints. */
export const listingOptions = {
  url,
  token,
  ...listingFormOptions,
  watch: Options.boolean("watch").pipe(
    Options.withDescription("Prints it again and again, until SIGINT or SIGTERM ends it")
  ),
  interval: Options.float("interval").pipe(
    Options.withDescription("Seconds from one time to the next with --watch, 0.1 to 86400 [2]"),
    Options.withDefault(2)
  )
}

/** The options of a command that reads one thing. */
export const readingOptions = { url, token, ...readingFormOptions }

type ServerOptions = Parameters<typeof resolveOperator>[0]

interface FormOptions extends ServerOptions {
  readonly json: boolean
  readonly output: Option.Option<Form>
}

/** A handler that resolves the server from the options, reads something from it and prints that in the form that the options name. */
export const readingOne =
  <Given extends FormOptions>(
    work: (call: Call, given: Given) => Effect.Effect<Reading, Failed>,
    typed?: TypedNames
  ) =>
  (given: Given): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      const operator = yield* resolveOperator(given)
      const form = yield* formOf(given)
      const reading = yield* work(
        (method, path, body) =>
          callOperator(operator, { method, path, body, ...(typed === undefined ? {} : { typed }) }),
        given
      )
      yield* write(yield* renderedReading(reading, form))
    })

/**
 * A handler that lists, and with --watch lists again. A server that does not answer the first time ends it; afterwards it is asked again until
 * it does, and each such time is one line on standard error. [CLI-13]
 */
export const listing =
  <Given extends FormOptions & { readonly watch: boolean; readonly interval: number }>(
    work: (call: Call, given: Given, operator: Operator) => Effect.Effect<Listing, Failed>
  ) =>
  (given: Given): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      const operator = yield* resolveOperator(given)
      const form = yield* formOf(given)
      const { interval, watch } = given
      if (watch && form === "csv")
        return yield* usage("--watch goes with the forms table, json and jsonl: CSV is one table.")
      if (!(interval >= 0.1 && interval <= 86_400))
        return yield* usage("--interval takes a number of seconds from 0.1 to 86400.")
      const { stderr } = yield* CommandProcess
      const read = Effect.flatMap(
        work((method, path, body) => callOperator(operator, { method, path, body }), given, operator),
        (found) => rendered(found, form)
      )
      const first = yield* read
      if (!watch) return yield* write(first)
      yield* writeAgain(first)
      const again = Effect.matchEffect(read, {
        onSuccess: writeAgain,
        onFailure: (failure) =>
          failure.code === exitCodes.unreachable
            ? Effect.sync(() => void stderr.write(`${failure.message}\n`))
            : Effect.fail(failure)
      })
      return yield* Effect.forever(Effect.delay(again, Duration.seconds(interval)))
    })

const listOf =
  (columns: Columns) =>
  (answer: Json): Listing => ({
    value: answer.data,
    items: answer.data,
    columns
  })

/** What a command printed a page of, with how many there are on all pages. */
export const pageListing = (columns: Columns, answer: Json, csvColumns?: Columns): Listing => {
  const { page, pageCount, total } = answer.meta.pagination
  return {
    value: answer,
    items: answer.data,
    columns,
    ...(csvColumns === undefined ? {} : { csvColumns }),
    footer: `${answer.data.length} of ${total}${pageCount > 1 ? `, page ${page} of ${pageCount}` : ""}`
  }
}

/** The query of the parameters that were given; empty, or with its question mark. */
export const queryOf = (
  parameters: Readonly<Record<string, Option.Option<string | number | boolean>>>
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (Option.isSome(value)) query.set(name, String(value.value))
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/** An option that a call takes as a text of its own. */
export const textOption = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

/** An option that a call takes as an integer. */
export const integerOption = (name: string, description: string) =>
  Options.integer(name).pipe(Options.withDescription(description), Options.optional)

/** An option that takes true or false, and can be left out. */
export const flagOption = (name: string, description: string) =>
  Options.choice(name, ["true", "false"] as const).pipe(
    Options.withDescription(description),
    Options.optional
  )

/** The page of a list that is answered by pages. */
export const pageOptions = {
  page: integerOption("page", "Which page, from 1 [1]"),
  pageSize: integerOption("page-size", "How many on a page, at most 100 [25]")
}

/** The `list` command of a resource of a brand. */
export const listOfBrand = (resource: string, summary: string, columns: Columns): Node =>
  leaf(
    "list",
    { summary },
    { brand, ...listingOptions },
    listing((call, given) => Effect.map(call("GET", pathOf(given.brand, resource)), listOf(columns)))
  )

/** The `list` command of a resource that belongs to no brand. */
export const listAt = (path: string, summary: string, columns: Columns): Node =>
  leaf(
    "list",
    { summary },
    listingOptions,
    listing((call) => Effect.map(call("GET", path), listOf(columns)))
  )

/** Prints a created or changed resource: its JSON with --json, a text without. */
export const printResource =
  (textOf: (resource: Json) => string) =>
  ({ data }: Json): Printed => ({ value: data, text: textOf(data) })
