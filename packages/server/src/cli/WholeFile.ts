/** A file that a command writes: it has its name once it is whole. */
import { Failed, usage } from "@lead-signals/command-line"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { syncFolderWhereAllowed } from "../FolderSync.ts"
import { requireFolderOf } from "./NamedFiles.ts"

/** Where a command writes a text piece by piece. */
export interface Sink {
  readonly write: (text: string) => Effect.Effect<void, Failed>
  readonly finish: Effect.Effect<void, Failed>
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown"

const fileFailed = (file: string, error: unknown): Failed =>
  new Failed({ message: `${file} can't be written: ${codeOf(error)}.` })

/** A write may take less than it is given, such as on a disk that becomes full, without an error. */
const writeAll = (handle: number, text: string): void => {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length;) written += writeSync(handle, bytes, written)
}

/** Gives the file its name; throws where there is one of the name by now. */
const rename = (part: string, file: string): void => {
  try {
    linkSync(part, file)
    rmSync(part)
  } catch (error) {
    if (codeOf(error) === "EEXIST" || existsSync(file)) throw error
    // A file system without hard links.
    renameSync(part, file)
  }
}

/**
 * A file that is there under its name when it is whole; until then it has a name of its own beside it, which no other export has. Of an
 * export that ends before, nothing is left.
 */
export const fileSink = (file: string) => {
  const part = `${file}.${randomBytes(8).toString("hex")}.part`
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => fileFailed(file, error) })
  return Effect.gen(function* () {
    yield* requireFolderOf(file)
    if (existsSync(file))
      return yield* usage(`${file} is there, and no export overwrites a file: name another with --out.`)
    let isClosed = false
    const handle = yield* Effect.acquireRelease(
      attempt(() => openSync(part, "wx", 0o600)),
      (opened) =>
        Effect.sync(() => {
          if (!isClosed) closeSync(opened)
          rmSync(part, { force: true })
        })
    )
    return {
      write: (text) => attempt(() => writeAll(handle, text)),
      finish: attempt(() => {
        fsyncSync(handle)
        closeSync(handle)
        isClosed = true
        rename(part, file)
        syncFolderWhereAllowed(file)
      })
    } satisfies Sink
  })
}
