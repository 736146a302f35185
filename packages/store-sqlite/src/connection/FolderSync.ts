/** Syncs files, and their folders: without that a new or renamed file can be missing after a loss of power. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { dirname } from "node:path"

/** Ends when what was written to the file is on the disk. */
export const syncFile = (filename: string): void => {
  const file = openSync(filename, "r+")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Ends when the file's entry in its folder is on the disk. As the removal journal has it, whose package loads Effect, which threads of this store must not. */
export const syncFolderOf = (filename: string): void => {
  // Windows opens no folders, and needs no such sync.
  if (process.platform === "win32") return
  const folder = openSync(dirname(filename), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
