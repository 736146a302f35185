/** Files and folders that people name: one that is not there, or can't be read, is wrong usage, whichever command was to read it. [CLI-1] */
import { type Failed, usage } from "@lead-signals/command-line"
import { Effect } from "effect"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown"

/** What keeps the file from being read, as a sentence without its end; null where nothing does. */
const problemOf = (file: string): string | null => {
  try {
    // It is not opened: of a pipe, that would be its one time.
    if (statSync(file).isDirectory()) return `${file} is a folder, not a file`
    accessSync(file, constants.R_OK)
    return null
  } catch (error) {
    const code = codeOf(error)
    return code === "ENOENT" || code === "ENOTDIR"
      ? `There is no file ${file}`
      : `${file} can't be read (${code})`
  }
}

/** Fails unless the file is there and may be read, and answers it; it may be a pipe. `hint` says what to type, such as `--from takes …`. */
export const requireReadable = (file: string, hint: string): Effect.Effect<string, Failed> =>
  Effect.suspend(() => {
    const problem = problemOf(file)
    if (problem === null) return Effect.succeed(file)
    return usage(`${problem}; ${hint}.`)
  })

/** Fails where the folder of a file that is to be written is not there. */
export const requireFolderOf = (file: string): Effect.Effect<void, Failed> =>
  Effect.suspend(() =>
    existsSync(dirname(file))
      ? Effect.void
      : usage(`There is no folder ${dirname(file)}: make it, or name a file in another folder.`)
  )
