/**
 * Finds the fields of a value that its schema does not name. A decoder that is not strict drops them; this module reports them to callers who
 * want to know. [OBS-11]
 */
import { type Schema, SchemaAST } from "effect"

/** The fields that an object's schema names, each with the fields of the object in it; null for a field that is no object. */
interface Fields {
  readonly get: (name: string) => Fields | null | undefined
  readonly keys: () => Iterable<string>
}

/** The bounds of a report, because the sender of the value chose the names. */
const maxNames = 20
const maxNameLength = 200

const fieldsOf = (ast: SchemaAST.AST): Fields | null => {
  switch (ast._tag) {
    case "TypeLiteral":
      return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), fieldsOf(type)]))
    case "Union":
      return ast.types.map(fieldsOf).find((fields) => fields !== null) ?? null
    case "Refinement":
    case "Transformation":
      return fieldsOf(ast.from)
    default:
      return null
  }
}

const pathsIn = (fields: Fields, at: string): ReadonlyArray<string> =>
  [...fields.keys()].flatMap((name) => {
    const inner = fields.get(name)
    return [`${at}${name}`, ...(inner == null ? [] : pathsIn(inner, `${at}${name}.`))]
  })

/** The paths of all fields that a schema names, those of objects in objects, too. */
export const knownPaths = <A, I>(schema: Schema.Schema<A, I>): ReadonlyArray<string> => {
  const root = fieldsOf(schema.ast)
  return root === null ? [] : pathsIn(root, "")
}

/** A field that the schema does not name. */
export interface UnknownField {
  /** Its path, such as `person.headlin`, cut to 200 characters. */
  readonly path: string
  /** Its name in its object. */
  readonly name: string
  /** The path of its object; empty for the value itself. */
  readonly parent: string
  /** The names that its object takes. */
  readonly accepted: ReadonlyArray<string>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const shortened = (path: string): string =>
  Array.from(path.slice(0, 2 * maxNameLength))
    .slice(0, maxNameLength)
    .join("")
    .toWellFormed()

/**
 * Makes a function that finds the unknown fields of a value before it is decoded: the first 20, in the order of the value's keys. It looks into
 * objects within objects, and not into arrays. A value that is no object has none. [OBS-11]
 */
export const unknownFieldsOf = <A, I>(
  schema: Schema.Schema<A, I>
): ((value: unknown) => ReadonlyArray<UnknownField>) => {
  const root = fieldsOf(schema.ast)
  const collect = (
    fields: Fields,
    value: Readonly<Record<string, unknown>>,
    at: string,
    found: Array<UnknownField>
  ): void => {
    for (const name of Object.keys(value)) {
      const inner = fields.get(name)
      if (inner === undefined) {
        if (found.length === maxNames) return
        found.push({
          path: shortened(`${at}${name}`),
          name,
          parent: at.slice(0, -1),
          accepted: [...fields.keys()]
        })
      } else if (inner !== null) {
        const part = value[name]
        if (isObject(part)) collect(inner, part, `${at}${name}.`, found)
      }
    }
  }
  return (value) => {
    const found: Array<UnknownField> = []
    if (root !== null && isObject(value)) collect(root, value, "", found)
    return found
  }
}
