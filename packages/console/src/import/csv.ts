/** Reads CSV as it arrives: fields in quotes may hold separators, quotes and line breaks. */

const separators = [",", ";", "\t"] as const

/** The separator that the first line has most of. */
export const separatorOf = (firstLine: string): string =>
  separators.reduce(
    (best, each) => (firstLine.split(each).length > firstLine.split(best).length ? each : best),
    ","
  )

/** A row, with the line of the file in which it begins, from 1. */
export interface CsvRow {
  readonly number: number
  readonly cells: ReadonlyArray<string>
}

/** A parser of one file. Text comes in pieces of any length. */
export class CsvParser {
  private field = ""
  private row: Array<string> = []
  private line = 1
  private rowBegan = 1
  private isQuoted = false
  /** A quote inside a quoted field ends it, unless another one follows. */
  private sawQuote = false
  private sawReturn = false

  constructor(private readonly separator: string) {}

  /** The rows that end in this piece. */
  push(text: string): Array<CsvRow> {
    const rows: Array<CsvRow> = []
    for (const character of text) this.take(character, rows)
    return rows
  }

  /** The row that the end of the file ends. */
  end(): Array<CsvRow> {
    const rows: Array<CsvRow> = []
    if (this.field !== "" || this.row.length > 0) this.endRow(rows)
    return rows
  }

  private endField(): void {
    this.row.push(this.field)
    this.field = ""
    this.isQuoted = false
    this.sawQuote = false
  }

  /** A line without anything is no row. */
  private endRow(rows: Array<CsvRow>): void {
    this.endField()
    if (this.row.length > 1 || this.row[0] !== "") rows.push({ number: this.rowBegan, cells: this.row })
    this.row = []
    this.rowBegan = this.line
  }

  private take(character: string, rows: Array<CsvRow>): void {
    // A return and the line feed after it are one end of a line.
    if (character === "\r" || (character === "\n" && !this.sawReturn)) this.line += 1
    if (this.isQuoted && !this.sawQuote) {
      this.sawReturn = character === "\r"
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

/** A row as a line of CSV. */
export const csvLine = (cells: ReadonlyArray<string>, separator: string): string =>
  `${cells
    .map((cell) =>
      cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
    )
    .join(separator)}\r\n`
