/** Syncs files. `syncFolderOf` of `@lead-signals/removal-journal` syncs a file's name in its folder. */
import { closeSync, fsyncSync, openSync } from "node:fs"

/** Ends when what was written to the file is on the disk. */
export const syncFile = (filename: string): void => {
  const file = openSync(filename, "r+")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
