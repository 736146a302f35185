/** What commands print on standard output: tables and sentences for people, JSON and CSV for programs. [CLI-9, CLI-10, CLI-11] */
import * as Options from "@effect/cli/Options"
import { CommandProcess, type Failed, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { stripControlCharacters, stripFromLines, terminalSafeJson } from "../UntrustedText.ts"
import { csvLine } from "./Csv.ts"

/** The forms of a listing. */
export type Form = "table" | "json" | "jsonl" | "csv"

/** What stands in a table for null. */
const nothing = "–"

const cell = (value: unknown): string =>
  value === null || value === undefined
    ? nothing
    : stripControlCharacters(String(Array.isArray(value) ? value.join(", ") : value))

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Takes two columns of a terminal. */
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** The columns that a text takes on a terminal. */
const widthOf = (text: string): number => {
  // oxlint-disable-next-line no-control-regex -- ASCII, which most texts are
  if (/^[\x00-\x7f–]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let kept = ""
  let taken = 1
  for (const { segment } of graphemes.segment(text)) {
    taken += wide.test(segment) ? 2 : 1
    if (taken > width) break
    kept += segment
  }
  return `${kept}…`
}

const gap = 2
/** No column is cut below this. */
const minWidth = 8

/** The columns that a line of cells of these widths takes. */
const lineWidth = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1)

/** Takes from the widest column until the line fits into `columns`, or nothing can be taken. */
const fitted = (widths: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const fit = [...widths]
  let surplus = lineWidth(fit) - columns
  while (surplus > 0) {
    const widest = Math.max(...fit)
    if (widest <= minWidth) break
    const next = Math.max(minWidth, ...fit.filter((width) => width < widest))
    const at = fit.indexOf(widest)
    const taken = Math.min(surplus, Math.max(1, widest - next))
    fit[at] = widest - taken
    surplus -= taken
  }
  return fit
}

/** A terminal below this has no room for columns that are cut. */
const narrowColumns = 60

/** Each row as lines of a heading and its cell, without the empty ones, and a blank line between rows. */
const stacked = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  terminalColumns: number
): string => {
  const width = Math.max(...headings.map(widthOf))
  return rows
    .map((row) =>
      row
        .flatMap((text, i) => {
          const heading = headings[i]! + " ".repeat(width - widthOf(headings[i]!) + gap)
          return text === nothing ? [] : [cut(`${heading}${text}`, terminalColumns)]
        })
        .join("\n")
    )
    .join("\n\n")
}

/** A table as it is printed. */
interface PrintedTable {
  readonly text: string
  /** Whether each row takes a line for each cell. */
  readonly isStacked: boolean
}

const printedTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  terminalColumns = Number.POSITIVE_INFINITY
): PrintedTable => {
  const lines = [columns.map(cell), ...rows.map((row) => row.map(cell))]
  const widest = columns.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i]!))))
  const widths = fitted(widest, terminalColumns)
  const isTooNarrow =
    lineWidth(widths) > terminalColumns ||
    (terminalColumns < narrowColumns && lineWidth(widest) > terminalColumns)
  if (isTooNarrow && rows.length > 0)
    return { text: stacked(lines[0]!, lines.slice(1), terminalColumns), isStacked: true }
  const text = lines
    .map((line) =>
      line
        .map((content, i) => {
          const entry = cut(content, widths[i]!)
          return entry + " ".repeat(widths[i]! - widthOf(entry))
        })
        .join(" ".repeat(gap))
        .trimEnd()
    )
    .join("\n")
  return { text, isStacked: false }
}

/**
 * Rows under the names of their columns, padded to the widest cell. A dash stands for null. With a number of `columns` of a terminal, the
 * widest cells are cut so that a row takes one line. Where that leaves too little of them, each row takes a line for each cell. [CLI-22]
 */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  terminalColumns?: number
): string => printedTable(columns, rows, terminalColumns).text

/** Writes to standard output, and waits while its reader is behind. */
export const write = (text: string): Effect.Effect<void> =>
  Effect.flatMap(CommandProcess, ({ stdout }) =>
    Effect.async<void>((resume) => {
      if (stdout.write(text) !== false) return resume(Effect.void)
      const go = (): void => {
        stdout.off("drain", go)
        resume(Effect.void)
      }
      stdout.on("drain", go)
      return Effect.sync(() => void stdout.off("drain", go))
    })
  )

