/** What commands print on standard output: tables for people, JSON for scripts. */
import { CommandProcess } from "@lead-signals/command-line"
import { Effect } from "effect"
import { stripControlCharacters } from "../UntrustedText.ts"

const cell = (value: unknown): string =>
  value === null || value === undefined
    ? "–"
    : stripControlCharacters(String(Array.isArray(value) ? value.join(", ") : value))

/** Rows under the names of their columns, padded to the widest cell. A dash stands for null. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): string => {
  const lines = [columns, ...rows.map((row) => row.map(cell))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Prints a value as one line of JSON, or a text. */
export const print = (isJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Effect.map(CommandProcess, ({ stdout }) => void stdout.write(`${isJson ? JSON.stringify(value) : text}\n`))
