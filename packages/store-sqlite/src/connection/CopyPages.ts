/** Copies a file that is not encrypted page by page, while others read and write it. To be run in a thread: steps and the sync at the end block it. */
import { openDatabase, openToRead } from "./Driver.ts"
import { syncFile } from "./FolderSync.ts"

const pagesAtOnce = 2000

/** Ends the WAL mode that the copy has from its source: SQLite can't read a file in WAL mode on a disk that is mounted read-only. */
const leaveWalMode = (target: string): void => {
  const db = openDatabase(target, { fileMustExist: true }, undefined)
  try {
    db.pragma("journal_mode = DELETE")
  } finally {
    db.close()
  }
}

/**
 * Copies all pages as of one moment to a new file that its owner alone may use, and that is on the disk then. Answers their number.
 * `onProgress` gets the fraction done.
 */
export const copyPages = async (
  filename: string,
  target: string,
  onProgress: (fraction: number) => void
): Promise<number> => {
  const db = openToRead(filename, undefined)
  try {
    db.exec("BEGIN")
    db.prepare("SELECT count(*) FROM sqlite_schema").get()
    const { totalPages } = await db.backup(target, {
      progress: ({ remainingPages, totalPages: all }) => {
        onProgress(all === 0 ? 0 : 1 - remainingPages / all)
        return pagesAtOnce
      }
    })
    leaveWalMode(target)
    syncFile(target)
    return totalPages
  } finally {
    db.close()
  }
}
