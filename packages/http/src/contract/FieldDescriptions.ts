/**
 * Descriptions of the fields of request bodies and observations, for the OpenAPI document. The schemas of these are the domain's, which
 * describe fields for error messages; so the document's descriptions stand beside the endpoint that takes the body.
 */
import { Option, Schema, SchemaAST } from "effect"
import type { PathsOf } from "./PathsOf.ts"

/** The description of a field, and an example of its value. */
export type FieldDescription = readonly [description: string, example?: unknown]

/** The descriptions of an object's fields, by their paths with dots. */
export type FieldDescriptions<A> = { readonly [Path in PathsOf<A>]?: FieldDescription }

interface OfJsonSchema {
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
}

type SameAs<Path extends string, Fields> = {
  readonly [Name in keyof Fields & string as Path extends "" ? Name : `${Path}.${Name}`]?: FieldDescription
}

/** The descriptions of documented fields, for fields of the same meaning under another path; `""` is the body itself. */
export const sameAs = <const Path extends string, Fields extends Schema.Struct.Fields>(
  path: Path,
  fields: Fields
): SameAs<Path, Fields> => {
  const found: Record<string, FieldDescription> = {}
  for (const [name, field] of Object.entries(fields)) {
    const description = Schema.isSchema(field) ? descriptionOf(field.ast) : null
    if (description !== null) found[path === "" ? name : `${path}.${name}`] = description
  }
  return found as SameAs<Path, Fields>
}

const descriptionOf = (ast: SchemaAST.AST): FieldDescription | null => {
  const annotation = Option.getOrNull(SchemaAST.getJSONSchemaAnnotation(ast)) as OfJsonSchema | null
  if (annotation?.description === undefined) return null
  return annotation.examples === undefined
    ? [annotation.description]
    : [annotation.description, annotation.examples[0]]
}
