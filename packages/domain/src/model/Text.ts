/**
 * Text that every store keeps alike: well-formed Unicode without U+0000. A lone surrogate has no UTF-8 form, and many
 * stores end a text at U+0000, so both are refused at the door, with a message, and not changed in silence.
 */
import { Schema } from "effect"

const storable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

export const Text = Schema.String.pipe(
  Schema.filter(storable, { description: "text in well-formed Unicode without U+0000" })
)

/** Text of at least one character. */
export const RequiredText = Schema.String.pipe(
  Schema.filter((text) => text.length > 0 && storable(text), {
    description: "a text of at least one character, in well-formed Unicode without U+0000"
  })
)

/** An optional text of an observed record: a missing one is null. */
export const OptionalText = Schema.optionalWith(Schema.NullOr(Text), { default: () => null })
