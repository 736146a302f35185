/** Operations and their fields as the OpenAPI document has them, and the formats that a JSON schema does not say. */
import { document } from "../oracles/OpenApiDocument.ts"
import type { IdKind } from "./Form.ts"

// The document is a tree of any shape.
type Json = Record<string, any>

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** One operation of the document, flattened. */
export interface Operation {
  /** Its name in the document, without the group. */
  readonly id: string
  /** The group before its name in the document; empty where it has none. */
  readonly group: string
  readonly method: Method
  /** As the document writes it, like `/operator/brands/{brandId}/keys`. */
  readonly route: string
  readonly access: "key" | "operator" | "none"
  readonly success: number
  readonly fields: ReadonlyArray<Field>
  readonly hasBody: boolean
}

/** What a value must be. */
type FieldKind =
  | { readonly is: "text"; readonly min: number; readonly max: number | null }
  | { readonly is: "integer" | "number"; readonly min: number | null; readonly max: number | null }
  | { readonly is: "boolean" | "object" }
  | { readonly is: "choice" | "choices"; readonly of: ReadonlyArray<string> }
  | { readonly is: "items" | "texts"; readonly max: number | null }

/** Formats of texts. The document says them in words, if at all. */
type Format =
  | { readonly is: "timestamp"; readonly mustShow: boolean; readonly mustCome?: boolean }
  | {
      readonly is:
        | "day"
        | "day of a span"
        | "post id"
        | "sort"
        | "search"
        | "comment"
        | "digits"
        | "source value"
        | "target URL"
        | "addresses"
        | "brand ids"
        | "brand"
        | "cursor"
        | "cursor of changes"
    }
  | { readonly is: "id"; readonly kind: IdKind }

/** One parameter, or one field of a body. */
export interface Field {
  readonly place: "path" | "query" | "body"
  /** `page`, or within a body a path like `source.company.name`. */
  readonly path: string
  readonly kind: FieldKind
  readonly format: Format | null
  readonly isRequired: boolean
  readonly isNullable: boolean
}

const idKinds: ReadonlyArray<readonly [prefix: string, kind: IdKind]> = [
  ["brands", "brand"],
  ["keys", "key"],
  ["signals", "signal"],
  ["campaigns", "campaign"],
  ["campaign", "campaign"],
  ["leads", "lead"],
  ["signal-leads", "lead"],
  ["webhooks", "webhook"],
  ["deliveries", "delivery"],
  ["tokens", "token"]
]

const formats: Readonly<Record<string, Format>> = {
  createdAfter: { is: "timestamp", mustShow: false },
  createdBefore: { is: "timestamp", mustShow: false },
  updatedAfter: { is: "timestamp", mustShow: false },
  updatedBefore: { is: "timestamp", mustShow: false },
  since: { is: "timestamp", mustShow: false },
  expiresAt: { is: "timestamp", mustShow: true, mustCome: true },
  allowedAddresses: { is: "addresses" },
  brandIds: { is: "brand ids" },
  cursor: { is: "cursor" },
  "observations[].engagement.trackedAt": { is: "timestamp", mustShow: true },
  "observations[].engagement.emittedAt": { is: "timestamp", mustShow: true },
  "observations[].engagement.postPostedAt": { is: "timestamp", mustShow: true },
  "observations[].engagement.commentText": { is: "comment" },
  "observations[].signalId": { is: "id", kind: "signal" },
  webhookId: { is: "id", kind: "webhook" },
  signalId: { is: "id", kind: "signal" },
  "source.value": { is: "source value" },
  "source.liCompanyId": { is: "digits" },
  url: { is: "target URL" },
  sort: { is: "sort" },
  search: { is: "search" },
  startDate: { is: "day" },
  endDate: { is: "day" },
  day: { is: "day" }
}

/** Formats of parameters of a query that a path has with another meaning. */
const queryFormats: Readonly<Record<string, Format>> = { brandId: { is: "brand" }, postId: { is: "post id" } }

/** Days of figures over time lie close to each other: the number of intervals between them has a limit. [SERIES-1] */
const spanFormats: Readonly<Record<string, Format>> = {
  startDate: { is: "day of a span" },
  endDate: { is: "day of a span" }
}

/** Formats of parameters of the feed of changes. [CHG-4] */
const changeFormats: Readonly<Record<string, Format>> = { cursor: { is: "cursor of changes" } }

/** The format of a parameter of a query, by the names of all parameters that the operation takes. */
const queryFormat = (name: string, others: ReadonlyArray<string>): Format | null =>
  (others.includes("interval") ? spanFormats[name] : undefined) ??
  (others.includes("includeEngagements") ? changeFormats[name] : undefined) ??
  queryFormats[name] ??
  formats[name] ??
  null

const pathFormat = (route: string, name: string): Format | null => {
  const segments = route.split("/")
  const before = segments[segments.indexOf(`{${name}}`) - 1]
  const kind = idKinds.find(([prefix]) => prefix === before)?.[1]
  return formats[name] ?? (kind === undefined ? null : { is: "id", kind })
}

