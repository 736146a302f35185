/** Syncs the folders of files that commands write, on file systems that may not support it. */
import { syncFolderOf } from "@lead-signals/removal-journal"

/** The errors of file systems that sync no folders, and of folders that may be written and not read. */
const refusals = new Set(["EINVAL", "EBADF", "ENOTSUP", "EISDIR", "EACCES", "EPERM"])

/**
 * Ends when the file's entry in its folder is on the disk, where the file system and the folder's permissions allow that. The file is whole under its
 * name either way, so a refusal is no failure. Throws the error of `node:fs` for any other reason, such as a disk that fails. [CLI-5, CLI-11]
 */
export const syncFolderWhereAllowed = (file: string): void => {
  try {
    syncFolderOf(file)
  } catch (error) {
    if (!refusals.has((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
