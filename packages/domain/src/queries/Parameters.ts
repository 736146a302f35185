/**
 * Query parameters, already decoded to names and values: which are known, which came twice, and how a boolean, an
 * integer, a date and a timestamp are read. Every refusal names the parameter and says what it takes. [ERR-3]
 */
import { Either } from "effect"
import * as Calendar from "../model/Calendar.ts"
import { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import * as Timestamp from "../model/Timestamp.ts"

/** Query parameters in the order in which they were sent, names and values percent-decoded. */
export type Entries = ReadonlyArray<readonly [name: string, value: string]>

/** The failure of a parameter. `takes` completes a sentence that begins with the parameter's name; `invalid` adds the full stop. */
export const invalid = (parameter: string, takes: string): InvalidParameter =>
  new InvalidParameter({ parameter, message: `${parameter} ${takes}.` })

/** The parameters that a request sent and its call does not know. [LIST-10] */
export interface IgnoredParameters {
  /** Their names as they were sent, each once. */
  readonly names: ReadonlyArray<string>
  /** The names that the call knows. */
  readonly accepted: ReadonlyArray<string>
}

/** For a query that the program makes itself, without a request. */
export const noneIgnored: IgnoredParameters = { names: [], accepted: [] }

/** The known parameters that were sent, and the names of all others. */
export interface KnownParameters {
  /** The value of each known parameter that was sent. */
  readonly values: ReadonlyMap<string, string>
  /** The parameters of other names. */
  readonly ignored: IgnoredParameters
}

/**
 * Separates the parameters with one of `names` from unknown ones, which are ignored. Left: a known one that was sent twice.
 * `taken` has for some names what they take, which that refusal then adds. [LIST-7, LIST-10]
 */
export const partition = (
  entries: Entries,
  names: ReadonlyArray<string>,
  taken: { readonly [name: string]: string } = {}
): Either.Either<KnownParameters, InvalidParameter> => {
  const values = new Map<string, string>()
  const unknown = new Set<string>()
  for (const [name, value] of entries) {
    if (!names.includes(name)) unknown.add(name)
    else if (values.has(name)) {
      const once = taken[name] === undefined ? "" : ` and ${taken[name]}`
      return Either.left(invalid(name, `may be given only once${once}`))
    } else values.set(name, value)
  }
  return Either.right({ values, ignored: { names: [...unknown], accepted: names } })
}

type Read<A> = (known: KnownParameters, name: string) => Either.Either<A | undefined, InvalidParameter>

const absent: Either.Either<undefined, never> = Either.right(undefined)

const reader =
  <A>(read: (value: string) => Either.Either<A, string>): Read<A> =>
  (known, name) => {
    const value = known.values.get(name)
    return value === undefined ? absent : Either.mapLeft(read(value), (takes) => invalid(name, takes))
  }

/**
 * Reads `true` or `false`, in any letter case; undefined when the parameter is absent. Left: any other value, the
 * empty one included. [LIST-6]
 */
export const boolean: Read<boolean> = reader((value) =>
  /^true$/i.test(value)
    ? Either.right(true)
    : /^false$/i.test(value)
      ? Either.right(false)
      : Either.left("takes true or false")
)

const takesInteger = `takes an integer from 1 to ${Number.MAX_SAFE_INTEGER}, such as 25`

/** Reads decimal digits as an integer from 1 to 2⁵³ − 1. Left: what it takes. [LIST-6] */
export const readInteger = (value: string): Either.Either<number, string> => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : 0
  return number >= 1 && Number.isSafeInteger(number) ? Either.right(number) : Either.left(takesInteger)
}

/**
 * Reads an integer from 1 to 2⁵³ − 1 in decimal digits; undefined when the parameter is absent. Left: any other
 * value, the empty one included. [LIST-6, PAGE-5]
 */
export const integer: Read<number> = reader(readInteger)

/** The end of each refusal of a date. [MET-5] */
export const takesDate = "takes a date as YYYY-MM-DD, such as 2026-01-31"

/**
 * Reads `YYYY-MM-DD`, a day of the calendar, and answers it as it is; undefined when the parameter is absent. Left: any
 * other value. [MET-5]
 */
export const date: Read<string> = reader((value) =>
  Calendar.isDate(value) ? Either.right(value) : Either.left(takesDate)
)

/**
 * Reads a timestamp of any form of TIME-1 as an instant; undefined when the parameter is absent. Left: any other
 * value. [TIME-3]
 */
export const timestamp: Read<Instant> = reader(Timestamp.parse)
