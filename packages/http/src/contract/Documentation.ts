/**
 * Puts the words where they belong in the OpenAPI document, and makes examples of those of the fields. A test finds whatever is
 * left undescribed.
 */
import type { Documentation } from "../endpoints/Endpoint.ts"
import {
  components,
  type Field,
  fields,
  headers,
  idParameters,
  messages,
  ownFields,
  parameters
} from "./Wording.ts"

// The document is a tree of any shape.
type Json = Record<string, any>

const codesOfStatus: Readonly<Record<string, string>> = {
  "405": "method_not_allowed",
  "431": "too_many_headers",
  "500": "internal_error"
}

/** A field that is only a reference keeps it; what is said of it stands beside. */
const describe = (schema: Json, [description, example]: Field): void => {
  schema["description"] ??= description
  const target =
    (schema["anyOf"] as ReadonlyArray<Json> | undefined)?.find((each) => each["type"] !== "null") ?? schema
  const ref = (schema["$ref"] ?? target["$ref"]) as string | undefined
  // What has fields has their examples.
  if (example === undefined || (ref !== undefined && !ref.endsWith("/Int"))) return
  if (schema["examples"] === undefined && schema["enum"] === undefined) schema["examples"] = [example]
}

const walk = (schema: Json, place: string): void => {
  for (const [name, property] of Object.entries((schema["properties"] ?? {}) as Json)) {
    const here = `${place}.${name}`
    const found = ownFields[here] ?? fields[name]
    if (found !== undefined) describe(property as Json, found)
    walk(property as Json, here)
  }
  for (const part of [...(schema["anyOf"] ?? []), ...(schema["allOf"] ?? [])] as Array<Json>)
    walk(part, place)
  if (schema["items"] !== undefined) walk(schema["items"] as Json, place)
}

/** A value that the schema takes, made of its fields' examples. */
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
      Object.entries(schema["properties"] as Json).map(([name, property]) => [
        name,
        exampleOf(property as Json, schemas)
      ])
    )
  }
  if (schema["items"] !== undefined) return [exampleOf(schema["items"] as Json, schemas)]
  if (schema["type"] === "boolean") return false
  return null
}

const errorExample = (schema: Json, status: string, schemas: Json): unknown => {
  const example = exampleOf(schema, schemas) as Json
  const code = codesOfStatus[status] ?? (example["error"]?.["code"] as string)
  return { error: { code, message: messages[code] ?? messages["not_found"] } }
}

const documentParameters = (path: string, operation: Json): void => {
  for (const parameter of (operation["parameters"] ?? []) as Array<Json>) {
    const name = parameter["name"] as string
    const found = name === "id" ? idParameters.find(([pattern]) => pattern.test(path))?.[1] : parameters[name]
    if (found === undefined) continue
    parameter["description"] ??= found[0]
    const { schema } = parameter
    // A page that tries calls out would fill every filter in, and find nothing.
    if (parameter["in"] === "query" && parameter["required"] !== true) continue
    if (
      found[1] !== undefined &&
      schema.examples === undefined &&
      schema.enum === undefined &&
      parameter["example"] === undefined
    ) {
      parameter["example"] = schema.type === "string" ? String(found[1]) : found[1]
    }
  }
}

const lines = (of: ReadonlyArray<unknown>): string => of.map((each) => JSON.stringify(each)).join("\n")

const documentOperation = (
  path: string,
  operation: Json,
  documentation: Documentation | undefined,
  schemas: Json
): void => {
  documentParameters(path, operation)
  const request = operation["requestBody"] as Json | undefined
  if (request !== undefined) {
    if (documentation?.body !== undefined) request["description"] ??= documentation.body
    const json = request["content"]["application/json"] as Json | undefined
    if (json !== undefined) {
      walk(json["schema"], operation["operationId"] as string)
      json["example"] ??= exampleOf(json["schema"], schemas)
    }
    const ndjson = request["content"]["application/x-ndjson"] as Json | undefined
    if (ndjson !== undefined)
      ndjson["example"] ??= lines([exampleOf({ $ref: "#/components/schemas/Observation" }, schemas)])
  }
  for (const [status, response] of Object.entries((operation["responses"] ?? {}) as Json)) {
    if (documentation !== undefined && status.startsWith("2")) response["description"] = documentation.answer
    for (const [name, header] of Object.entries((response["headers"] ?? {}) as Json))
      header["example"] ??= headers[name]
    for (const [type, media] of Object.entries((response["content"] ?? {}) as Json)) {
      if (type === "application/x-ndjson") {
        media["example"] ??= lines([exampleOf({ $ref: "#/components/schemas/Outcome" }, schemas)])
      } else if (type.startsWith("text/")) {
        media["example"] ??= 'lead_signals_observations_total{outcome="recorded"} 4000\n'
      } else {
        if (status.startsWith("2")) walk(media["schema"], operation["operationId"] as string)
        media["example"] ??= status.startsWith("2")
          ? exampleOf(media["schema"], schemas)
          : errorExample(media["schema"], status, schemas)
      }
    }
  }
}

/** The same document, with all that there is to say. */
export const documented = (bare: Json, documentation: Readonly<Record<string, Documentation>>): Json => {
  // Fields may share a schema; their words they don't.
  const spec = JSON.parse(JSON.stringify(bare)) as Json
  const { schemas } = spec["components"]
  for (const [name, schema] of Object.entries(schemas as Json)) {
    if (components[name] !== undefined) schema.description ??= components[name]
    walk(schema, name)
  }
  for (const [name, schema] of Object.entries(schemas as Json)) {
    const code = schema.properties?.error?.properties?.code
    if (code === undefined) continue
    const example = { error: { code: code.enum?.[0] ?? "not_found", message: "" } }
    example.error.message = messages[example.error.code]!
    schema.properties.error.properties.message.examples ??= [example.error.message]
    if (name === "Error") code.examples ??= ["method_not_allowed"]
  }
  const all = { ...spec["paths"], ...spec["webhooks"] } as Json
  for (const [path, item] of Object.entries(all)) {
    for (const operation of Object.values(item as Json))
      documentOperation(path, operation as Json, documentation[operation.operationId as string], schemas)
  }
  for (const schema of Object.values(schemas as Json)) {
    if (schema.properties !== undefined) schema.examples ??= [exampleOf(schema, schemas)]
  }
  return spec
}
