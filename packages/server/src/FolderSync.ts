/** The names of files that commands write, on file systems and in folders of every kind. */
import { syncFolderOf } from "@lead-signals/removal-journal"

/** What file systems that sync no folders answer, and folders that may be written and not read. */
const unsynced = new Set(["EINVAL", "EBADF", "ENOTSUP", "EISDIR", "EACCES", "EPERM"])

/**
 * Ends when the file's name is on the disk, where the file system and the folder's permissions allow that. The file is whole under its name
 * either way, so what they refuse is no failure. Throws the error of `node:fs` for any other reason, such as a disk that fails. [CLI-5, CLI-11]
 */
export const syncName = (file: string): void => {
  try {
    syncFolderOf(file)
  } catch (error) {
    if (!unsynced.has((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
