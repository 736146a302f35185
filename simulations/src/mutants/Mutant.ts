/** A mutant: production code with one small change that was made by syntax, and the kinds of such changes. */

/** The packages whose code is mutated, in the order of the tables. Runs contain code of others, such as `encryption`, that is not mutated. */
export const packages = [
  "domain",
  "http",
  "webhook",
  "store-memory",
  "store-sqlite",
  "sql-rows",
  "suggestions",
  "client"
] as const

/** The name is that of its folder, without the scope of the workspace. */
export type MutatedPackage = (typeof packages)[number]

/** Each kind of change with its meaning, in the order of the tables. */
export const kinds = {
  condition: "a condition is negated, always true or always false",
  bound: "a comparison includes its bound, or excludes it",
  equality: "equal and different are exchanged",
  arithmetic: "an arithmetic operator is another",
  logical: "and and or are exchanged",
  operand: "one side of an and or an or is gone",
  nullish: "one side of ?? is gone",
  chain: "an optional chain is not optional",
  statement: "a statement is gone",
  return: "an early return, throw, break or continue is gone",
  stage: "a stage of a pipe, or one of two effects, is gone",
  effect: "a yield* or an await is gone",
  arguments: "two arguments are exchanged",
  method: "a call such as filter, sort or slice is gone, or is its counterpart",
  number: "a number is one more or one less; from 1,000 on doubled or halved",
  string: "a string is empty",
  boolean: "true and false are exchanged",
  element: "an element of an array is gone",
  property: "a property or a spread part of an object is gone",
  "sql-term": "a term of WHERE or ON always holds",
  "sql-operator": "a comparison, AND or OR of SQL is another",
  "sql-order": "a term of ORDER BY is gone or runs the other way",
  "sql-limit": "LIMIT or OFFSET is gone"
} as const

/** A kind of change; `kinds` says what each does. */
export type Kind = keyof typeof kinds

/** In the order of the table of a campaign. */
export const kindNames = Object.keys(kinds) as ReadonlyArray<Kind>

/** A change of a module's text, from one offset to another. */
export interface Change {
  readonly kind: Kind
  readonly from: number
  readonly to: number
  readonly put: string
}

/** One change, with what identifies it between campaigns. */
export interface Mutant extends Change {
  /**
   * `PACKAGE/MODULE:FUNCTION:KIND:ORDINAL`, where the ordinal counts the function's changes of that kind. Line numbers and
   * formatting are no part of it.
   */
  readonly id: string
  readonly package: MutatedPackage
  /** From the root of the repository. */
  readonly file: string
  /** A hash of the module as it is. */
  readonly source: string
  /** What is replaced by what, in one line. */
  readonly change: string
  /** The same with the text around it. */
  readonly diff: string
}

/** The text with the change in it. The positions count UTF-16 units, as the compiler does. */
export const applied = (text: string, { from, put, to }: Change): string =>
  text.slice(0, from) + put + text.slice(to)
