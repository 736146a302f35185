/**
 * Adds descriptions and examples to the OpenAPI document that the platform makes of the schemas. Examples of bodies are made of the examples of
 * their fields. A test finds everything that is left without a description.
 */
import type { BodyDocumentation } from "../endpoints/Endpoint.ts"
import { errorExamples } from "./ErrorExamples.ts"
import { documentKey } from "./IdempotencyAnswers.ts"
import type { FieldDescription } from "./FieldDescriptions.ts"
import { liveExample } from "./LiveSchemas.ts"
import { observationDescriptions } from "./ObservationSchema.ts"

/** The descriptions of an operation that its schemas do not carry. */
export interface DocumentedRow {
  readonly documentation: BodyDocumentation<any>
  /** The descriptions of the path's parameters, by name. */
  readonly pathDescriptions: Readonly<Record<string, FieldDescription>>
  /** The scope that a token or key needs; null for a call without credentials. [OPER-10, AUTH-10] */
  readonly scope: string | null
  /** Whether a call can have an Idempotency-Key. [IDEM-1] */
  readonly takesKey: boolean
}

type DescriptionsByPath = Readonly<Record<string, FieldDescription>>

/** A part of the document, of any shape. */
type Json = Record<string, any>

/** The error codes of statuses whose schema does not name one. */
const codesOfStatus: Readonly<Record<string, string>> = {
  "405": "method_not_allowed",
  "431": "too_many_headers",
  "500": "internal_error"
}

/** Describes a field. One that is only a reference keeps it, and has the description beside it. */
const describe = (schema: Json, [description, example]: FieldDescription): void => {
  schema["description"] ??= description
  const target =
    (schema["anyOf"] as ReadonlyArray<Json> | undefined)?.find((each) => each["type"] !== "null") ?? schema
  const ref = (schema["$ref"] ?? target["$ref"]) as string | undefined
  // The examples of an object's fields make its example.
  if (example === undefined || (ref !== undefined && !ref.endsWith("/Int"))) return
  if (schema["examples"] === undefined && schema["enum"] === undefined) schema["examples"] = [example]
}

/** Describes the fields of a schema by their paths from it. */
const describeFields = (schema: Json, descriptions: DescriptionsByPath, path = ""): void => {
  for (const [name, property] of Object.entries((schema["properties"] ?? {}) as Json)) {
    const here = `${path}${name}`
    if (descriptions[here] !== undefined) describe(property as Json, descriptions[here])
    describeFields(property as Json, descriptions, `${here}.`)
  }
  for (const part of [...(schema["anyOf"] ?? []), ...(schema["allOf"] ?? [])] as Array<Json>)
    describeFields(part, descriptions, path)
}

/** Replaces `allOf` with one reference by the reference itself, so that a field can have a description of its own beside it. */
const flattenReferences = (part: unknown): void => {
  if (typeof part !== "object" || part === null) return
  const schema = part as Json
  for (const each of Object.values(schema)) flattenReferences(each)
  const only = Array.isArray(schema["allOf"]) && schema["allOf"].length === 1 ? schema["allOf"][0] : null
  if (only?.$ref === undefined) return
  delete schema["allOf"]
  schema["$ref"] = only.$ref
}

const isRequired = (schema: Json, name: string): boolean =>
  (schema["required"] as ReadonlyArray<string> | undefined)?.includes(name) === true

/** An example of the schema, made of its fields' examples. */
const exampleOf = (schema: Json, schemas: Json): unknown => {
  if (schema["examples"] !== undefined) return schema["examples"][0]
  if (schema["example"] !== undefined) return schema["example"]
  if (schema["const"] !== undefined) return schema["const"]
  if (schema["enum"] !== undefined) return schema["enum"][0]
  const ref = schema["$ref"] as string | undefined
  if (ref !== undefined) return exampleOf(schemas[ref.slice("#/components/schemas/".length)], schemas)
  const form = ((schema["anyOf"] ?? schema["allOf"]) as ReadonlyArray<Json> | undefined)?.find(
    (each) => each["type"] !== "null"
  )
  if (form !== undefined) return exampleOf(form, schemas)
  if (schema["properties"] !== undefined) {
    return Object.fromEntries(
      Object.entries(schema["properties"] as Json)
        // An optional `meta` has only warnings, and most answers have none.
        .filter(([name]) => name !== "meta" || isRequired(schema, name))
        .map(([name, property]) => [name, exampleOf(property as Json, schemas)])
    )
  }
  if (schema["items"] !== undefined) return [exampleOf(schema["items"] as Json, schemas)]
  if (schema["type"] === "boolean") return false
  return null
}

