/**
 * Query parameters, already decoded to names and values: which are known, which came twice, and how a boolean, an
 * integer and a timestamp read. Every refusal names the parameter and says what it takes. [ERR-3]
 */
import { Either } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import * as Timestamp from "../model/Timestamp.ts"
import { warningsOf } from "./UnknownParameters.ts"

export type Entries = ReadonlyArray<readonly [name: string, value: string]>

export const invalid = (parameter: string, takes: string): InvalidParameter =>
  new InvalidParameter({ parameter, message: `${parameter} ${takes}.` })

/** The known parameters that were sent, and a warning for each other. */
export interface KnownParameters {
  readonly values: ReadonlyMap<string, string>
  readonly warnings: ReadonlyArray<string>
}

/**
 * Parts known from unknown parameters: a known name twice is an error, an unknown one a warning. `taken` says of some names
 * what they take, once. [LIST-7, LIST-10]
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
  return Either.right({ values, warnings: warningsOf([...unknown], names) })
}

type Read<A> = (known: KnownParameters, name: string) => Either.Either<A | undefined, InvalidParameter>

const reader =
  <A>(read: (value: string) => Either.Either<A, string>): Read<A> =>
  (known, name) => {
    const value = known.values.get(name)
    return value === undefined
      ? Either.right(undefined)
      : Either.mapLeft(read(value), (takes) => invalid(name, takes))
  }

/** `true` or `false`, in any letter case. [LIST-6] */
export const boolean: Read<boolean> = reader((value) =>
  /^true$/i.test(value)
    ? Either.right(true)
    : /^false$/i.test(value)
      ? Either.right(false)
      : Either.left("takes true or false")
)

const takesInteger = `takes an integer from 1 to ${Number.MAX_SAFE_INTEGER}, in decimal digits`

export const readInteger = (value: string): Either.Either<number, string> => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : 0
  return number >= 1 && Number.isSafeInteger(number) ? Either.right(number) : Either.left(takesInteger)
}

/** Decimal digits, at least 1, within the safe-integer range. [LIST-6, PAGE-5] */
export const integer: Read<number> = reader(readInteger)

/** Any shape of TIME-1, as an instant. */
export const timestamp: Read<Instant> = reader(Timestamp.parse)
