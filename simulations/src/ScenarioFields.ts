/** Fields of a scenario: each with its unit, bounds, default and effect, which the JSON Schema and docs/simulator.md show. */
import { Schema } from "effect"

interface NumberField {
  /** What the field does, in a sentence. */
  readonly about: string
  readonly unit: string
  /** Bounds, both included. */
  readonly from: number
  readonly to: number
  readonly isWhole?: boolean
  readonly otherwise?: number
}

/** JSON Schema knows no unit: it stands beside the keywords, where validators ignore it. */
export const unitKeyword = "x-unit"

/** A number within bounds, both included. `otherwise` is its default; without one the field is required. */
export const number = ({ about, from, isWhole = false, otherwise, to, unit }: NumberField) =>
  Schema.Number.pipe(
    Schema.filter((value) => value >= from && value <= to && (!isWhole || Number.isInteger(value)), {
      jsonSchema: {
        type: isWhole ? "integer" : "number",
        description: about,
        minimum: from,
        maximum: to,
        ...(otherwise === undefined ? {} : { default: otherwise }),
        [unitKeyword]: unit
      }
    })
  )

/** A number that may be left out. */
export const optionalNumber = (field: NumberField & { readonly otherwise: number }) =>
  Schema.optionalWith(number(field), { default: () => field.otherwise })

/** A text of 1 to `maxLength` characters. */
export const text = (about: string, maxLength: number) =>
  Schema.String.pipe(
    Schema.filter((value) => value !== "" && value.length <= maxLength, {
      jsonSchema: { type: "string", description: about, minLength: 1, maxLength }
    })
  )

/** A list of at least `from` and at most `to` items. */
export const list = <A, I>(
  item: Schema.Schema<A, I>,
  about: string,
  { from = 0, to }: { readonly from?: number; readonly to: number }
) =>
  Schema.Array(item).pipe(
    Schema.filter((items) => items.length >= from && items.length <= to, {
      description: about,
      jsonSchema: { minItems: from, maxItems: to }
    })
  )
