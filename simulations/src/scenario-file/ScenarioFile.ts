/** Reads a scenario from the text of a JSON file. All that is wrong with it is named by path, line and column. */
import { didYouMean } from "@lead-signals/suggestions"
import { Either, ParseResult, Schema } from "effect"
import { Scenario } from "../Scenario.ts"
import { unitKeyword } from "../ScenarioFields.ts"
import { fieldAt, type FieldSchema, scenarioJsonSchema, takes } from "./FieldReference.ts"
import { type JsonPath, JsonPositions, NotJson, type Position } from "./JsonPositions.ts"

/** More than any scenario needs. */
const maxCharacters = 1_000_000
const maxProblems = 50

const decode = Schema.decodeUnknownEither(Scenario, { errors: "all", onExcessProperty: "error" })

const pathText = (path: JsonPath): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number"
        ? `${text}[${part}]`
        : /^[\w$]+$/.test(part)
          ? `${text}${text === "" ? "" : "."}${part}`
          : `${text}[${JSON.stringify(part)}]`,
    ""
  )

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const given = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  return typeof value === "object" && value !== null ? "an object" : shortened(value)
}

const valueAt = (value: unknown, path: JsonPath): unknown => path.reduce<any>((of, part) => of?.[part], value)

/** The fields of this name elsewhere in a scenario: a `kills` among the rates belongs to the scheduled faults. */
const elsewhere = (name: string, schema: FieldSchema, at = ""): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).flatMap(([own, field]) => [
    ...(own === name ? [`${at}${own}`] : []),
    ...elsewhere(name, field, `${at}${own}.`),
    ...(field.items === undefined ? [] : elsewhere(name, field.items, `${at}${own}[].`))
  ])

const unknownField = (path: JsonPath, root: FieldSchema): string => {
  const name = String(path.at(-1))
  const known = Object.keys(fieldAt(path.slice(0, -1), root)?.properties ?? {})
  const suggestion = didYouMean(name, known)
  if (suggestion !== undefined) return `there is no such field. ${suggestion}`
  const places = elsewhere(name, root)
  return places.length > 0
    ? `there is no such field here. Did you mean ${places.join(" or ")}?`
    : `there is no such field. There are ${known.join(", ")}.`
}

const wrongValue = (path: JsonPath, value: unknown, root: FieldSchema): string => {
  const schema = fieldAt(path, root)
  if (schema === undefined) return `is not ${given(value)}`
  const suggestion =
    schema.enum !== undefined && typeof value === "string" ? didYouMean(value, schema.enum) : undefined
  const unit = schema[unitKeyword]
  return `takes ${takes(schema)}${unit === undefined ? "" : ` (${unit})`}, not ${given(value)}.${suggestion === undefined ? "" : ` ${suggestion}`}`
}

interface Problem {
  readonly path: JsonPath
  readonly position: Position
  /** Made only of those that are shown. */
  readonly message: () => string
}

const issuesOf = (error: ParseResult.ParseError) => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ _tag, path }) => ({
    _tag,
    path: path as JsonPath
  }))
  // A field that may be left out is a union for the decoder, which then reports the field beside what is wrong in it.
  const outer = new Set(
    issues.flatMap(({ path }) => path.map((_, length) => pathText(path.slice(0, length))))
  )
  return issues.filter(({ path }) => !outer.has(pathText(path)))
}

const problemsOf = (
  value: unknown,
  positions: JsonPositions,
  error: ParseResult.ParseError | null
): ReadonlyArray<Problem> => {
  const root = scenarioJsonSchema()
  const messageOf = (tag: string, path: JsonPath): string => {
    if (tag === "Unexpected") return unknownField(path, root)
    if (tag === "Missing") return `is missing. It takes ${takes(fieldAt(path, root) ?? {})}.`
    return wrongValue(path, valueAt(value, path), root)
  }
  const found = [
    ...positions.repeated.map((path) => ({ path, message: () => "is given twice." })),
    ...(error === null ? [] : issuesOf(error)).map(({ _tag, path }) => ({
      path,
      message: () => messageOf(_tag, path)
    }))
  ]
  const byPath = new Map(found.map((each) => [pathText(each.path), each]))
  return [...byPath.values()]
    .map((each) => ({ ...each, position: positions.of(each.path) }))
    .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
}

const located = ({ column, line }: Position, message: string): string =>
  `line ${line}, column ${column}: ${message}`

/**
 * Reads a scenario from the text of a JSON file of at most a million characters. Left: all that is wrong with it, a
 * line each, in the order of the file, at most 50; each names the field by its path, what it takes, and the name that
 * was probably meant.
 */
export const readScenario = (text: string): Either.Either<Scenario, ReadonlyArray<string>> => {
  const json = text.replace(/^\uFEFF/, "")
  if (json.trim() === "") return Either.left(["the file is empty"])
  if (json.length > maxCharacters)
    return Either.left([`the file has ${json.length} characters, at most ${maxCharacters} are read`])
  let positions: JsonPositions
  try {
    positions = new JsonPositions(json)
  } catch (error) {
    if (error instanceof NotJson) return Either.left([located(error.position, `${error.message}.`)])
    throw error
  }
  const value = JSON.parse(json) as unknown
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return Either.left([`a scenario is an object, not ${given(value)}.`])
  const decoded = decode(value)
  const problems = problemsOf(value, positions, Either.isLeft(decoded) ? decoded.left : null)
  const lines = problems
    .slice(0, maxProblems)
    .map(({ message, path, position }) => located(position, `${pathText(path)}: ${message()}`))
  if (lines.length === 0) return Either.mapLeft(decoded, () => ["the file is not a scenario"])
  const more = problems.length - lines.length
  return Either.left(more === 0 ? lines : [...lines, `and ${more} more.`])
}
