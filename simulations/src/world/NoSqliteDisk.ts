/** In the place of `SqliteDisk` where there are no files. */
import type { Disk } from "./Disk.ts"

/** Always throws. */
export const sqlite = (_options: { readonly synced: boolean; readonly encrypted: boolean }): Disk => {
  throw new Error("A browser has no SQLite file: run over memory, whose digest is the same.")
}
