/** Reads a file of observations piece by piece, so that its length does not matter. */
import { Refusal } from "../api/Refusal.ts"
import { CsvParser, type CsvRow, separatorOf } from "./csv.ts"

type FileKind = "csv" | "jsonl"

/** A file as its first lines show it. */
export interface Preview {
  readonly kind: FileKind
  /** Names of the columns of CSV. */
  readonly columns: ReadonlyArray<string>
  /** Cells of CSV's first rows. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly separator: string
}

const previewBytes = 64 * 1024
const previewRows = 3

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "")

/**
 * Decodes the pieces of a text in turn, or throws a `Refusal`: other encodings can't be told apart, and would be recorded with replaced
 * letters in people's names. [SES-10]
 */
const utf8Decoder = (): ((bytes?: Uint8Array<ArrayBuffer>) => string) => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      throw new Refusal("This file is not in UTF-8. Save it as “CSV UTF-8” or as UTF-8, and choose it again.")
    }
  }
}

/**
 * Reads the first 64 KiB. A file that begins with `{`, after blanks, is JSONL, any other one CSV, with at most three rows of it. Rejects with a
 * `Refusal` where they are not UTF-8, and when the file can't be read.
 */
export const previewOf = async (file: Blob): Promise<Preview> => {
  // The last character may go on behind them.
  const text = withoutMark(utf8Decoder()(new Uint8Array(await file.slice(0, previewBytes).arrayBuffer())))
  if (/^\s*\{/.test(text)) return { kind: "jsonl", columns: [], rows: [], separator: "" }
  const separator = separatorOf(text.split(/\r?\n/, 1)[0] ?? "")
  const parser = new CsvParser(separator)
  const [header, ...rows] = [...parser.push(text), ...(file.size <= previewBytes ? parser.end() : [])]
  return {
    kind: "csv",
    columns: header?.cells ?? [],
    rows: rows.slice(0, previewRows).map(({ cells }) => cells),
    separator
  }
}

/** Pieces of the text, each with how much of the file was read. */
async function* pieces(file: Blob) {
  const decode = utf8Decoder()
  const reader = file.stream().getReader()
  let read = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    read += value.length
    yield { text: decode(value), read }
  }
  yield { text: decode(), read }
}

/** Rows of CSV without the first, or lines of JSONL as rows of one cell, as they come, with how many bytes of the file were read. */
export async function* rowsOf(
  file: Blob,
  { kind, separator }: Preview
): AsyncGenerator<{ readonly rows: ReadonlyArray<CsvRow>; readonly read: number }> {
  if (kind === "csv") {
    const parser = new CsvParser(separator)
    let isFirst = true
    const without = (rows: ReadonlyArray<CsvRow>) => {
      if (!isFirst || rows.length === 0) return rows
      isFirst = false
      return rows.slice(1)
    }
    for await (const { read, text } of pieces(file)) yield { read, rows: without(parser.push(text)) }
    yield { read: file.size, rows: without(parser.end()) }
    return
  }
  let [rest, ended] = ["", 0]
  const rows = (lines: ReadonlyArray<string>): ReadonlyArray<CsvRow> => {
    const first = ended + 1
    ended += lines.length
    return lines.flatMap((line, i) =>
      line.trim() === "" ? [] : [{ number: first + i, cells: [withoutMark(line)] }]
    )
  }
  for await (const { read, text } of pieces(file)) {
    // Each piece is looked through once, also where a line never ends.
    const lines = text.split("\n")
    lines[0] = rest + lines[0]!
    rest = lines.pop()!
    yield { read, rows: rows(lines) }
  }
  yield { read: file.size, rows: rows([rest]) }
}
