/** Turns a query of typed values into the entries of a query string, which the domain's rules parse. */
import { InvalidParameter, type Parameters } from "@lead-signals/domain"
import { Either } from "effect"

const refusal = (parameter: string, takes: string): InvalidParameter =>
  new InvalidParameter({ parameter, message: `${parameter} takes ${takes}.` })

/** An invalid `Date` has no ISO form; its text is one that no timestamp parameter takes. */
const textOf = (value: unknown): string =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value)

const namesOf = (query: object): Either.Either<ReadonlyArray<string>, InvalidParameter> =>
  typeof query === "object" && query !== null
    ? Either.try({ try: () => Object.keys(query), catch: () => refusal("query", "a plain object") })
    : Either.left(refusal("query", "an object of parameters, such as { pageSize: 50 }"))

/**
 * Entries in the query's order, without those that are undefined. Fails with `InvalidParameter`, which names the parameter, where a value
 * can't be read or has no text.
 */
export const entriesOf = (query: object): Either.Either<Parameters.Entries, InvalidParameter> =>
  Either.gen(function* () {
    const entries: Array<readonly [string, string]> = []
    for (const name of yield* namesOf(query)) {
      const text = yield* Either.try({
        try: () => {
          const value = (query as Readonly<Record<string, unknown>>)[name]
          return value === undefined ? null : textOf(value)
        },
        catch: () => refusal(name, "a text, a number, a boolean or a Date")
      })
      if (text !== null) entries.push([name, text])
    }
    return entries
  })
