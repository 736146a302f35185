/**
 * Reads a value from outside by its schema, and says what is wrong with the first field that does not fit: its path and
 * what it takes, never the value that was sent, which may be personal. [ERR-3, OPER-4, OBS-2]
 */
import { Either, ParseResult, Schema, SchemaAST } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import { takes } from "../model/Text.ts"
import { compileSchema, refused } from "./CompiledSchema.ts"

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly text: string
  /** Said by the schema itself: no outer description replaces it. */
  readonly final: boolean
  /** For a field that its object does not take: the fields that it takes. */
  readonly accepted?: ReadonlyArray<string>
}

const describe = (ast: SchemaAST.AST): string | undefined => {
  const own = ast.annotations[takes] ?? ast.annotations[SchemaAST.DescriptionAnnotationId]
  // The descriptions that Effect itself gives to String, Number and the like say less than `plainly`.
  return typeof own === "string" && own !== "a string" && own !== "a number" && own !== "a boolean"
    ? own
    : undefined
}

const plainly = (ast: SchemaAST.AST): string => {
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
      return ast.types.map(plainly).join(" or ")
    case "Refinement":
    case "Transformation":
      return plainly(ast.from)
    default:
      return "another value"
  }
}

const pathOf = (path: ParseResult.Path): ReadonlyArray<PropertyKey> =>
  Array.isArray(path) ? (path as ReadonlyArray<PropertyKey>) : [path as PropertyKey]

const deepest = (findings: ReadonlyArray<Finding>): Finding =>
  findings.reduce((best, next) => (next.path.length > best.path.length ? next : best))

const within = (ast: SchemaAST.AST, path: ReadonlyArray<PropertyKey>, inner: Finding): Finding => {
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

/** `fields` are those of the object that the issue is in. */
const find = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>,
  fields: ReadonlyArray<string>
): Finding => {
  switch (issue._tag) {
    case "Pointer":
      return find(issue.issue, [...path, ...pathOf(issue.path)], fields)
    case "Missing":
      return { path, text: "is required", final: true }
    case "Unexpected":
      return { path, text: "is not a field of this request", final: true, accepted: fields }
    case "Forbidden":
      return { path, text: "can't be read here", final: true }
    case "Type":
      return issue.message === undefined
        ? { path, text: `takes ${plainly(issue.ast)}`, final: false }
        : { path, text: issue.message, final: true }
    case "Refinement":
    case "Transformation":
      return within(issue.ast, path, find(issue.issue, path, fields))
    case "Composite": {
      const issues = (
        Array.isArray(issue.issues) ? issue.issues : [issue.issues]
      ) as Array<ParseResult.ParseIssue>
      return within(issue.ast, path, deepest(issues.map((each) => find(each, path, fieldsOf(issue.ast)))))
    }
  }
}

/** A path can hold names that were sent: of any length, and not always well-formed. */
const shortened = (path: string): string =>
  Array.from(path.slice(0, 400)).slice(0, 200).join("").toWellFormed()

/**
 * The failure of a value that its schema refused: a sentence that starts with the path of the first field that does not
 * fit, and for an unknown field the fields that its object takes. `whole` stands for the path where the value itself is refused. The
 * message never holds a value that was sent.
 * [ERR-3]
 */
export const explain = (error: ParseResult.ParseError, whole: string): InvalidParameter => {
  const { accepted, path, text } = find(error.issue, [], [])
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
 * Makes a reader of unknown values from their schema. Left: what `explain` says. `strict` refuses fields that the
 * schema does not name, so that a misspelt one does not pass unseen; otherwise they are dropped. [ERR-3]
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
