/** Turns a query of typed values into the entries of a query string, which the domain's rules parse. */
import type { Parameters } from "@lead-signals/domain"

type Value = string | number | boolean | Date | undefined

const textOf = (value: Exclude<Value, undefined>): string =>
  value instanceof Date ? value.toISOString() : String(value)

export const entriesOf = (query: object): Parameters.Entries =>
  Object.entries(query as Record<string, Value>).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, textOf(value)] as const]
  )
