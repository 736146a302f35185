/**
 * Warns of parameters that no query has, and suggests the name that was meant. The answers of a list and of metrics carry the
 * warnings over HTTP and in `@lead-signals/embedded` alike, so they are made here, of names alone. [LIST-10]
 */
import { maxNameLength, similarName } from "./Suggestions.ts"

const shortened = (name: string): string =>
  name.length > maxNameLength ? `${Array.from(name).slice(0, maxNameLength).join("")}…` : name

const warning = (name: string, names: ReadonlyArray<string>): string => {
  const guess = similarName(name, names)
  return `The parameter "${shortened(name)}" is unknown and was ignored.${guess === undefined ? "" : ` Did you mean "${guess}"?`}`
}

/** At most so many warnings: more would only echo what was sent. */
const maxWarnings = 10

/** Those that look misspelt first, and how many are not listed. */
export const warningsOf = (
  unknown: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (unknown.length <= maxWarnings) return unknown.map((name) => warning(name, names))
  const guessed = unknown.filter((name) => similarName(name, names) !== undefined)
  const listed = [...new Set([...guessed, ...unknown])].slice(0, maxWarnings - 1)
  return [
    ...listed.map((name) => warning(name, names)),
    `${unknown.length - listed.length} more parameters are unknown and were ignored.`
  ]
}
