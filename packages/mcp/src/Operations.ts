/** What a tool takes and answers, and how its call is made: all from the operations of the OpenAPI document. [MCP-4] */
import { type ApiCall, maxTargetBytes, openApi } from "@lead-signals/http"
import { type Tool, tools } from "./Tools.ts"

/** The document, and schemas in it, are trees of any shape. */
export type Json = Record<string, any>

/** The kinds of credential that a tool can be called with. */
export type CredentialKind = "key" | "operator"

interface Argument {
  readonly name: string
  /** Where a call has it, and by which name. */
  readonly place: "path" | "query" | "header" | "body"
  readonly wireName: string
  readonly isRequired: boolean
  readonly schema: Json
}

/** A tool with one kind of credential. */
export interface BoundTool {
  readonly tool: Tool
  readonly kind: CredentialKind
  /** The scope that the credential needs. */
  readonly scope: string | null
  readonly method: string
  /** As in the document: `/signals/leads/{id}`. */
  readonly path: string
  readonly arguments: ReadonlyArray<Argument>
  /** Whether answers hold personal data, and text that people outside wrote. */
  readonly holdsPersonalData: boolean
  /** What the API answers, as JSON Schema with `$defs`. */
  readonly answer: Json
  /** The codes of errors that the operation declares. */
  readonly errorCodes: ReadonlyArray<string>
}

const componentPrefix = "#/components/schemas/"

/** Examples are for people who read the document. */
const isLeftOut = (key: string): boolean => key === "examples" || key === "example"

/** The schema with its components in `$defs`, without examples. */
const standalone = (schema: Json, components: Json): Json => {
  const definitions: Json = {}
  const copy = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(copy)
    if (typeof part !== "object" || part === null) return part
    const entries = Object.entries(part as Json)
    return Object.fromEntries(
      entries
        // A property can have the name of a keyword, and its value is then a schema.
        .filter(([key, value]) => !(isLeftOut(key) && (Array.isArray(value) || typeof value !== "object")))
        .map(([key, value]) => [
          key,
          key === "$ref" && typeof value === "string" ? referenceTo(value) : copy(value)
        ])
    )
  }
  const referenceTo = (reference: string): string => {
    const name = reference.slice(componentPrefix.length)
    if (definitions[name] === undefined) {
      definitions[name] = {}
      definitions[name] = copy(components[name])
    }
    return `#/$defs/${name}`
  }
  const copied = copy(schema) as Json
  if (typeof copied["$ref"] !== "string") return { ...copied, $defs: definitions }
  const { [copied["$ref"].slice("#/$defs/".length)]: root, ...others } = definitions
  return { ...root, $defs: JSON.stringify(root).includes(`"${copied["$ref"]}"`) ? definitions : others }
}

const holdsMark = (part: unknown): boolean =>
  typeof part === "object" &&
  part !== null &&
  ((part as Json)["x-pii"] === true || Object.values(part).some(holdsMark))

/** `Idempotency-Key` as `idempotencyKey`. */
const argumentNameOf = (parameter: string): string =>
  parameter.includes("-")
    ? parameter
        .split("-")
        .map((word, i) => (i === 0 ? word.toLowerCase() : word))
        .join("")
    : parameter

/** A path segment's schema is its own; what an assistant is told of ids is the same everywhere. */
const forAssistants = (tool: Tool, name: string, { maximum, ...schema }: Json): Json => ({
  ...schema,
  // The largest integer that JSON keeps bounds nothing that anybody means.
  ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  ...(tool.defaults?.[name] === undefined ? {} : { default: tool.defaults[name] })
})

const argumentsOf = (operation: Json, tool: Tool, components: Json): ReadonlyArray<Argument> => {
  const parameters = ((operation["parameters"] ?? []) as ReadonlyArray<Json>).map((parameter): Argument => ({
    name: argumentNameOf(parameter["name"]),
    place: parameter["in"],
    wireName: parameter["name"],
    isRequired: parameter["required"] === true,
    schema: {
      ...forAssistants(tool, argumentNameOf(parameter["name"]), parameter["schema"]),
      description: parameter["description"]
    }
  }))
  const body = operation["requestBody"]?.content["application/json"].schema as Json | undefined
  const fields =
    body === undefined
      ? []
      : Object.entries(standalone(body, components)["properties"] as Json).map(
          ([name, schema]): Argument => ({
            name,
            place: "body",
            wireName: name,
            isRequired: ((body["required"] ?? []) as ReadonlyArray<string>).includes(name),
            schema: schema as Json
          })
        )
  return [...parameters, ...fields]
    .filter(({ name }) => tool.takes === undefined || tool.takes.includes(name))
    .filter(({ name }) => tool.sets?.[name] === undefined)
    .map((argument) => ({
      ...argument,
      isRequired: argument.isRequired || (tool.needs ?? []).includes(argument.name)
    }))
}

/** Codes that say that the call itself was malformed, which a tool's is not. */
const transportStatuses = new Set(["405", "408", "413", "415", "431"])

interface Found {
  readonly method: string
  readonly path: string
  readonly operation: Json
}

const operationOf = (document: Json, operationId: string): Found | null => {
  for (const [path, methods] of Object.entries(document["paths"] as Json)) {
    for (const [method, operation] of Object.entries(methods as Json)) {
      if ((operation as Json)["operationId"] === operationId)
        return { method: method.toUpperCase(), path, operation: operation as Json }
    }
  }
  return null
}

