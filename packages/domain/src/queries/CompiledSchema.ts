/**
 * Compiles a schema to plain functions. They decode an observation in a quarter of the time that Effect's interpreter takes. The compiler knows
 * those kinds of schemas that observations have. A compiled function does not explain a refusal; `Decoder` lets the interpreter explain it.
 */
import { Either, Option, type Schema, SchemaAST } from "effect"

/** The result for a value that does not fit the schema. */
export const refused = Symbol("refused")

type Decode = (value: unknown) => unknown

/** The options with which `Decoder` calls the interpreter where it compiles: fields without a schema are dropped. */
const options: SchemaAST.ParseOptions = { onExcessProperty: "ignore" }

/** Whether an annotation changes how the interpreter decodes, which compiled functions don't imitate. */
const changesDecoding = (ast: SchemaAST.AST): boolean =>
  ast.annotations[SchemaAST.ParseOptionsAnnotationId] !== undefined ||
  ast.annotations[SchemaAST.DecodingFallbackAnnotationId] !== undefined

/** Accepts a value as it is, or refuses it. */
const only =
  (isTaken: (value: unknown) => boolean): Decode =>
  (value) =>
    isTaken(value) ? value : refused

/** The value of a synchronous success; a failure and an Effect are refused. */
const rightOf = (result: unknown): unknown =>
  Either.isEither(result) && Either.isRight(result) ? result.right : refused

/** The value of a Some. `Option.getOrElse` would count its arguments first, and an observation has forty such fields. */
const valueOf = (option: Option.Option<unknown>): unknown => (Option.isSome(option) ? option.value : refused)

/** Decodes with one function, then with the other. */
const chain =
  (first: Decode, second: Decode): Decode =>
  (value) => {
    const between = first(value)
    return between === refused ? refused : second(between)
  }

const compileUnion = ({ types }: SchemaAST.Union): Decode | null => {
  const members = compileAll(types)
  if (members === null) return null
  return (value) => {
    for (const decode of members) {
      const decoded = decode(value)
      if (decoded !== refused) return decoded
    }
    return refused
  }
}

const compileObject = ({ indexSignatures, propertySignatures }: SchemaAST.TypeLiteral): Decode | null => {
  const decodes = compileAll(propertySignatures.map(({ type }) => type))
  if (decodes === null || indexSignatures.length > 0 || propertySignatures.length === 0) return null
  const fields = propertySignatures.map(({ isOptional, name }, i) => ({
    name,
    isOptional,
    decode: decodes[i]!
  }))
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return refused
    const decoded: Record<PropertyKey, unknown> = {}
    for (const { decode, isOptional, name } of fields) {
      if (!Object.hasOwn(value, name)) {
        if (isOptional) continue
        return refused
      }
      const field = decode((value as Record<PropertyKey, unknown>)[name])
      if (field === refused) return refused
      decoded[name] = field
    }
    return decoded
  }
}

/** Whether `to` accepts every value of `from` except undefined, so that a decoded value need not be checked again. */
const includes = (from: SchemaAST.AST, to: SchemaAST.AST): boolean =>
  from === to ||
  (SchemaAST.isUnion(from) && from.types.every((type) => type === to || SchemaAST.isUndefinedKeyword(type)))

/** Compiles an object whose fields can have defaults and keep their names. */
const compileFields = (
  from: SchemaAST.TypeLiteral,
  to: SchemaAST.TypeLiteral,
  { propertySignatureTransformations }: SchemaAST.TypeLiteralTransformation
): Decode | null => {
  const decodes = compileAll(from.propertySignatures.map(({ type }) => type))
  const checks = compileAll(to.propertySignatures.map(({ type }) => type))
  const names = from.propertySignatures.map(({ name }) => name)
  const isSame =
    names.length === to.propertySignatures.length &&
    to.propertySignatures.every(({ name }, i) => name === names[i]) &&
    propertySignatureTransformations.every((each) => each.from === each.to)
  const isPlain = from.indexSignatures.length === 0 && to.indexSignatures.length === 0
  if (decodes === null || checks === null || !isSame || !isPlain) return null
  const fields = names.map((name, i) => ({
    name,
    decode: decodes[i]!,
    check: checks[i]!,
    isChecked: includes(from.propertySignatures[i]!.type, to.propertySignatures[i]!.type),
    isRequired: !from.propertySignatures[i]!.isOptional,
    transform: propertySignatureTransformations.find((each) => each.from === name)?.decode ?? null
  }))
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return refused
    const decoded: Record<PropertyKey, unknown> = {}
    for (const { check, decode, isChecked, isRequired, name, transform } of fields) {
      const isThere = Object.hasOwn(value, name)
      if (!isThere && (isRequired || transform === null)) return refused
      const given = isThere ? decode((value as Record<PropertyKey, unknown>)[name]) : undefined
      if (given === refused) return refused
      const field =
        transform === null ? given : valueOf(transform(isThere ? Option.some(given) : Option.none()))
      decoded[name] = isChecked && field === given && given !== undefined ? field : check(field)
      if (decoded[name] === refused) return refused
    }
    return decoded
  }
}

const compileTransformation = (ast: SchemaAST.Transformation): Decode | null => {
  const { from, to, transformation } = ast
  if (transformation._tag === "TypeLiteralTransformation")
    return SchemaAST.isTypeLiteral(from) && SchemaAST.isTypeLiteral(to)
      ? compileFields(from, to, transformation)
      : null
  const [decode, check] = [compile(from), compile(to)]
  if (decode === null || check === null) return null
  if (transformation._tag === "ComposeTransformation") return chain(decode, check)
  const transform: Decode = (value) => rightOf(transformation.decode(value, options, ast, value))
  return chain(chain(decode, transform), check)
}

const compileDeclaration = (ast: SchemaAST.Declaration): Decode | null => {
  if (ast.typeParameters.length > 0) return null
  const decode = ast.decodeUnknown()
  return (value) => rightOf(decode(value, options, ast))
}

const compile = (ast: SchemaAST.AST): Decode | null => {
  if (changesDecoding(ast)) return null
  switch (ast._tag) {
    case "StringKeyword":
      return only((value) => typeof value === "string")
    case "NumberKeyword":
      return only((value) => typeof value === "number")
    case "BooleanKeyword":
      return only((value) => typeof value === "boolean")
    case "UndefinedKeyword":
      return only((value) => value === undefined)
    case "Literal":
      return only((value) => value === ast.literal)
    case "Refinement": {
      const from = compile(ast.from)
      return (
        from && chain(from, (value) => (Option.isNone(ast.filter(value, options, ast)) ? value : refused))
      )
    }
    case "Declaration":
      return compileDeclaration(ast)
    case "Union":
      return compileUnion(ast)
    case "TypeLiteral":
      return compileObject(ast)
    case "Transformation":
      return compileTransformation(ast)
    default:
      return null
  }
}

const compileAll = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<Decode> | null => {
  const compiled = asts.map(compile)
  return compiled.every((decode) => decode !== null) ? (compiled as ReadonlyArray<Decode>) : null
}

/**
 * Compiles the schema to a function that decodes a value as the interpreter does, or returns `refused`. Null when the schema contains a kind that
 * the compiler does not know.
 */
export const compileSchema = <A, I>(
  schema: Schema.Schema<A, I>
): ((value: unknown) => A | typeof refused) | null =>
  compile(schema.ast) as ((value: unknown) => A | typeof refused) | null
