/**
 * Work that asks the file and goes on with the rows that come back, whoever asks for it: this thread's connection at once,
 * or another thread's, whose answers are waited for.
 */
import type { Connection, Param } from "./Connection.ts"

export interface Question {
  readonly text: string
  readonly params: ReadonlyArray<Param>
}

export type Asking<A> = Generator<Question, A, ReadonlyArray<any>>

/** The rows of one question. */
export function* ask<Row>(text: string, params: ReadonlyArray<Param>): Asking<ReadonlyArray<Row>> {
  return yield { text, params }
}

/** Asks the connection. */
export const answer = <A>(sql: Pick<Connection, "all">, asking: Asking<A>): A => {
  let next = asking.next()
  while (next.done !== true) next = asking.next(sql.all(next.value.text, next.value.params))
  return next.value
}
