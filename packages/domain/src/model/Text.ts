/**
 * Text that every store keeps alike: well-formed Unicode without U+0000, of bounded length. A lone surrogate has no UTF-8
 * form, and many stores end a text at U+0000, so both are refused at the door, with a message, and not changed in silence.
 */
import { Schema } from "effect"

/**
 * Greatest lengths in characters (Unicode code points, as JSON Schema's `maxLength` counts them). The professional
 * network's own limit is in parentheses; ours leave room for what collectors add. They apply to input: an older stored text
 * can be longer and stays readable. `docs/decisions/0006` has the table.
 */
export const textLimits = {
  /** Ids from other systems; the URN of a reply has some 150. */
  externalId: 512,
  /** Of people (first name 20, last name 40), companies (100), and what operators name. */
  name: 256,
  /** (220) */
  headline: 512,
  /** (100) */
  title: 256,
  /** (100) */
  username: 256,
  /** (none; browsers and servers take some 2,000 to 8,000) */
  url: 4096,
  /** Words of a list: reaction, industry, place, number of employees. */
  label: 256,
  /** Of a company (2,000). */
  description: 4096,
  /** (1,250), with the markup that surrounds it when it is collected. */
  comment: 20_000,
  /** (3,000), or an article. */
  post: 100_000
} as const

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/** A code point has one or two UTF-16 units: counting them is needed in between only. */
const isWithin = (text: string, greatest: number): boolean => {
  if (text.length <= greatest) return true
  if (text.length > 2 * greatest) return false
  let characters = 0
  for (const _ of text) characters++
  return characters <= greatest
}

const wellFormed = "in well-formed Unicode without U+0000"

/** What a schema takes, in words for a message alone: a description would be the documentation's, too. */
export const takes = Symbol.for("@lead-signals/domain/takes")

/** Text of any length, for fields with bounds of their own. */
export const Text = Schema.String.pipe(Schema.filter(isStorable, { description: `text ${wellFormed}` }))

/** Text of 1 to so many characters. */
export const requiredText = (greatest: number) =>
  Schema.String.pipe(
    Schema.filter((text) => text.length > 0 && isWithin(text, greatest) && isStorable(text), {
      [takes]: `a text of 1 to ${greatest} characters, ${wellFormed}`,
      jsonSchema: { minLength: 1, maxLength: greatest }
    })
  )

/**
 * A text of at most so many characters, or null. One declaration and no union: a union of the two takes twice as long to
 * read, and observations are full of them.
 */
const declaredNullable = (greatest: number, words: string, isTaken: (text: string) => boolean) =>
  Schema.declare(
    (value: unknown): value is string | null =>
      value === null || (typeof value === "string" && isWithin(value, greatest) && isTaken(value)),
    {
      [takes]: `a text of at most ${greatest} characters, ${words}, or null`,
      jsonSchema: { anyOf: [{ type: "string" }, { type: "null" }], maxLength: greatest }
    }
  )

export const nullableText = (greatest: number) => declaredNullable(greatest, wellFormed, isStorable)

/** An optional text of at most so many characters: a missing one is null. */
export const optionalText = (greatest: number) =>
  Schema.optionalWith(nullableText(greatest), { default: () => null })

/** The same, before `CommentText.sanitise` takes control characters out. */
export const optionalMarkup = (greatest: number) =>
  Schema.optionalWith(
    declaredNullable(greatest, "in well-formed Unicode", (text) => text.isWellFormed()),
    { default: () => null }
  )
