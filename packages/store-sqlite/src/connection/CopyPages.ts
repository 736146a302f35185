/** Copies a file that is not encrypted page by page, while others read and write it. To be run in a thread: steps and the sync at the end block it. */
import { openToRead } from "./Driver.ts"
import { syncFile } from "./FolderSync.ts"

const pagesAtOnce = 2000

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
    syncFile(target)
    return totalPages
  } finally {
    db.close()
  }
}
