/**
 * Work that asks the file and goes on with the rows that come back, whoever asks for it: this thread's connection at once,
 * or another thread's, whose answers are waited for.
 */
import type { Connection, Param } from "./Connection.ts"

export interface Question {
  readonly text: string
  readonly params: ReadonlyArray<Param>
  /** Of each row the one value, and no object around it. */
  readonly isColumn?: true
}

export type Asking<A> = Generator<Question, A, ReadonlyArray<any>>

/** The rows of one question. */
export function* ask<Row>(text: string, params: ReadonlyArray<Param>): Asking<ReadonlyArray<Row>> {
  return yield { text, params }
}

/** The values of a question of one column. */
export function* askColumn<Value>(text: string, params: ReadonlyArray<Param>): Asking<ReadonlyArray<Value>> {
  return yield { text, params, isColumn: true }
}

/** Asks the connection. */
export const answer = <A>(sql: Pick<Connection, "all" | "column">, asking: Asking<A>): A => {
  let next = asking.next()
  while (next.done !== true) {
    const { isColumn, params, text } = next.value
    next = asking.next(isColumn === true ? sql.column(text, params) : sql.all(text, params))
  }
  return next.value
}
