/**
 * Schemas of text that every store keeps unchanged: well-formed Unicode without U+0000, of bounded length. A lone surrogate
 * has no UTF-8 form, and many databases end a text at U+0000, so the schemas refuse both instead of altering them.
 */
import { Schema } from "effect"

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/**
 * Whether the text has at most `maxLength` code points. A code point has one or two UTF-16 units, so most lengths are decided without
 * counting.
 */
const isWithin = (text: string, maxLength: number): boolean => {
  if (text.length <= maxLength) return true
  if (text.length > 2 * maxLength) return false
  let characters = 0
  for (const _ of text) characters++
  return characters <= maxLength
}

const wellFormed = "in well-formed Unicode without U+0000"

/**
 * The key of the annotation by which a schema says in error messages what it takes. An annotation `description` would appear
 * in the OpenAPI document, too.
 */
export const takes = Symbol.for("@lead-signals/domain/takes")

/** The schema of well-formed text of any length without U+0000, for fields with bounds of their own. */
export const Text = Schema.String.pipe(Schema.filter(isStorable, { description: `text ${wellFormed}` }))

/** The schema of text of 1 to `maxLength` characters, well-formed and without U+0000. */
export const requiredText = (maxLength: number) =>
  Schema.String.pipe(
    Schema.filter((text) => text.length > 0 && isWithin(text, maxLength) && isStorable(text), {
      [takes]: `a text of 1 to ${maxLength} characters, ${wellFormed}`,
      jsonSchema: { minLength: 1, maxLength: maxLength }
    })
  )

/**
 * Text of at most `maxLength` characters, or null. It is one declaration, because a union takes twice as long to decode and observations have
 * many such fields.
 */
const declaredNullable = (maxLength: number, taken: string, isTaken: (text: string) => boolean) =>
  Schema.declare(
    (value: unknown): value is string | null =>
      value === null || (typeof value === "string" && isWithin(value, maxLength) && isTaken(value)),
    {
      [takes]: `${taken}, or null`,
      jsonSchema: { anyOf: [{ type: "string" }, { type: "null" }], maxLength: maxLength }
    }
  )

/**
 * The schema of text of at most `maxLength` characters, or null. A missing field is refused; `optionalText` reads one
 * as null.
 */
export const nullableText = (maxLength: number) =>
  declaredNullable(maxLength, `a text of at most ${maxLength} characters, ${wellFormed}`, isStorable)

/** The schema of an optional field with text of at most `maxLength` characters; a missing field becomes null. */
export const optionalText = (maxLength: number) =>
  Schema.optionalWith(nullableText(maxLength), { default: () => null })

/** The schema of an optional field with at most `maxLength` decimal digits; a missing field becomes null. `meaning` names the id in messages. */
export const optionalDigits = (maxLength: number, meaning: string) =>
  Schema.optionalWith(
    declaredNullable(maxLength, `${meaning}: at most ${maxLength} decimal digits, as a string`, (text) =>
      /^[0-9]+$/.test(text)
    ),
    { default: () => null }
  )

/**
 * As `optionalText`, but with U+0000 allowed: for text from which `CommentText.sanitise` removes control characters later.
 */
export const optionalMarkup = (maxLength: number) =>
  Schema.optionalWith(
    declaredNullable(maxLength, `a text of at most ${maxLength} characters, in well-formed Unicode`, (text) =>
      text.isWellFormed()
    ),
    { default: () => null }
  )
