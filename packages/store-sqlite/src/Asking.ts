/**
 * Work that asks the file and goes on with the rows that come back, whoever asks for it: this thread's connection at once,
 * or another thread's, whose answers are waited for.
 */
import type { Param } from "./Param.ts"

/** How the rows come back: as objects by the names of their columns, as tuples, or each as its only value. */
type Shape = "objects" | "tuples" | "values"

export interface Question {
  readonly text: string
  readonly params: ReadonlyArray<Param>
  readonly shape: Shape
}

/** A question of one column, asked for each of the numbers: the value of the row that it finds, which is there. */
export interface EachQuestion {
  readonly text: string
  readonly each: ReadonlyArray<number>
}

/** What only writes, run once with each of the rows of parameters. */
export interface ManyTold {
  readonly text: string
  readonly many: ReadonlyArray<ReadonlyArray<Param>>
}

export type Asked = Question | EachQuestion | ManyTold

export type Asking<A> = Generator<Asked, A, ReadonlyArray<any>>

/** What only writes. */
export function* tell(text: string, params: ReadonlyArray<Param> = []): Asking<void> {
  yield { text, params, shape: "objects" }
}

/** One after the other. */
export function* tellAll(texts: ReadonlyArray<string>): Asking<void> {
  for (const text of texts) yield* tell(text)
}

/**
 * The same statement with each of the rows of parameters. FTS5 writes out what it has gathered with every statement that
 * could insert several rows: into its tables they come like this.
 */
export function* tellMany(text: string, many: ReadonlyArray<ReadonlyArray<Param>>): Asking<void> {
  if (many.length > 0) yield { text, many }
}

/** The rows of one question. */
export function* ask<Row>(text: string, params: ReadonlyArray<Param>): Asking<ReadonlyArray<Row>> {
  return yield { text, params, shape: "objects" }
}

export function* askTuples<Tuple extends ReadonlyArray<unknown>>(
  text: string,
  params: ReadonlyArray<Param>
): Asking<ReadonlyArray<Tuple>> {
  return yield { text, params, shape: "tuples" }
}

/** The values of a question of one column. */
export function* askColumn<Value>(text: string, params: ReadonlyArray<Param>): Asking<ReadonlyArray<Value>> {
  return yield { text, params, shape: "values" }
}

/** One value for each of the numbers, in their order. */
export function* askEach<Value>(text: string, each: ReadonlyArray<number>): Asking<ReadonlyArray<Value>> {
  return each.length === 0 ? [] : yield { text, each }
}

/** Asks the connection. */
export const answer = <A>(
  sql: { readonly asked: (asked: Asked) => ReadonlyArray<unknown> },
  asking: Asking<A>
): A => {
  let next = asking.next()
  while (next.done !== true) next = asking.next(sql.asked(next.value))
  return next.value
}
