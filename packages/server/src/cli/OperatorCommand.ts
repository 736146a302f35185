/** Commands that call the operator API of a running server: their options, and the shapes that several of them share. */
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { type Failed, leaf, type Node } from "@lead-signals/command-line"
import { callOperator, type Json, type Method, resolveOperator } from "./OperatorClient.ts"
import { print, table } from "./Output.ts"

/** Takes digits alone: a brand's name in its place would be answered like a brand that does not exist. */
export const brandOption = (description: string) =>
  Options.text("brand").pipe(
    Options.withDescription(description),
    Options.filterMap(
      (id) => (/^[0-9]+$/.test(id) ? Option.some(id) : Option.none()),
      "--brand takes the id of a brand, in digits; `brands list` shows it."
    )
  )

export const brand = brandOption("Id of the brand; `brands list` shows it")
export const url = Options.text("url").pipe(
  Options.withDescription("URL of the server [http://127.0.0.1:4000]"),
  Options.withDefault("http://127.0.0.1:4000")
)
export const token = Options.text("token").pipe(
  Options.withDescription("The operator token [LEAD_SIGNALS_OPERATOR_TOKEN, which no process list shows]"),
  Options.optional
)
export const json = Options.boolean("json").pipe(Options.withDescription("Prints JSON, for scripts"))

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

type Call = (method: Method, path: string, body?: unknown) => Effect.Effect<Json, Failed>

/** A handler that resolves the server from the options, calls it and prints the result. */
export const calling =
  <
    Given extends {
      readonly url: string
      readonly token: Option.Option<string>
      readonly json: boolean
      readonly idempotencyKey?: Option.Option<string>
    }
  >(
    work: (call: Call, given: Given) => Effect.Effect<Printed, Failed>
  ) =>
  (given: Given): Effect.Effect<void, Failed> =>
    Effect.gen(function* () {
      const operator = yield* resolveOperator(given)
      const key = given.idempotencyKey === undefined ? null : Option.getOrNull(given.idempotencyKey)
      const { text, value } = yield* work(
        (method, path, body) => callOperator(operator, method, path, body, method === "POST" ? key : null),
        given
      )
      yield* print(given.json, value, text)
    })

/** The path of a brand's resource, such as `keys`, of one of its items, or of an action on the item. */
export const pathOf = (brandId: string, resource: string, ...path: ReadonlyArray<string>): string =>
  ["/operator/brands", brandId, resource, ...path]
    .map((part, i) => (i === 0 ? part : encodeURIComponent(part)))
    .join("/")

/** The columns of a list by heading, each with the cell of an item. */
export type Columns = Readonly<Record<string, (item: Json) => unknown>>

export const tableOf = (columns: Columns, items: ReadonlyArray<Json>): string =>
  table(
    Object.keys(columns),
    items.map((item) => Object.values(columns).map((cellOf) => cellOf(item)))
  )

const printList =
  (columns: Columns) =>
  ({ data }: Json): Printed => ({ value: data, text: tableOf(columns, data) })

/** The `list` command of a resource of a brand. */
export const listOfBrand = (resource: string, summary: string, columns: Columns): Node =>
  leaf(
    "list",
    { summary },
    { brand, ...operatorOptions },
    calling((call, given) => Effect.map(call("GET", pathOf(given.brand, resource)), printList(columns)))
  )

/** The `list` command of a resource that belongs to no brand. */
export const listAt = (path: string, summary: string, columns: Columns): Node =>
  leaf(
    "list",
    { summary },
    operatorOptions,
    calling((call) => Effect.map(call("GET", path), printList(columns)))
  )

/** Prints a created or changed resource: its JSON with --json, a text without. */
export const printResource =
  (textOf: (resource: Json) => string) =>
  ({ data }: Json): Printed => ({ value: data, text: textOf(data) })
