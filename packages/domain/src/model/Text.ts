/**
 * Text that every store keeps alike: well-formed Unicode without U+0000. A lone surrogate has no UTF-8 form, and many
 * stores end a text at U+0000, so both are refused at the door, with a message, and not changed in silence.
 */
import { Schema } from "effect"

const storable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const textDescription = "text in well-formed Unicode without U+0000"

export const Text = Schema.String.pipe(Schema.filter(storable, { description: textDescription }))

/** Text of at least one character. */
export const RequiredText = Schema.String.pipe(
  Schema.filter((text) => text.length > 0 && storable(text), {
    description: "a text of at least one character, in well-formed Unicode without U+0000"
  })
)

/** Some dozens of times what networks take: what is made of a text takes time and memory, and many are made at once. */
export const greatestObservedLength = 100_000

/** The same of what was observed. */
export const RequiredObservedText = RequiredText.pipe(
  Schema.filter((text) => text.length <= greatestObservedLength, {
    description: `a text of 1 to ${greatestObservedLength} UTF-16 units, in well-formed Unicode without U+0000`
  })
)

/** What a schema takes, in words for a message alone: a description would be the documentation's, too. */
export const takes = Symbol.for("@lead-signals/domain/takes")

/** The same or null, in one piece: a union of the two takes twice as long to read, and observations are full of them. */
const NullableText = Schema.declare(
  (value: unknown): value is string | null =>
    value === null ||
    (typeof value === "string" && value.length <= greatestObservedLength && storable(value)),
  {
    [takes]: `${textDescription}, of at most ${greatestObservedLength} UTF-16 units, or null`,
    jsonSchema: { anyOf: [{ type: "string" }, { type: "null" }] }
  }
)

/** An optional text of an observed record: a missing one is null. */
export const OptionalText = Schema.optionalWith(NullableText, { default: () => null })