/** Prints a value as one line of JSON, or a text. */
export const print = (isJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  write(`${isJson ? terminalSafeJson(value) : stripFromLines(text)}\n`)

/* Listings and readings */

/** The columns of a list by heading, each with the cell of an item. An item is what the API answered, of a form that the command knows. */
export type Columns = Readonly<Record<string, (item: any) => unknown>>

/** Columns in their order, whose headings may be anything: those of an object that are integers would come first. */
export type ColumnList = ReadonlyArray<readonly [heading: string, of: Columns[string]]>

const listOf = (columns: Columns | ColumnList): ColumnList =>
  Array.isArray(columns) ? (columns as ColumnList) : Object.entries(columns as Columns)

/** What a listing command read. */
export interface Listing {
  /** What `json` prints. */
  readonly value: unknown
  readonly items: ReadonlyArray<unknown>
  readonly columns: Columns | ColumnList
  /** The columns in CSV, where they are others than the table's. */
  readonly csvColumns?: Columns
  /** A line under the table. */
  readonly footer?: string
}

/** What a command that reads one thing has read. */
export interface Reading {
  readonly value: unknown
  /** What people read, given the columns of the terminal. */
  readonly text: (columns: number) => string
}

const cellsOf = (columns: ColumnList, item: unknown): ReadonlyArray<unknown> =>
  columns.map(([, of]) => of(item))

const headingsOf = (columns: ColumnList): ReadonlyArray<string> => columns.map(([heading]) => heading)

/** The table of a list, with `footer` in the line below it; after a blank line where rows take several lines. */
export const tableOf = (
  columns: Columns | ColumnList,
  items: ReadonlyArray<unknown>,
  terminalColumns?: number | undefined,
  footer?: string | undefined
): string => {
  const list = listOf(columns)
  const { isStacked, text } = printedTable(
    headingsOf(list),
    items.map((item) => cellsOf(list, item)),
    terminalColumns
  )
  return footer === undefined ? text : `${text}${isStacked ? "\n\n" : "\n"}${footer}`
}

/** Names and values, one a line, without those that are null. */
export const described = (
  fields: Readonly<Record<string, unknown>>,
  columns: number = Number.POSITIVE_INFINITY
): string => {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries
    .map(([name, value]) => cut(`${name.padEnd(width)}  ${cell(value)}`.trimEnd(), Math.max(columns, 40)))
    .join("\n")
}

/** The option by which a command prints the API's answer instead of words or a table. */
export const json = Options.boolean("json").pipe(Options.withDescription("Prints JSON, for scripts"))

/** How a command prints many things. `formOf` reads both options, which may not name two forms. */
export const listingFormOptions = {
  json,
  output: Options.choice("output", ["table", "json", "jsonl", "csv"] as const).pipe(
    Options.withDescription("How it is printed [table on a terminal, json elsewhere]"),
    Options.optional
  )
}

/** The options of a command that reads one thing. */
export const readingFormOptions = {
  json,
  output: Options.choice("output", ["table", "json"] as const).pipe(
    Options.withDescription("How it is printed [table on a terminal, json elsewhere]"),
    Options.optional
  )
}

/** How a command prints what it read: as the options say, for people on a terminal, as JSON elsewhere. */
export const formOf = (given: {
  readonly json: boolean
  readonly output: Option.Option<Form>
}): Effect.Effect<Form, Failed> =>
  Effect.flatMap(CommandProcess, ({ stdout }) => {
    const named = Option.getOrNull(given.output)
    if (given.json && named !== null && named !== "json")
      return usage("--json and --output name two forms: leave one out.")
    return Effect.succeed(given.json ? "json" : (named ?? (stdout.isTTY === true ? "table" : "json")))
  })

const terminalColumnsOf = Effect.map(CommandProcess, ({ stdout }) =>
  stdout.isTTY === true && (stdout.columns ?? 0) > 0 ? stdout.columns! : Number.POSITIVE_INFINITY
)

const isTerminal = Effect.map(CommandProcess, ({ stdout }) => stdout.isTTY === true)

/** A text of CSV is harmless on a terminal, too; in a file it keeps its characters. */
const csvOf = (columns: ColumnList, items: ReadonlyArray<unknown>, isSteered: boolean): string => {
  const safe = (value: unknown): unknown =>
    Array.isArray(value)
      ? safe(value.join(" "))
      : isSteered && typeof value === "string"
        ? stripControlCharacters(value)
        : value
  return [
    csvLine(headingsOf(columns).map(safe)),
    ...items.map((item) => csvLine(cellsOf(columns, item).map(safe)))
  ].join("")
}

/** The lines of a listing in a form. */
export const rendered = (listing: Listing, form: Form): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { columns, csvColumns = columns, footer, items, value } = listing
    switch (form) {
      case "json":
        return `${terminalSafeJson(value)}\n`
      case "jsonl":
        return items.map((item) => `${terminalSafeJson(item)}\n`).join("")
      case "csv":
        return csvOf(listOf(csvColumns), items, yield* isTerminal)
      case "table":
        return `${tableOf(columns, items, yield* terminalColumnsOf, footer)}\n`
    }
  })

/** The lines of one thing in a form. */
export const renderedReading = ({ text, value }: Reading, form: Form): Effect.Effect<string> =>
  form === "table"
    ? Effect.map(terminalColumnsOf, (columns) => `${stripFromLines(text(columns))}\n`)
    : Effect.succeed(`${terminalSafeJson(value)}\n`)

/** Moves to an empty screen, which is kept. */
const emptyScreen = "\u001b[2J\u001b[H"

/** Prints again in the place of what was printed before: on a terminal on an empty screen, elsewhere below it. */
export const writeAgain = (text: string): Effect.Effect<void> =>
  Effect.flatMap(isTerminal, (steers) => write(steers ? `${emptyScreen}${text}` : text))
