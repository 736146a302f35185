/** Tells which file a path leads to. */
import { statSync } from "node:fs"

/** Device and inode of the file; null where there is none. */
export const identityOf = (filename: string): string | null => {
  const stats = statSync(filename, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}
