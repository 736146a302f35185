/** Where an answer names the parameters that its request gave in vain: in `meta`, or in a header where it has none. [LIST-10] */
import { Parameters } from "@lead-signals/domain"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { warningsOf } from "../contract/Suggestions.ts"
import { noContent } from "../Responses.ts"
import { metaOf } from "./Views.ts"

/** A JSON array of sentences, in ASCII, on answers that have no `meta`: lines, events, texts, and those without a body. */
const warningsHeader = "x-warnings"

/** What an operation ignores that takes no parameters. */
export const allIgnored = (entries: Parameters.Entries): Parameters.IgnoredParameters =>
  entries.length === 0
    ? Parameters.noneIgnored
    : { names: [...new Set(entries.map(([name]) => name))], accepted: [] }

/** A value of a header has no other characters. */
const inAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * The answer with a warning for each ignored parameter. A response whose body is JSON keeps it: what made it has put them there. An
 * answer without `data`, such as a probe's, has no place for them.
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
