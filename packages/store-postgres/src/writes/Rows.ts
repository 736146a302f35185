/** Rows that a statement gets as one array for each column, so that their number does not change its text. */
import type { Param } from "../connection/Connection.ts"
import type { Scalar } from "../rows/LeadRows.ts"

/** A column's name and its type. */
export type Column = readonly [name: string, type: string]

/** The parameters of one statement. */
export class Params {
  readonly all: Array<Param> = []

  /** Adds the parameter, and returns the text that stands for it. */
  add(value: Param): string {
    return `$${this.all.push(value)}`
  }

  /** Adds the rows; returns a table for FROM, with the alias and the columns. */
  rows(alias: string, columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<Scalar>>): string {
    const arrays = columns.map(([, type], i) => `${this.add(rows.map((row) => row[i]!))}::${type}[]`)
    return `unnest(${arrays.join(", ")}) AS ${alias}(${columns.map(([name]) => name).join(", ")})`
  }
}

/** The names of the columns, for a list. */
export const namesOf = (columns: ReadonlyArray<Column>, alias = ""): string =>
  columns.map(([name]) => `${alias}${name}`).join(", ")
