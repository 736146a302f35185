/** The field types that the contract is made of; those that hold personal data are marked `x-pii` in the schema. [PII-1] */
import { Schema } from "effect"

interface Described {
  readonly description?: string
  readonly example?: unknown
}

const json = (type: string | ReadonlyArray<string>, more: object, { description, example }: Described) => ({
  jsonSchema: {
    type,
    ...more,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] })
  }
})

const pii = { "x-pii": true }

export const text = (described: Described = {}) => Schema.String.annotations(json("string", {}, described))
export const textOrNull = (described: Described = {}) =>
  Schema.NullOr(Schema.String).annotations(json(["string", "null"], {}, described))
export const piiText = (described: Described = {}) =>
  Schema.String.annotations(json("string", pii, described))
export const piiTextOrNull = (described: Described = {}) =>
  Schema.NullOr(Schema.String).annotations(json(["string", "null"], pii, described))

export const integer = (described: Described = {}) =>
  Schema.Number.annotations(json("integer", {}, described))
export const piiInteger = (described: Described = {}) =>
  Schema.Number.annotations(json("integer", pii, described))
export const numberOrNull = (described: Described = {}) =>
  Schema.NullOr(Schema.Number).annotations(json(["number", "null"], {}, described))
export const piiNumberOrNull = (described: Described = {}) =>
  Schema.NullOr(Schema.Number).annotations(json(["number", "null"], pii, described))
export const flag = (described: Described = {}) => Schema.Boolean.annotations(json("boolean", {}, described))

const aTime = { description: "ISO 8601, UTC, with milliseconds", example: "2026-01-05T10:00:00.000Z" }
const timePattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$"
export const time = Schema.String.annotations(
  json("string", { format: "date-time", pattern: timePattern }, aTime)
)
export const timeOrNull = Schema.NullOr(Schema.String).annotations(
  json(["string", "null"], { format: "date-time", pattern: timePattern }, aTime)
)

export const id = text({ description: "Decimal digits", example: "7" })

/** One of the values, or null. */
export const oneOfOrNull = (values: ReadonlyArray<string>, described: Described = {}) =>
  Schema.NullOr(Schema.String).annotations(json(["string", "null"], { enum: [...values, null] }, described))

/**
 * A query parameter as the contract sees it: any text, once or more often, is handed to the domain's own rules, whose
 * refusals say more than a schema's. The JSON schema says what those rules take.
 */
export const parameter = (jsonSchema: object, description: string) =>
  Schema.optional(
    Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
      jsonSchema: { ...jsonSchema, description }
    })
  )
