/**
 * Logs that a database has left which was deleted, or moved away, without them. Another file that gets its name is damaged by them: SQLite takes
 * what lies beside a file for the file's own. [STORE-8, REST-4]
 */
import { statSync } from "node:fs"

const logEndings = ["-wal", "-journal"]

/** What SQLite keeps beside a file: its logs, and an index of one that it makes again. */
export const logFileEndings: ReadonlyArray<string> = [...logEndings, "-shm"]

/** The logs at the path of a file that is to be made. An empty one holds nothing, and does no harm. */
export const logsLeftAt = (target: string): ReadonlyArray<string> =>
  logEndings
    .map((ending) => target + ending)
    .filter((log) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