/** One operation of the document with the schemas that it refers to in `$defs`, without examples; null where there is none. */
export const operationDocument = (operationId: string): Json | null => {
  const document = openApi() as unknown as Json
  const found = operationOf(document, operationId)
  return found === null ? null : standalone({ ...found }, document["components"].schemas as Json)
}

/** The schema without an optional `meta`, which holds warnings alone: a tool sends no parameter that its call ignores. */
const withoutWarnings = (schema: Json): Json => {
  const { meta: _, ...properties } = schema["properties"] as Json
  return (schema["required"] as ReadonlyArray<string>).includes("meta") ? schema : { ...schema, properties }
}

const boundTool = (document: Json, tool: Tool, kind: CredentialKind, operationId: string): BoundTool => {
  const components = document["components"].schemas as Json
  // A test calls each tool: every operation that the table names is there.
  const { method, operation, path } = operationOf(document, operationId)!
  const responses = Object.entries(operation["responses"] as Json)
  const answer = responses.find(([status]) => status.startsWith("2"))![1] as Json
  const schema = withoutWarnings(standalone(answer["content"]["application/json"].schema as Json, components))
  return {
    tool,
    kind,
    scope: (operation["x-required-scope"] as string | undefined) ?? null,
    method,
    path,
    arguments: argumentsOf(operation, tool, components),
    holdsPersonalData: holdsMark(schema),
    answer: schema,
    errorCodes: responses
      .filter(([status]) => Number(status) >= 400 && !transportStatuses.has(status))
      .map(([, response]) => String((response as Json)["content"]["application/json"].example.error.code))
  }
}

let bound: ReadonlyArray<BoundTool> | null = null

/** Every tool with every kind of credential that it takes. Made at the first call; later calls answer the same. */
export const boundTools = (): ReadonlyArray<BoundTool> =>
  (bound ??= tools.flatMap((tool) => {
    const document = openApi() as unknown as Json
    return [
      ...(tool.asKey === null ? [] : [boundTool(document, tool, "key", tool.asKey)]),
      ...(tool.asOperator === null ? [] : [boundTool(document, tool, "operator", tool.asOperator)])
    ]
  }))

/** Why a call can't be made of the arguments. */
export class InvalidArgument extends Error {}

/** Longer ones are no id and no search, and would not fit into the target. */
const maxTextLength = 4096

const textOf = (name: string, value: unknown): string => {
  if (typeof value === "object")
    throw new InvalidArgument(
      `${name} takes one string, number or boolean; it is ${Array.isArray(value) ? "a list" : "an object"}.`
    )
  const text = String(value)
  if (text.length > maxTextLength)
    throw new InvalidArgument(`${name} takes at most ${maxTextLength} characters.`)
  if (!text.isWellFormed()) throw new InvalidArgument(`${name} takes well-formed Unicode.`)
  return text
}

/** `.` and `..` as segments would lead to another path. */
const segmentOf = (name: string, value: unknown): string => {
  const text = textOf(name, value)
  if (text === "" || text === "." || text === "..") throw new InvalidArgument(`${name} takes an id.`)
  return encodeURIComponent(text)
}

const headerOf = (name: string, value: unknown): string => {
  const text = textOf(name, value)
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw new InvalidArgument(`${name} takes 1 to 255 characters of printable ASCII without spaces.`)
  return text
}

/** Names that a client sends are quoted, and cut: they can be anything. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 64))

/**
 * The call that the arguments make. The API checks their values; this checks what could not be sent. An argument that is null counts
 * as left out. Throws `InvalidArgument`. [MCP-5]
 */
export const callOf = (
  { arguments: known, method, path, tool }: BoundTool,
  given: Readonly<Record<string, unknown>>
): ApiCall => {
  const values = new Map(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))
  for (const name of values.keys()) {
    if (!known.some((argument) => argument.name === name))
      throw new InvalidArgument(
        `The argument ${quoted(name)} is unknown; ${tool.name} takes ${known.map((each) => each.name).join(", ") || "none"}.`
      )
  }
  for (const { isRequired, name } of known) {
    if (isRequired && !values.has(name)) throw new InvalidArgument(`${name} is required.`)
  }
  const at = (place: Argument["place"]) =>
    known.filter((argument) => argument.place === place && values.has(argument.name))
  const segments = new Map(
    at("path").map(({ name, wireName }) => [wireName, segmentOf(name, values.get(name))])
  )
  const query = new URLSearchParams([
    ...Object.entries(tool.defaults ?? {}).flatMap(([name, value]) =>
      values.has(name) ? [] : [[name, String(value)]]
    ),
    ...at("query").map(({ name, wireName }) => [wireName, textOf(name, values.get(name))]),
    ...Object.entries(tool.sets ?? {})
  ])
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => segments.get(name)!)
  const headers = Object.fromEntries(
    at("header").map(({ name, wireName }) => [wireName.toLowerCase(), headerOf(name, values.get(name))])
  )
  const hasBody = known.some(({ place }) => place === "body")
  const target = query.size === 0 ? filled : `${filled}?${query.toString()}`
  if (target.length > maxTargetBytes) {
    const lengthOf = ({ name }: Argument): number => encodeURIComponent(String(values.get(name))).length
    const [longest] = [...at("path"), ...at("query")].toSorted((a, b) => lengthOf(b) - lengthOf(a))
    throw new InvalidArgument(
      `${longest!.name} takes less text: percent-encoded, the arguments of a call take at most 16 KiB together.`
    )
  }
  return {
    method,
    target,
    headers,
    ...(hasBody
      ? {
          body: JSON.stringify(
            Object.fromEntries(at("body").map(({ name, wireName }) => [wireName, values.get(name)]))
          )
        }
      : {})
  }
}