const resolved = (schema: Json): Json => {
  const { $ref, ...rest } = schema
  if ($ref === undefined) return schema
  const name = ($ref as string).split("/").at(-1)!
  return { ...resolved(document["components"].schemas[name]), ...rest }
}

/** The schema without its null, and whether it had one. */
const withoutNull = (schema: Json): { readonly schema: Json; readonly isNullable: boolean } => {
  const whole = resolved(schema)
  const { anyOf, ...rest } = whole
  if (anyOf === undefined) {
    const { type } = whole
    return Array.isArray(type)
      ? {
          schema: { ...whole, type: type.find((each: string) => each !== "null") },
          isNullable: type.includes("null")
        }
      : { schema: whole, isNullable: false }
  }
  const form = anyOf.find((each: Json) => each["type"] !== "null")
  return { schema: { ...resolved(form), ...rest }, isNullable: anyOf.length > 1 }
}

const kindOf = (schema: Json): FieldKind => {
  const { enum: choices, items, maxItems, maxLength, maximum, minLength, minimum, type } = schema
  if (choices !== undefined) return { is: "choice", of: choices.filter((each: unknown) => each !== null) }
  switch (type) {
    case "integer":
    case "number":
      return { is: type, min: minimum ?? null, max: maximum ?? null }
    case "boolean":
      return { is: "boolean" }
    case "array": {
      const { enum: words, type: itemType } = resolved(items)
      if (words !== undefined) return { is: "choices", of: words }
      return { is: itemType === "string" ? "texts" : "items", max: maxItems ?? null }
    }
    case "object":
      return { is: "object" }
    default:
      return { is: "text", min: minLength ?? 0, max: maxLength ?? null }
  }
}

const bodyFields = (schema: Json, path = ""): ReadonlyArray<Field> =>
  Object.entries((schema["properties"] ?? {}) as Json).flatMap(([name, property]): ReadonlyArray<Field> => {
    const here = `${path}${name}`
    const { isNullable, schema: inner } = withoutNull(property as Json)
    const kind = kindOf(inner)
    const field: Field = {
      place: "body",
      path: here,
      kind,
      format: formats[here] ?? null,
      isRequired: (schema["required"] ?? []).includes(name),
      isNullable
    }
    if (kind.is === "object") return [field, ...bodyFields(inner, `${here}.`)]
    if (kind.is !== "items") return [field]
    const item: Field = {
      ...field,
      path: `${here}[]`,
      kind: { is: "object" },
      isRequired: true,
      isNullable: false
    }
    return [field, item, ...bodyFields(resolved(inner["items"]), `${item.path}.`)]
  })

/** Without the header of Idempotency-Keys: the action `keyed` draws those. */
const fieldsOf = (route: string, { parameters = [], requestBody }: Json): ReadonlyArray<Field> => [
  ...(parameters as ReadonlyArray<Json>)
    .filter((each) => each["in"] !== "header")
    .map(({ in: place, name, required, schema }): Field => ({
      place,
      path: name,
      kind: kindOf(schema),
      format:
        place === "path"
          ? pathFormat(route, name)
          : queryFormat(
              name,
              (parameters as ReadonlyArray<Json>).map((each) => each["name"])
            ),
      isRequired: required === true,
      isNullable: false
    })),
  ...(requestBody === undefined ? [] : bodyFields(requestBody.content["application/json"].schema))
]

const accessOf = ({ security = [] }: Json): Operation["access"] =>
  security.some((each: object) => "apiKey" in each)
    ? "key"
    : security.some((each: object) => "operatorToken" in each)
      ? "operator"
      : "none"

/** Whether the answer has an end: a run would wait for ever for one that has none. */
const ends = ({ responses }: Json): boolean => responses["200"]?.content?.["text/event-stream"] === undefined

/** The names of all operations, live events included, as in `GET /operator/brands`. */
export const operationIds: ReadonlyMap<string, string> = new Map(
  Object.entries(document["paths"] as Json).flatMap(([route, item]) =>
    Object.entries(item as Json).map(([method, { operationId }]) => [
      `${method.toUpperCase()} ${route}`,
      (operationId as string).split(".").at(-1)!
    ])
  )
)

/** Every operation of the document, but live events. */
export const operations: ReadonlyArray<Operation> = Object.entries(document["paths"] as Json).flatMap(
  ([route, item]) =>
    Object.entries(item as Json)
      .filter(([, operation]) => ends(operation))
      .map(([method, operation]): Operation => ({
        id: (operation.operationId as string).split(".").at(-1)!,
        group: (operation.operationId as string).split(".").slice(0, -1).join("."),
        method: method.toUpperCase() as Method,
        route,
        access: accessOf(operation),
        success: Number(Object.keys(operation.responses).find((status) => status.startsWith("2"))),
        fields: fieldsOf(route, operation),
        hasBody: operation.requestBody !== undefined
      }))
)
