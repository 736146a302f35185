/** SQL in pieces: text with its parameters, which are numbered when a statement is put together. */
import type { Param } from "../connection/Connection.ts"

/** A statement as a connection takes it. */
export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<Param>
}

/** A piece of a statement. */
export class Sql {
  private readonly strings: ReadonlyArray<string>
  private readonly values: ReadonlyArray<Param | Sql>

  constructor(strings: ReadonlyArray<string>, values: ReadonlyArray<Param | Sql>) {
    this.strings = strings
    this.values = values
  }

  statement(): Statement {
    const params: Array<Param> = []
    return { text: this.render(params), params }
  }

  private render(params: Array<Param>): string {
    let text = this.strings[0]!
    for (const [i, value] of this.values.entries()) {
      text += value instanceof Sql ? value.render(params) : `$${params.push(value)}`
      text += this.strings[i + 1]!
    }
    return text
  }
}

/** The tag of a template whose values are pieces or parameters. */
export const sql = (strings: TemplateStringsArray, ...values: ReadonlyArray<Param | Sql>): Sql =>
  new Sql(strings, values)

/** A piece without parameters. Never made of a client's text. */
export const raw = (text: string): Sql => new Sql([text], [])

/** The pieces with the separator between them. */
export const join = (pieces: ReadonlyArray<Sql>, separator: string): Sql =>
  new Sql(["", ...pieces.map((_, i) => (i === pieces.length - 1 ? "" : separator))], pieces)
