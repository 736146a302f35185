/** Reads CSV as it arrives: fields in quotes may hold separators, quotes and line breaks. */

const separators = [",", ";", "\t"] as const

/** The separator that the first line has most of. */
export const separatorOf = (firstLine: string): string =>
  separators.reduce(
    (best, each) => (firstLine.split(each).length > firstLine.split(best).length ? each : best),
    ","
  )

/** A parser of one file. Text comes in pieces of any length. */
export class CsvParser {
  private field = ""
  private row: Array<string> = []
  private isQuoted = false
  /** A quote inside a quoted field ends it, unless another one follows. */
  private sawQuote = false
  private sawReturn = false

  constructor(private readonly separator: string) {}

  /** The rows that end in this piece. */
  push(text: string): Array<Array<string>> {
    const rows: Array<Array<string>> = []
    for (const character of text) this.take(character, rows)
    return rows
  }

  /** The row that the end of the file ends. */
  end(): Array<Array<string>> {
    const rows: Array<Array<string>> = []
    if (this.field !== "" || this.row.length > 0) this.endRow(rows)
    return rows
  }

  private endField(): void {
    this.row.push(this.field)
    this.field = ""
    this.isQuoted = false
    this.sawQuote = false
  }

  private endRow(rows: Array<Array<string>>): void {
    this.endField()
    if (this.row.length > 1 || this.row[0] !== "") rows.push(this.row)
    this.row = []
  }

  private take(character: string, rows: Array<Array<string>>): void {
    if (this.isQuoted && !this.sawQuote) {
      if (character === '"') this.sawQuote = true
      else this.field += character
      return
    }
    if (this.sawQuote && character === '"') {
      this.field += character
      this.sawQuote = false
      return
    }
    const followsReturn = this.sawReturn
    this.sawReturn = character === "\r"
    if (character === this.separator) this.endField()
    else if (character === "\r") this.endRow(rows)
    else if (character === "\n") {
      if (!followsReturn) this.endRow(rows)
    } else if (character === '"' && this.field === "" && !this.sawQuote) this.isQuoted = true
    else this.field += character
  }
}
