/** Every field of a scenario, as its JSON Schema describes it. */
import { JSONSchema } from "effect"
import { Scenario } from "../Scenario.ts"
import { unitKeyword } from "../ScenarioFields.ts"
import type { JsonPath } from "./JsonPositions.ts"

/** The part of JSON Schema that the schema of a scenario uses. */
export interface FieldSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly enum?: ReadonlyArray<string>
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: ReadonlyArray<string>
  readonly [unitKeyword]?: string
}

/** The JSON Schema of a scenario, draft 7, made from the schema that reads it. */
export const scenarioJsonSchema = (): FieldSchema => {
  const { $schema, ...schema } = JSONSchema.make(Scenario) as FieldSchema & { readonly $schema: string }
  return {
    $schema,
    title: "Scenario of the Lead Signals simulator",
    description: "Who takes part, what they do how often, what goes wrong, and what the runs must meet.",
    ...schema
  } as FieldSchema
}

/** The schema of the field at a path; undefined where a scenario has no such field. */
export const fieldAt = (path: JsonPath, root: FieldSchema): FieldSchema | undefined =>
  path.reduce<FieldSchema | undefined>(
    (schema, part) =>
      typeof part === "number"
        ? schema?.items
        : schema?.properties !== undefined && Object.hasOwn(schema.properties, part)
          ? schema.properties[part]
          : undefined,
    root
  )

/** What a field takes, as an error says it. */
export const takes = (schema: FieldSchema): string => {
  const { maximum, maxItems, maxLength, minimum, minItems = 0, type } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`
  switch (type) {
    case "number":
    case "integer":
      return `${type === "integer" ? "a whole number" : "a number"} from ${minimum} to ${maximum}`
    case "string":
      return `a text of 1 to ${maxLength} characters`
    case "boolean":
      return "true or false"
    case "array":
      return `a list of ${minItems} to ${maxItems} items${schema.items?.enum === undefined ? "" : `, each ${takes(schema.items)}`}`
    default:
      return "an object"
  }
}

interface ReferenceField {
  /** Like `brands[].people`. */
  readonly path: string
  readonly schema: FieldSchema
  readonly isRequired: boolean
}

/** All fields, those of an object after it. */
const referenceFields = (
  schema: FieldSchema = scenarioJsonSchema(),
  at = ""
): ReadonlyArray<ReferenceField> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${at}${name}`
    const own = { path, schema: field, isRequired: schema.required?.includes(name) ?? false }
    return [
      own,
      ...referenceFields(field, `${path}.`),
      ...(field.items === undefined ? [] : referenceFields(field.items, `${path}[].`))
    ]
  })

const defaultOf = ({ isRequired, schema }: ReferenceField): string => {
  if (isRequired) return "required"
  if (schema.default !== undefined) return JSON.stringify(schema.default)
  return schema.type === "object" ? "{}" : schema.type === "array" ? "[]" : "none"
}

/** All fields as a table in Markdown. */
export const fieldTable = (): string =>
  [
    "| field | unit | takes | default | effect |",
    "| --- | --- | --- | --- | --- |",
    ...referenceFields().map(
      (field) =>
        `| \`${field.path}\` | ${field.schema[unitKeyword] ?? "–"} | ${takes(field.schema)} | ${defaultOf(field)} | ${field.schema.description ?? ""} |`
    ),
    ""
  ].join("\n")
