/**
 * What the fields of request bodies and of observations mean, for the document. Their schemas are the domain's, whose own
 * descriptions are what its refusals say, so the words stand beside the endpoint that takes them.
 */
import { Option, Schema, SchemaAST } from "effect"
import type { PathsOf } from "./PathsOf.ts"

/** What a field means, and an example of it. */
export type Words = readonly [description: string, example?: unknown]

/** By the field's path, with dots. */
export type FieldWords<A> = { readonly [Path in PathsOf<A>]?: Words }

interface OfJsonSchema {
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
}

type SameAs<Path extends string, Fields> = {
  readonly [Name in keyof Fields & string as Path extends "" ? Name : `${Path}.${Name}`]?: Words
}

/** The words of documented fields, for fields of the same meaning under another path; "" is the body itself. */
export const sameAs = <const Path extends string, Fields extends Schema.Struct.Fields>(
  path: Path,
  fields: Fields
): SameAs<Path, Fields> => {
  const found: Record<string, Words> = {}
  for (const [name, field] of Object.entries(fields)) {
    const words = Schema.isSchema(field) ? wordsOf(field.ast) : null
    if (words !== null) found[path === "" ? name : `${path}.${name}`] = words
  }
  return found as SameAs<Path, Fields>
}

const wordsOf = (ast: SchemaAST.AST): Words | null => {
  const annotation = Option.getOrNull(SchemaAST.getJSONSchemaAnnotation(ast)) as OfJsonSchema | null
  if (annotation?.description === undefined) return null
  return annotation.examples === undefined
    ? [annotation.description]
    : [annotation.description, annotation.examples[0]]
}
