/**
 * The field types that documented schemas are made of, each with what it means and, where its values are not enumerated, an
 * example. Those that hold personal data are marked `x-pii` in the document. [PII-1]
 */
import { Schema } from "effect"

const json = (type: string | ReadonlyArray<string>, more: object, description: string, example: unknown) => ({
  jsonSchema: { type, ...more, description, ...(example === undefined ? {} : { examples: [example] }) }
})

const pii = { "x-pii": true }

/** A text that is no personal data. */
export const text = (description: string, example?: string) =>
  Schema.String.annotations(json("string", {}, description, example))
/** A text that is no personal data, or null. */
export const textOrNull = (description: string, example?: string) =>
  Schema.NullOr(Schema.String).annotations(json(["string", "null"], {}, description, example))
/** A text that is personal data: marked `x-pii`. [PII-1] */
export const piiText = (description: string, example?: string) =>
  Schema.String.annotations(json("string", pii, description, example))
/** A text that is personal data, or null. */
export const piiTextOrNull = (description: string, example?: string) =>
  Schema.NullOr(Schema.String).annotations(json(["string", "null"], pii, description, example))

/** A whole number. The document says so; the schema itself decodes any number. */
export const integer = (description: string, example?: number) =>
  Schema.Number.annotations(json("integer", {}, description, example))
/** A whole number that is personal data. */
export const piiInteger = (description: string, example?: number) =>
  Schema.Number.annotations(json("integer", pii, description, example))
/** Any number, or null. */
export const numberOrNull = (description: string, example?: number) =>
  Schema.NullOr(Schema.Number).annotations(json(["number", "null"], {}, description, example))
/** Any number that is personal data, or null. */
export const piiNumberOrNull = (description: string, example?: number) =>
  Schema.NullOr(Schema.Number).annotations(json(["number", "null"], pii, description, example))
/** True or false, never null. */
export const flag = (description: string, example?: boolean) =>
  Schema.Boolean.annotations(json("boolean", {}, description, example))

const timeDescription = "ISO 8601, UTC, with milliseconds"
const timeExample = "2026-01-05T10:00:00.000Z"
const timeForm = {
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$"
}
/** An instant in the one form that the API renders. The document describes the form; `meantTimeOrNull` describes what a time means. */
export const time = Schema.String.annotations(json("string", timeForm, timeDescription, timeExample))
/** An instant as `time` has it, or null. */
export const timeOrNull = Schema.NullOr(Schema.String).annotations(
  json(["string", "null"], timeForm, timeDescription, timeExample)
)
/** A time that the schema describes by its meaning, and not by its form. */
export const meantTimeOrNull = (description: string) =>
  Schema.NullOr(Schema.String).annotations(
    json(["string", "null"], { format: "date-time" }, description, timeExample)
  )

/** An id of the service, which clients treat as text. Ids of leads are `integer`. */
export const id = text("Decimal digits", "7")

/** One of the values. */
export const oneOf = <const Value extends string>(values: ReadonlyArray<Value>, description: string) =>
  Schema.Literal(...values).annotations({ jsonSchema: { description } })

/** One of the values, or null. Clients are to bear with further values: it decodes any text. */
export const oneOfOrNull = <Value extends string>(values: ReadonlyArray<Value>, description: string) =>
  Schema.NullOr(Schema.String).annotations(
    json(["string", "null"], { enum: [...values, null] }, description, undefined)
  ) as unknown as Schema.Schema<Value | null>

/** A field whose schema is described for itself, or is made of fields: what it means here. */
export const field = <S extends Schema.Schema.All>(schema: S, description: string, example?: unknown) =>
  Schema.propertySignature(schema).annotations({
    description,
    ...(example === undefined ? {} : { examples: [example] as never })
  })

/** The same of a field that may be absent. */
export const optionalField = <S extends Schema.Schema.All>(
  schema: S,
  description: string,
  example?: unknown
) =>
  Schema.optional(schema).annotations({
    description,
    ...(example === undefined ? {} : { examples: [example] as never })
  })

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
