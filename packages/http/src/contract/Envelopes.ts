/** How answers carry what they are about. */
import { Schema } from "effect"
import { field, integer, optionalField } from "./Fields.ts"

const ofData = "The requested data"

/** The field of warnings, absent when there are none; each is a sentence that names a parameter. */
export const warnings = (description: string) =>
  optionalField(Schema.Array(Schema.String), description, [
    'The parameter "pagesize" is unknown and was ignored. Did you mean "pageSize"?'
  ])

/** The `meta` of an answer without pages: present only with warnings. [LIST-10] */
export const warningsMeta = optionalField(
  Schema.Struct({ warnings: warnings("Unknown parameters, which were ignored") }),
  "Metadata of the response"
)

/** An answer with one thing. */
export const data = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({ data: field(schema, ofData), meta: warningsMeta })

/** An answer with an array: a list that has no pages. */
export const list = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({ data: field(Schema.Array(schema), ofData), meta: warningsMeta })

/** Declares that the answer has status 201. */
export const created = { status: 201 }
/** Declares that the answer has status 202: something was queued. */
export const accepted = { status: 202 }

/** The field `meta` of an answer that always has it; see `warningsMeta` for one that may lack it. */
export const meta = <S extends Schema.Schema.All>(schema: S) => field(schema, "Metadata of the response")

/** The place of a page; `total` says what is counted. */
export const pagination = (total: string) =>
  field(
    Schema.Struct({
      page: integer("Number of this page, from 1", 1),
      pageSize: integer("The size applied, after the cap", 25),
      pageCount: integer("How many pages there are; 0 when nothing matches", 4),
      total: integer(total, 87)
    }),
    "Position of the page among all pages"
  )
