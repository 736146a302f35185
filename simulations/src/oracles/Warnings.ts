/**
 * The warnings that an answer must have follow from its request alone: one for each parameter that the operation does not take, in the body's
 * `meta`, or in a header where the answer has no `data` in JSON. [LIST-10]
 */
import { operations } from "../vocabulary/Operations.ts"
import type { Answered, Call, Json } from "../world/KnownFacts.ts"
import { operationOf, queryOf } from "./Requests.ts"

const header = "x-warnings"

/** The most warnings of one answer; beyond them the last one is a count. */
const most = 10

const accepted: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  operations.map(({ fields, method, route }) => [
    `${method} ${route}`,
    new Set(fields.filter(({ place }) => place === "query").map(({ path }) => path))
  ])
)

/** A longer name is cut off. */
const longest = 40

const abbreviated = (name: string): string => {
  const characters = [...name]
  return name.length > longest ? `${characters.slice(0, longest).join("")}…` : name
}

/** Operations outside the vocabulary, such as streams and sign-ins, take no parameter. */
const none: ReadonlySet<string> = new Set()

const takenBy = (call: Call): ReadonlySet<string> => accepted.get(operationOf(call)) ?? none

/** Names that the operation does not take, each once, as they come first; none of an operation that warns of none. */
const unknownIn = (call: Call): ReadonlyArray<string> => {
  if (call.route.startsWith("/health")) return []
  const taken = takenBy(call)
  return [...new Set(queryOf(call).keys())].filter((name) => !taken.has(name))
}

/** What a warning is wrong about; null for a right one, which may offer a parameter that the operation takes. */
const wrongWarning = (call: Call, warning: string, name: string): string | null => {
  const said = `The parameter "${abbreviated(name)}" is unknown and was ignored.`
  if (warning === said) return null
  const offered = warning.startsWith(said) ? / Did you mean "(\w+)"\?$/.exec(warning)?.[1] : undefined
  return offered !== undefined &&
    warning === `${said} Did you mean "${offered}"?` &&
    takenBy(call).has(offered)
    ? null
    : `it warns: ${warning} It ignored "${abbreviated(name)}"`
}

const wrongWarnings = (call: Call, warnings: ReadonlyArray<string>): string | null => {
  const names = unknownIn(call)
  const count = Math.min(most, names.length)
  if (warnings.length !== count)
    return `it has ${warnings.length} warnings, and ignored ${names.length} parameters`
  if (names.length <= most) {
    for (const [i, name] of names.entries()) {
      const wrong = wrongWarning(call, warnings[i]!, name)
      if (wrong !== null) return wrong
    }
    return null
  }
  const further = `${names.length - most + 1} more parameters are unknown and were ignored.`
  if (warnings.at(-1) !== further) return `it warns last: ${warnings.at(-1)}`
  const left = new Set(names)
  for (const warning of warnings.slice(0, -1)) {
    const name = [...left].find((each) => wrongWarning(call, warning, each) === null)
    if (name === undefined) return `it warns: ${warning}`
    left.delete(name)
  }
  return null
}

const takesLines = ({ request }: Call): boolean => /ndjson/i.test(request.unusual?.contentType ?? "")

/** What is wrong with the warnings of an answer; null where they are right. */
export const wrongWarningsOf = ({ body, call, response }: Answered): string | null => {
  const inBody: Json = body?.meta?.warnings
  const inHeader = response.headers[header]
  // The head of an answer of lines that an error ends was sent before.
  if (response.status >= 300 && response.outcomesBefore === undefined)
    return inBody === undefined && inHeader === undefined ? null : "a refusal has warnings"
  const isInHeader = body === null || body.data === undefined || takesLines(call)
  if (isInHeader ? inBody !== undefined : inHeader !== undefined)
    return `its warnings are in the ${isInHeader ? "body" : "header"}`
  if (isInHeader && inHeader !== undefined && !/^[\x20-\x7e]+$/.test(inHeader))
    return "the header of its warnings is not in ASCII"
  const warnings: ReadonlyArray<string> | undefined = isInHeader
    ? inHeader === undefined
      ? undefined
      : JSON.parse(inHeader)
    : inBody
  if (warnings !== undefined && warnings.length === 0) return "it has an empty list of warnings"
  return wrongWarnings(call, warnings ?? [])
}

/** The body without its warnings: `errors clear` compares them, whatever the rest says. */
export const withoutWarnings = (body: Json): Json => {
  if (body?.meta?.warnings === undefined) return body
  const { warnings: _, ...meta } = body.meta
  const { meta: __, ...rest } = body
  return Object.keys(meta).length === 0 ? rest : { ...body, meta }
}
