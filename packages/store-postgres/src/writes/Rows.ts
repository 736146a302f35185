/** Rows that a statement gets as one array for each column, so that their number does not change its text. */
import { binaryArray, type ElementType } from "../connection/BinaryArrays.ts"
import type { Param, Scalar } from "../connection/Connection.ts"

/** A column's name and its type. */
export type Column = readonly [name: string, type: ElementType]

/** The parameters of one statement. */
export class Params {
  readonly all: Array<Param> = []

  /** Adds the parameter, and returns the text that stands for it. */
  add(value: Param): string {
    return `$${this.all.push(value)}`
  }

  /** Adds an array; returns the text that stands for it. */
  array(type: ElementType, values: ReadonlyArray<Scalar>): string {
    return `${this.add(binaryArray(type, values))}::${type}[]`
  }

  /** Adds the rows; returns a table for FROM, with the alias and the columns. */
  rows(alias: string, columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<Scalar>>): string {
    const arrays = columns.map(([, type], i) =>
      this.array(
        type,
        rows.map((row) => row[i]!)
      )
    )
    return `unnest(${arrays.join(", ")}) AS ${alias}(${columns.map(([name]) => name).join(", ")})`
  }
}

/** The names of the columns, for a list. */
export const namesOf = (columns: ReadonlyArray<Column>, alias = ""): string =>
  columns.map(([name]) => `${alias}${name}`).join(", ")
