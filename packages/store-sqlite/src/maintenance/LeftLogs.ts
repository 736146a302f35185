/**
 * Logs of databases that were deleted or moved away without them. They damage another file that gets the database's name: SQLite applies a
 * log to the file beside which it lies. [STORE-8, REST-4]
 */
import { statSync } from "node:fs"

const logEndings = ["-wal", "-journal"]

/** Endings of the files that SQLite keeps beside a database: its logs, and the index of the write-ahead log, which SQLite rebuilds. */
export const logFileEndings: ReadonlyArray<string> = [...logEndings, "-shm"]

/** The paths of the logs beside a file that is to be made, except empty ones, which do no harm. */
export const logsLeftAt = (target: string): ReadonlyArray<string> =>
  logEndings
    .map((ending) => target + ending)
    .filter((log) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
