/** The schema by which observations, keys and tokens take a time. */
import { Either, ParseResult, Schema } from "effect"
import { formatInstant, isShowable } from "./Instant.ts"
import * as Timestamp from "./Timestamp.ts"

/**
 * The schema of a timestamp, read as an instant: any form of TIME-1, in the years 0000 to 9999. It encodes as
 * `formatInstant` does. [TIME-1, TIME-4]
 */
export const InstantFromText = Schema.transformOrFail(Schema.String, Schema.Number, {
  strict: true,
  decode: (text, _, ast) =>
    Either.mapLeft(
      Either.filterOrLeft(
        Timestamp.parse(text),
        isShowable,
        () => "takes a time in the years 0000 to 9999, UTC"
      ),
      (problem) => new ParseResult.Type(ast, text, problem)
    ),
  encode: (instant) => ParseResult.succeed(formatInstant(instant))
})