const errorExample = (schema: Json, status: string, schemas: Json): unknown => {
  const example = exampleOf(schema, schemas) as Json
  const code = codesOfStatus[status] ?? (example["error"]?.["code"] as string)
  return { error: { code, message: errorExamples[code] ?? errorExamples["not_found"] } }
}

const documentParameters = (descriptions: DescriptionsByPath, operation: Json): void => {
  for (const parameter of (operation["parameters"] ?? []) as Array<Json>) {
    const found = parameter["in"] === "path" ? descriptions[parameter["name"] as string] : undefined
    if (found === undefined) continue
    parameter["description"] ??= found[0]
    parameter["example"] ??= found[1]
  }
}

const lines = (of: ReadonlyArray<unknown>): string => of.map((each) => JSON.stringify(each)).join("\n")

const documentRequest = (request: Json, { body, fields }: BodyDocumentation<any>, schemas: Json): void => {
  request["description"] ??= body
  const json = request["content"]["application/json"] as Json
  describeFields(json["schema"], (fields ?? {}) as DescriptionsByPath)
  json["example"] ??= exampleOf(json["schema"], schemas)
  const ndjson = request["content"]["application/x-ndjson"] as Json | undefined
  if (ndjson !== undefined)
    ndjson["example"] ??= lines([exampleOf({ $ref: "#/components/schemas/Observation" }, schemas)])
}

const documentResponse = (response: Json, status: string, schemas: Json): void => {
  for (const [type, media] of Object.entries((response["content"] ?? {}) as Json)) {
    if (type === "application/x-ndjson") {
      media["example"] ??= lines([exampleOf({ $ref: "#/components/schemas/Outcome" }, schemas)])
    } else if (type === "text/event-stream") {
      media["example"] ??= liveExample(exampleOf({ $ref: "#/components/schemas/LiveEvent" }, schemas))
    } else if (type.startsWith("text/")) {
      media["example"] ??= 'lead_signals_observations_total{outcome="recorded"} 4000\n'
    } else {
      media["example"] ??= status.startsWith("2")
        ? exampleOf(media["schema"], schemas)
        : errorExample(media["schema"], status, schemas)
    }
  }
}

const documentOperation = (operation: Json, row: DocumentedRow, schemas: Json): void => {
  documentParameters(row.pathDescriptions, operation)
  if (row.scope !== null) {
    operation["x-required-scope"] = row.scope
    operation["description"] += ` Needs the scope \`${row.scope}\`.`
  }
  if (row.takesKey) documentKey(operation)
  const request = operation["requestBody"] as Json | undefined
  if (request !== undefined) documentRequest(request, row.documentation, schemas)
  for (const [status, response] of Object.entries(operation["responses"] as Json)) {
    if (status.startsWith("2")) response["description"] = row.documentation.answer
    documentResponse(response, status, schemas)
  }
}

/** Adds an example to a webhook's event; the schema of its envelope has the descriptions. */
const documentEvent = (operation: Json, schemas: Json): void => {
  const json = operation["requestBody"]["content"]["application/json"] as Json
  json["example"] ??= exampleOf(json["schema"], schemas)
}

/** A copy of the document with descriptions and examples. `rows` has those of each operation, by its id in the document. */
export const documented = (bare: Json, rows: Readonly<Record<string, DocumentedRow>>): Json => {
  // Copies the document, because fields that share a schema have descriptions of their own.
  const spec = JSON.parse(JSON.stringify(bare)) as Json
  flattenReferences(spec)
  const { schemas } = spec["components"]
  describeFields(schemas["Observation"], observationDescriptions as DescriptionsByPath)
  for (const schema of Object.values<Json>(schemas)) {
    const code = schema.properties?.error?.properties?.code
    if (code === undefined) continue
    const example = { error: { code: code.enum?.[0] ?? "not_found", message: "" } }
    example.error.message = errorExamples[example.error.code]!
    schema.properties.error.properties.message.examples ??= [example.error.message]
  }
  for (const item of Object.values<Json>(spec["paths"])) {
    for (const operation of Object.values<Json>(item))
      documentOperation(operation, rows[operation["operationId"] as string]!, schemas)
  }
  for (const item of Object.values<Json>(spec["webhooks"])) {
    for (const operation of Object.values<Json>(item)) documentEvent(operation, schemas)
  }
  for (const schema of Object.values(schemas as Json)) {
    if (schema.properties !== undefined) schema.examples ??= [exampleOf(schema, schemas)]
  }
  return spec
}
