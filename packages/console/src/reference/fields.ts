/** The fields of a schema as lines of a table: each with its path, its type in words, and what it means. */
import type { Reference, Schema } from "./openApi.ts"

/** One row of the table of a body or answer. */
export interface Field {
  /** From the schema: `data[].name`. */
  readonly path: string
  readonly depth: number
  readonly type: string
  readonly isRequired: boolean
  readonly isPersonal: boolean
  readonly description: string
  readonly example: unknown
}

type Schemas = Reference["schemas"]

const maxDepth = 8
const prefix = "#/components/schemas/"

interface Resolved {
  readonly schema: Schema
  readonly names: ReadonlyArray<string>
  readonly isNullable: boolean
}

/** Follows references, and takes the form of a nullable schema that is not null. */
const resolved = (schema: Schema, schemas: Schemas, names: ReadonlyArray<string> = []): Resolved => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(prefix.length)
    const { $ref: _, ...beside } = schema
    const target = schemas[name] ?? {}
    return resolved({ ...target, ...beside }, schemas, [...names, name])
  }
  const forms = schema.anyOf ?? (schema.allOf?.length === 1 ? schema.allOf : undefined)
  const form = forms?.find(({ type }) => type !== "null")
  if (forms !== undefined && form !== undefined) {
    const { allOf: _, anyOf: __, ...beside } = schema
    const inner = resolved({ ...form, ...beside }, schemas, names)
    return { ...inner, isNullable: inner.isNullable || forms.some(({ type }) => type === "null") }
  }
  const isNullable = Array.isArray(schema.type) && schema.type.includes("null")
  return { schema, names, isNullable }
}

const bounds = ({ maximum, maxItems, maxLength, minimum }: Schema): ReadonlyArray<string> => [
  ...(minimum === undefined ? [] : [`from ${minimum}`]),
  ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`to ${maximum}`]),
  ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ...(maxItems === undefined ? [] : [`at most ${maxItems} items`])
]

const plainType = (schema: Schema, schemas: Schemas): string => {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (values !== undefined) {
    const texts = values.filter((value) => value !== null).map((value) => JSON.stringify(value))
    return texts.length === 1 ? texts[0]! : `one of ${texts.join(", ")}`
  }
  if (schema.items !== undefined) return `array of ${typeText(schema.items, schemas)}`
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type
  return `${String(type ?? "any value")}${schema.format === undefined ? "" : ` (${schema.format})`}`
}

/** The type in words. */
export const typeText = (given: Schema, schemas: Schemas): string => {
  const { isNullable, schema } = resolved(given, schemas)
  return [`${plainType(schema, schemas)}${isNullable ? ", or null" : ""}`, ...bounds(schema)].join(", ")
}

/**
 * In the order of the document, each object followed by its own fields, at most eight levels deep; a schema that holds itself is entered once. A
 * schema without properties has no fields.
 */
export const fieldsOf = (given: Schema, schemas: Schemas): ReadonlyArray<Field> => {
  const walk = (
    outer: Schema,
    path: string,
    depth: number,
    above: ReadonlyArray<string>
  ): ReadonlyArray<Field> => {
    const { names, schema } = resolved(outer, schemas)
    // A schema can hold itself.
    if (depth > maxDepth || names.some((name) => above.includes(name))) return []
    const known = [...above, ...names]
    if (schema.items !== undefined) return walk(schema.items, `${path}[]`, depth, known)
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const here = path === "" ? name : `${path}.${name}`
      const inner = resolved(property, schemas).schema
      const field: Field = {
        path: here,
        depth,
        type: typeText(property, schemas),
        isRequired: schema.required?.includes(name) === true,
        isPersonal: inner["x-pii"] === true,
        description: property.description ?? inner.description ?? "",
        example: inner.examples?.[0]
      }
      return [field, ...walk(property, here, depth + 1, known)]
    })
  }
  return walk(given, "", 0, [])
}
