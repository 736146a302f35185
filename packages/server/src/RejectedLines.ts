/**
 * Keeps the lines of an import that the server rejects, for them to be corrected. They go into a new file beside the imported
 * one; no file of an earlier run is overwritten, since it may hold corrections. A file of rejected lines that is itself imported
 * keeps those alone that are rejected again.
 */
import { Data, Effect } from "effect"
import {
  closeSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import type { FileLine } from "./ObservationFile.ts"

class NotKept extends Data.TaggedError("NotKept")<{ readonly message: string }> {}

export interface RejectedLines {
  readonly add: (line: FileLine) => Effect.Effect<void, NotKept>
  /** When all lines have had their answer; names the file that holds the rejected ones, null when there are none. */
  readonly finish: Effect.Effect<string | null, NotKept>
  /** When the import ends before that: running it again rejects the same lines. */
  readonly discard: Effect.Effect<void>
}

const isRejectedFile = (file: string): boolean => /\.rejected(?:\.[0-9]+)?\.jsonl$/.test(file)

const numbered = (file: string, n: number): string => `${file}.rejected${n === 1 ? "" : `.${n}`}.jsonl`

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** They hold personal data. */
const ownerOnly = 0o600

interface Output {
  readonly path: string
  readonly descriptor: number
}

/** Opens the first of the numbered files that is not there. */
const openFree = (file: string): Output => {
  for (let n = 1; ; n++) {
    const path = numbered(file, n)
    try {
      return { path, descriptor: openSync(path, "wx", ownerOnly) }
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
    }
  }
}

const newline = Buffer.from("\n")

/** Copies a line whole, also one of which only the beginning is in memory. */
const copyLine = (from: string, { bytes, endsAt, startsAt }: FileLine, to: number): void => {
  if (startsAt + bytes.length + newline.length >= endsAt) {
    writeFileSync(to, Buffer.concat([bytes, newline]))
    return
  }
  const source = openSync(from, "r")
  try {
    const chunk = Buffer.alloc(64 * 1024)
    let last = 0
    for (let at = startsAt; at < endsAt;) {
      const size = readSync(source, chunk, 0, Math.min(chunk.length, endsAt - at), at)
      if (size === 0) break
      writeFileSync(to, chunk.subarray(0, size))
      last = chunk[size - 1]!
      at += size
    }
    if (last !== newline[0]) writeFileSync(to, newline)
  } finally {
    closeSync(source)
  }
}

const attempt = <A>(message: string, work: () => A): Effect.Effect<A, NotKept> =>
  Effect.try({ try: work, catch: (error) => (error instanceof NotKept ? error : new NotKept({ message })) })

/** `open` makes the output when the first line is rejected; `complete` gives the file that holds the lines in the end. */
const writingTo = (
  file: string,
  notWritten: string,
  open: () => Output,
  complete: (output: Output | null) => string | null
): RejectedLines => {
  let output: Output | null = null
  let isClosed = false
  const close = (): void => {
    if (output !== null && !isClosed) closeSync(output.descriptor)
    isClosed = true
  }
  return {
    add: (line) =>
      attempt(notWritten, () => {
        output ??= open()
        copyLine(file, line, output.descriptor)
      }),
    finish: attempt(notWritten, () => {
      close()
      return complete(output)
    }),
    discard: Effect.sync(() => {
      close()
      if (output !== null) rmSync(output.path, { force: true })
    })
  }
}

const besides = (file: string): RejectedLines =>
  writingTo(
    file,
    `${numbered(file, 1)}, for lines that are rejected, can't be written.`,
    () => openFree(file),
    (output) => output?.path ?? null
  )

/** The lines that are rejected again replace the file when it was not changed meanwhile; without any the file goes. */
const replacing = (file: string): RejectedLines => {
  const path = realpathSync(file)
  const versionOf = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`
  const version = versionOf(statSync(path))
  const copy = `${path}.partial`
  return writingTo(
    path,
    `${copy}, for lines that are rejected again, can't be written.`,
    () => {
      try {
        return { path: copy, descriptor: openSync(copy, "wx", ownerOnly) }
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
        throw new NotKept({
          message: `${copy} is there already: another import of ${file} runs, or was killed; then remove it.`
        })
      }
    },
    (output) => {
      if (versionOf(statSync(path)) !== version) {
        throw new NotKept({
          message: `${file} was changed while it was imported, and stays as it is: import it again.`
        })
      }
      if (output === null) rmSync(path)
      else renameSync(output.path, path)
      return output === null ? null : file
    }
  )
}

/** `file` can be read. */
export const rejectedLines = (file: string): RejectedLines =>
  isRejectedFile(file) ? replacing(file) : besides(file)
