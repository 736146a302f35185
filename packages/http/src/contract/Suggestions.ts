/** Words what the domain says of names that it does not know, with the name that was probably meant. [ERR-3, LIST-10] */
import type { InvalidParameter, Parameters } from "@lead-signals/domain"
import { didYouMean, maxNameLength, similarName } from "@lead-signals/suggestions"

/**
 * The message of a parameter or field that can't be read, for people. For an unknown field it has a second sentence, with the field that
 * was probably meant, or with all fields that the object takes. [ERR-3]
 */
export const invalidParameterMessage = ({ message, unknownField }: InvalidParameter): string => {
  if (unknownField === undefined || unknownField.accepted.length === 0) return message
  const { accepted, name, path } = unknownField
  return `${message} ${didYouMean(name, accepted) ?? `${path || "It"} takes ${accepted.join(", ")}.`}`
}

const shortened = (name: string): string =>
  name.length > maxNameLength ? `${Array.from(name).slice(0, maxNameLength).join("")}…` : name

const warning = (name: string, accepted: ReadonlyArray<string>): string => {
  const suggestion = didYouMean(name, accepted)
  return `The parameter "${shortened(name)}" is unknown and was ignored.${suggestion === undefined ? "" : ` ${suggestion}`}`
}

/** At most so many warnings: more would only echo what was sent. */
const maxWarnings = 10

/** Unknown names that are compared with the known ones, at most: thousands fit a request, and each comparison takes time. */
const maxCompared = 100

/**
 * A sentence for each ignored parameter, at most 10: those of the first 100 that look misspelt first, and how many are not listed.
 * [LIST-10]
 */
export const warningsOf = ({ accepted, names }: Parameters.IgnoredParameters): ReadonlyArray<string> => {
  if (names.length <= maxWarnings) return names.map((name) => warning(name, accepted))
  const misspelt = names.slice(0, maxCompared).filter((name) => similarName(name, accepted) !== undefined)
  const listed = [...new Set([...misspelt, ...names])].slice(0, maxWarnings - 1)
  return [
    ...listed.map((name) => warning(name, accepted)),
    `${names.length - listed.length} more parameters are unknown and were ignored.`
  ]
}
