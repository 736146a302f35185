/**
 * Keeps the lines that the server rejects, for correction. They go into a new file beside the imported one;
 * no file of an earlier import is overwritten, because it may hold corrections. Importing a file of rejected
 * lines leaves in it only the lines that are rejected again. [CLI-5]
 */
import { Data, Effect } from "effect"
import {
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import { syncFolderWhereAllowed } from "./FolderSync.ts"
import type { FileLine } from "./ObservationFile.ts"

class RejectedLinesFailed extends Data.TaggedError("NotKept")<{ readonly message: string }> {}

/** A file of the lines that were rejected, to be mended and sent again. */
export interface RejectedLines {
  readonly add: (line: FileLine) => Effect.Effect<void, RejectedLinesFailed>
  /** Completes the file after the last line. Returns its path, or null when no line was rejected. */
  readonly finish: Effect.Effect<string | null, RejectedLinesFailed>
  /** Removes the file when the import ends early: the next import rejects the same lines. */
  readonly discard: Effect.Effect<void>
}

const isRejectedFile = (file: string): boolean => /\.rejected(?:\.[0-9]+)?\.jsonl$/.test(file)

const numbered = (file: string, n: number): string => `${file}.rejected${n === 1 ? "" : `.${n}`}.jsonl`

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** The lines hold personal data. */
const ownerOnly = 0o600

interface Output {
  readonly path: string
  readonly descriptor: number
}

/** Opens the first numbered file that does not exist yet. */
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

/** Copies a whole line, also when memory holds only its beginning. */
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

const attemptFile = <A>(message: string, work: () => A): Effect.Effect<A, RejectedLinesFailed> =>
  Effect.try({
    try: work,
    catch: (error) => (error instanceof RejectedLinesFailed ? error : new RejectedLinesFailed({ message }))
  })

/**
 * `open` creates the output at the first rejected line; `complete` returns the path of the file that finally
 * holds the lines.
 */
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
      attemptFile(notWritten, () => {
        output ??= open()
        copyLine(file, line, output.descriptor)
      }),
    finish: attemptFile(notWritten, () => {
      if (output === null) return complete(output)
      // Before it replaces a file: a loss of power could leave that file empty, and the corrections in it would be gone.
      fsyncSync(output.descriptor)
      close()
      const kept = complete(output)
      syncFolderWhereAllowed(output.path)
      return kept
    }),
    discard: Effect.sync(() => {
      close()
      if (output !== null) rmSync(output.path, { force: true })
    })
  }
}

const newRejectedFile = (file: string): RejectedLines =>
  writingTo(
    file,
    `${numbered(file, 1)}, the file for rejected lines, can't be written.`,
    () => openFree(file),
    (output) => output?.path ?? null
  )

/**
 * Replaces the file by the lines that are rejected again, unless it changed during the import. Removes it
 * when there are none.
 */
const replaceRejectedFile = (file: string): RejectedLines => {
  const path = realpathSync(file)
  const versionOf = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`
  const version = versionOf(statSync(path))
  const copy = `${path}.partial`
  return writingTo(
    path,
    `${copy}, the file for lines that are rejected again, can't be written.`,
    () => {
      try {
        return { path: copy, descriptor: openSync(copy, "wx", ownerOnly) }
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
        throw new RejectedLinesFailed({
          message: `${copy} exists already. If no other import of ${file} is running, remove it.`
        })
      }
    },
    (output) => {
      if (versionOf(statSync(path)) !== version) {
        throw new RejectedLinesFailed({
          message: `${file} changed during the import, and was left as it is: import it again.`
        })
      }
      if (output === null) rmSync(path)
      else renameSync(output.path, path)
      return output === null ? null : file
    }
  )
}

/** Requires a readable `file`. */
export const rejectedLines = (file: string): RejectedLines =>
  isRejectedFile(file) ? replaceRejectedFile(file) : newRejectedFile(file)
