/**
 * Compatibility baselines of the OpenAPI document: what a client depends on, without wording, one line for each operation and
 * each schema. One is kept for each released minor version under docs/openapi. [VER-1]
 */

/** Keys that no client depends on, wherever they are keywords; fields may have these names. */
const wordingKeys = new Set([
  "description",
  "summary",
  "x-pii",
  "examples",
  "example",
  "info",
  "tags",
  "title",
  "$id"
])

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))

const schemaPrefix = "#/components/schemas/"

/** A schema without wording; one that only refers to a component is `#Name`. */
const schemaOf = (part) => {
  if (Array.isArray(part)) return part.map(schemaOf)
  if (!isObject(part)) return part
  const kept = Object.entries(part).filter(([key]) => !wordingKeys.has(key))
  const reference = kept.length === 1 && kept[0][0] === "$ref" ? kept[0][1] : null
  if (reference?.startsWith(schemaPrefix)) return `#${reference.slice(schemaPrefix.length)}`
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === "properties" ? mapValues(value, schemaOf) : schemaOf(value)])
  )
}

const contentOf = (content) => mapValues(content ?? {}, ({ schema }) => schemaOf(schema))

const responseOf = ({ content, headers, ...rest }) => ({
  ...schemaOf(rest),
  ...(content === undefined ? {} : { content: contentOf(content) }),
  ...(headers === undefined ? {} : { headers: Object.keys(headers).sort() })
})

const operationOf = ({ requestBody, responses, ...rest }) => ({
  ...schemaOf(rest),
  ...(requestBody === undefined
    ? {}
    : { requestBody: { ...schemaOf(requestBody), content: contentOf(requestBody.content) } }),
  responses: mapValues(responses, responseOf)
})

/** The schema of each response header; a header has one schema, whichever response it is in. */
const headersOf = (paths) => {
  const found = {}
  for (const item of Object.values(paths)) {
    for (const { responses } of Object.values(item)) {
      for (const { headers = {} } of Object.values(responses)) {
        for (const [name, { schema }] of Object.entries(headers)) {
          found[name] ??= schemaOf(schema)
          if (JSON.stringify(found[name]) !== JSON.stringify(schemaOf(schema))) {
            throw new Error(`The response header ${name} has two schemas.`)
          }
        }
      }
    }
  }
  return found
}

/** The baseline of an OpenAPI document. Webhooks are in it by their envelopes alone. */
export const baselineOf = (document) => {
  const { components, paths } = JSON.parse(JSON.stringify(document))
  const { schemas, ...others } = components
  return {
    operations: Object.fromEntries(
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => [
          `${method.toUpperCase()} ${path}`,
          operationOf(operation)
        ])
      )
    ),
    headers: headersOf(paths),
    schemas: mapValues(schemas, schemaOf),
    components: schemaOf(others)
  }
}

/** JSON with one line for each operation, header and schema. */
export const format = (baseline) => {
  const sections = Object.entries(baseline).map(([section, entries]) => {
    const lines = Object.entries(entries).map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`
    )
    return `${JSON.stringify(section)}:{\n${lines.join(",\n")}\n}`
  })
  return `{\n${sections.join(",\n")}\n}\n`
}

/** `1.4` of `1.4.0`: a patch does not change what a client depends on. */
export const minorOf = (version) => version.split(".").slice(0, 2).join(".")

const isReference = (schema) => typeof schema === "string" && schema.startsWith("#")

/** What `after` no longer has, or has otherwise, as paths. It may have more. */
const losses = (before, after, at) => {
  if (typeof before !== "object" || before === null) return before === after ? [] : [`${at} changed`]
  if (!Array.isArray(before) && isReference(after)) return losses(before, { $ref: after }, at)
  if (typeof after !== "object" || after === null) return [`${at} is gone`]
  if (Array.isArray(before)) {
    // One of the schemas of an `anyOf` may gain something, as any other may.
    const isKept = (value) => after.some((each) => losses(value, each, at).length === 0)
    return before.filter((value) => !isKept(value)).map((value) => `${at} lost ${JSON.stringify(value)}`)
  }
  return Object.keys(before).flatMap((key) =>
    key in after ? losses(before[key], after[key], `${at}/${key}`) : [`${at}/${key} is gone`]
  )
}

/** The schema itself, without the `null` that it may also be. */
const resolved = (schema, schemas) => {
  if (isReference(schema)) return resolved(schemas[schema.slice(1)], schemas)
  const forms = (schema?.anyOf ?? schema?.allOf)?.filter((form) => form.type !== "null")
  return forms?.length === 1 ? resolved(forms[0], schemas) : schema
}

/** The fields that a request needs by `after` and not by `before`, where both say which fields there are. */
const newFields = (before, after, path = "") => {
  const [old, now] = [resolved(before.schema, before.schemas), resolved(after.schema, after.schemas)]
  const inner = (schemaOld, schemaNow, at) =>
    newFields({ ...before, schema: schemaOld }, { ...after, schema: schemaNow }, at)
  if (old?.items !== undefined && now?.items !== undefined) return inner(old.items, now.items, `${path}[]`)
  if (now?.properties === undefined) return []
  // A body where there was none demands whatever it requires; a field whose form was open had its rules before.
  if (old?.properties === undefined && path !== "") return []
  const place = path === "" ? "" : `${path}.`
  return [
    ...(now.required ?? []).filter((name) => !old?.required?.includes(name)).map((name) => `${place}${name}`),
    ...Object.keys(now.properties)
      .filter((name) => name in (old?.properties ?? {}))
      .flatMap((name) => inner(old.properties[name], now.properties[name], `${place}${name}`))
  ]
}

const requiredParameters = ({ parameters = [] }) =>
  parameters.filter(({ required }) => required).map(({ name }) => name)

const bodyOf = ({ requestBody }, { schemas }) => ({
  schema: requestBody?.content["application/json"],
  schemas
})

/** What an operation of both needs now and did not need before. */
const demands = (before, after) =>
  Object.entries(after.operations).flatMap(([name, operation]) => {
    const old = before.operations[name]
    if (old === undefined) return []
    return [
      ...requiredParameters(operation).filter((each) => !requiredParameters(old).includes(each)),
      ...newFields(bodyOf(old, before), bodyOf(operation, after))
    ].map((each) => `${name} now needs ${each}`)
  })

/** Why clients of `before` could break on `after`, both baselines; empty when they can't. */
export const incompatibilities = (before, after) => [...losses(before, after, ""), ...demands(before, after)]
