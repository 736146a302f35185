/** A file that a command writes: it has its name once it is whole. */
import { Failed, usage } from "@lead-signals/command-line"
import { Effect } from "effect"
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from "node:fs"

/** Where a command writes a text piece by piece. */
export interface Sink {
  readonly write: (text: string) => Effect.Effect<void, Failed>
  readonly finish: Effect.Effect<void, Failed>
}

const fileFailed = (file: string, error: unknown): Failed =>
  new Failed({ message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.` })

/** A file that is there under its name when it is whole; of an export that ends before, nothing is left. */
export const fileSink = (file: string) => {
  const part = `${file}.part`
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => fileFailed(file, error) })
  return Effect.gen(function* () {
    if (existsSync(file))
      return yield* usage(`${file} is there, and no export overwrites a file: name another with --out.`)
    let isWhole = false
    const handle = yield* Effect.acquireRelease(
      attempt(() => openSync(part, "w", 0o600)),
      (opened) =>
        Effect.sync(() => {
          if (isWhole) return
          closeSync(opened)
          rmSync(part, { force: true })
        })
    )
    return {
      write: (text) => attempt(() => void writeSync(handle, text)),
      finish: attempt(() => {
        closeSync(handle)
        isWhole = true
        renameSync(part, file)
      })
    } satisfies Sink
  })
}
