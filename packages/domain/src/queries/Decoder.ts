/**
 * Decodes a value from outside by its schema. A refusal names the path of the first field that does not fit and what the
 * field takes; it never holds the value that was sent, which may be personal. [ERR-3, OPER-4, OBS-2]
 */
import { Either, ParseResult, Schema, SchemaAST } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import { takes } from "../model/Text.ts"
import { compileSchema, refused } from "./CompiledSchema.ts"

/** The reason for which a field does not fit, to be said behind its path. */
interface Mismatch {
  readonly path: ReadonlyArray<PropertyKey>
  readonly text: string
  /** Whether `text` says all there is to say: the description of an outer schema does not replace it. */
  readonly final: boolean
  /** For a field that its object does not take: the fields that the object takes. */
  readonly accepted?: ReadonlyArray<string>
}

/** The description that the schema's author gave it. */
const describe = (ast: SchemaAST.AST): string | undefined => {
  const own = ast.annotations[takes] ?? ast.annotations[SchemaAST.DescriptionAnnotationId]
  // Effect's own descriptions of String, Number and Boolean say less than `takenBy`.
  return typeof own === "string" && own !== "a string" && own !== "a number" && own !== "a boolean"
    ? own
    : undefined
}

/** What a schema takes, in words: its description, or one of its kind. */
const takenBy = (ast: SchemaAST.AST): string => {
  const described = describe(ast)
  if (described !== undefined) return described
  switch (ast._tag) {
    case "StringKeyword":
      return "a text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return ast.literal === null ? "null" : JSON.stringify(ast.literal)
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Union":
      return ast.types.map(takenBy).join(" or ")
    case "Refinement":
    case "Transformation":
      return takenBy(ast.from)
    default:
      return "another value"
  }
}

const pathOf = (path: ParseResult.Path): ReadonlyArray<PropertyKey> =>
  Array.isArray(path) ? (path as ReadonlyArray<PropertyKey>) : [path as PropertyKey]

/** The mismatch with the longest path: of a union's members, the one that came closest to fitting. */
const deepest = (mismatches: ReadonlyArray<Mismatch>): Mismatch =>
  mismatches.reduce((best, next) => (next.path.length > best.path.length ? next : best))

/** Replaces an inner mismatch at the same path by the description of the schema around it, where it has one. */
const within = (ast: SchemaAST.AST, path: ReadonlyArray<PropertyKey>, inner: Mismatch): Mismatch => {
  const described = describe(ast)
  return described === undefined || inner.final || inner.path.length > path.length
    ? inner
    : { path, text: `takes ${described}`, final: false }
}

const renderPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    ""
  )

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The first mismatch of an issue. `fields` are the names that the object takes in which the issue lies. */
const mismatchOf = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>,
  fields: ReadonlyArray<string>
): Mismatch => {
  switch (issue._tag) {
    case "Pointer":
      return mismatchOf(issue.issue, [...path, ...pathOf(issue.path)], fields)
    case "Missing":
      return { path, text: "is required", final: true }
    case "Unexpected":
      return { path, text: "is not a field of this request", final: true, accepted: fields }
    case "Forbidden":
      return { path, text: "can't be read here", final: true }
    case "Type":
      return issue.message === undefined
        ? { path, text: `takes ${takenBy(issue.ast)}`, final: false }
        : { path, text: issue.message, final: true }
    case "Refinement":
    case "Transformation":
      return within(issue.ast, path, mismatchOf(issue.issue, path, fields))
    case "Composite": {
      const issues = (
        Array.isArray(issue.issues) ? issue.issues : [issue.issues]
      ) as Array<ParseResult.ParseIssue>
      const mismatches = issues.map((each) => mismatchOf(each, path, fieldsOf(issue.ast)))
      return within(issue.ast, path, deepest(mismatches))
    }
  }
}

/** The first 200 characters of a path. It can hold names that were sent, of any length and not always well-formed. */
const shortened = (path: string): string =>
  Array.from(path.slice(0, 400)).slice(0, 200).join("").toWellFormed()

/**
 * The failure of a value that its schema refused. Its message is a sentence that begins with the path of the first field that
 * does not fit; `whole` stands for an empty path. For a field that the schema does not name, `unknownField` has the fields that
 * the object takes. The message never holds a value that was sent. [ERR-3]
 */
export const explain = (error: ParseResult.ParseError, whole: string): InvalidParameter => {
  const { accepted, path, text } = mismatchOf(error.issue, [], [])
  const parameter = shortened(renderPath(path)) || whole
  return new InvalidParameter({
    parameter,
    message: `${parameter} ${text}.`,
    ...(accepted === undefined
      ? {}
      : { unknownField: { name: String(path.at(-1)), path: renderPath(path.slice(0, -1)), accepted } })
  })
}

/**
 * Makes a decoder of unknown values from their schema. With `strict` it refuses fields that the schema does not name, so that
 * misspelt ones are noticed; otherwise it drops them. `whole` names the value in messages. Left: the failure by `explain`.
 * [ERR-3]
 */
export const decode = <A, I>(
  schema: Schema.Schema<A, I>,
  options: { readonly whole: string; readonly strict: boolean }
): ((value: unknown) => Either.Either<A, InvalidParameter>) => {
  const interpret = Schema.decodeUnknownEither(schema, {
    onExcessProperty: options.strict ? "error" : "ignore"
  })
  const compiled = options.strict ? null : compileSchema(schema)
  return (value) => {
    const decoded = compiled === null ? refused : compiled(value)
    return decoded === refused
      ? Either.mapLeft(interpret(value), (error) => explain(error, options.whole))
      : Either.right(decoded)
  }
}
