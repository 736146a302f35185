/**
 * Query parameters, already decoded to names and values: which are known, which came twice, and how a boolean, an
 * integer and a timestamp read. Every refusal names the parameter and says what it takes. [ERR-3]
 */
import { Either } from "effect"
import { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import * as Timestamp from "../model/Timestamp.ts"

export type Entries = ReadonlyArray<readonly [name: string, value: string]>

export const invalid = (parameter: string, takes: string): InvalidParameter =>
  new InvalidParameter({ parameter, message: `${parameter} ${takes}.` })

/** The known parameters that were sent, and a warning for each other. */
export interface KnownParameters {
  readonly values: ReadonlyMap<string, string>
  readonly warnings: ReadonlyArray<string>
}

/** How far two names are apart: insertions, deletions and replacements. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const meant = (name: string, names: ReadonlyArray<string>): string | undefined =>
  name.length > 40 ? undefined : names.find((known) => editDistance(plain(known), plain(name)) <= 2)

const shortened = (name: string): string =>
  name.length > 40 ? `${Array.from(name).slice(0, 40).join("")}…` : name

const warning = (name: string, names: ReadonlyArray<string>): string => {
  const guess = meant(name, names)
  return `The parameter "${shortened(name)}" is not known and was ignored.${guess === undefined ? "" : ` Did you mean "${guess}"?`}`
}

/** At most so many warnings: more would only echo what was sent. */
const maxWarnings = 10

/** Those that look misspelt first, and how many are not listed. */
const warningsOf = (unknown: ReadonlyArray<string>, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (unknown.length <= maxWarnings) return unknown.map((name) => warning(name, names))
  const guessed = unknown.filter((name) => meant(name, names) !== undefined)
  const listed = [...new Set([...guessed, ...unknown])].slice(0, maxWarnings - 1)
  return [
    ...listed.map((name) => warning(name, names)),
    `${unknown.length - listed.length} more parameters are not known and were ignored.`
  ]
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
