/** Adds warnings of unknown parameters to an answer: in its `meta`, or in a header where the answer has no `meta`. [LIST-10] */
import { Parameters } from "@lead-signals/domain"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { warningsOf } from "../contract/Suggestions.ts"
import { noContent } from "../Responses.ts"
import { metaOf } from "./Views.ts"

/** The header of answers without `meta`, such as lines, events, texts and empty ones. Its value is a JSON array of sentences, in ASCII. */
const warningsHeader = "x-warnings"

/** The ignored parameters of an operation that takes none: all of `entries`. */
export const allIgnored = (entries: Parameters.Entries): Parameters.IgnoredParameters =>
  entries.length === 0
    ? Parameters.noneIgnored
    : { names: [...new Set(entries.map(([name]) => name))], accepted: [] }

/** Escapes every character that the value of a header can't have. */
const inAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * The answer with a warning for each ignored parameter. A response whose body is JSON already stays as it is: its handler has added the warnings.
 * An answer without `data`, such as a probe's, gets none.
 */
export const withWarnings = <Answer>(
  answer: Answer,
  ignored: Parameters.IgnoredParameters
): Answer | HttpServerResponse.HttpServerResponse => {
  if (ignored.names.length === 0) return answer
  if (typeof answer === "object" && answer !== null && "data" in answer)
    return { ...answer, ...metaOf(ignored) }
  const response = answer === undefined ? noContent : answer
  if (!HttpServerResponse.isServerResponse(response)) return answer
  return response.body.contentType === "application/json"
    ? response
    : HttpServerResponse.setHeader(response, warningsHeader, inAscii(JSON.stringify(warningsOf(ignored))))
}
