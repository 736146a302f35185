/** Files that an operator makes as root beside those of a service's account. */
import { lchownSync, statSync } from "node:fs"

/**
 * Gives a file that this process has just made the owner of another file or folder, where the process is root's: a command that an operator runs
 * as root leaves no file that the account of the service can't use. Follows no link, does nothing elsewhere, and never throws: without the right to do it the
 * file stays root's.
 */
export const giveOwnerOf = (like: string, file: string): void => {
  if (process.getuid?.() !== 0) return
  try {
    const { gid, uid } = statSync(like)
    lchownSync(file, uid, gid)
  } catch {
    // A container's root may lack the right, or the file system owners.
  }
}
