/** Restricts the files to their owner: they hold personal data. [STORE-7] */
import { Effect } from "effect"
import { chmodSync, statSync } from "node:fs"
import { basename } from "node:path"

/** The file, SQLite's log and its shared memory, and the journal of removals. */
const endings = ["", "-wal", "-shm", "-removals"]

const othersMay = 0o077

/** Removes the rights of group and others; null where they have none, and on Windows, whose modes mean nothing. */
const tightened = (filename: string): "tightened" | "refused" | null => {
  const stats = statSync(filename, { throwIfNoEntry: false })
  if (stats === undefined || process.platform === "win32" || (stats.mode & othersMay) === 0) return null
  try {
    chmodSync(filename, stats.mode & ~othersMay & 0o777)
    return "tightened"
  } catch {
    return "refused"
  }
}

/**
 * Removes the rights of group and others on the file, its log and its shared memory, and logs a warning that names them; the
 * warning says so where the mode can't be changed. It changes modes by path: opening and closing a file would take away the
 * locks that this process holds on it.
 */
export const tighten = (filename: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const found = endings.map((ending) => ({ file: filename + ending, became: tightened(filename + ending) }))
    const named = (became: "tightened" | "refused"): string =>
      found
        .filter((each) => each.became === became)
        .map(({ file }) => basename(file))
        .join(", ")
    const [changed, kept] = [named("tightened"), named("refused")]
    return Effect.zipRight(
      changed === ""
        ? Effect.void
        : Effect.logWarning(
            "other users could access a file that holds personal data: its mode now allows only its owner",
            {
              files: changed
            }
          ),
      kept === ""
        ? Effect.void
        : Effect.logWarning(
            "other users can access a file that holds personal data: its mode can't be changed",
            {
              files: kept
            }
          )
    )
  })
