/** The files of a folder. */
import { readdirSync } from "node:fs"
import { join } from "node:path"

/**
 * Paths of the files below a folder, which they begin with, in no particular order. What is installed is left out: Node's recursive read follows the links from
 * package to package, and finds 300,000 files.
 */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(path)
    return entry.isFile() ? [path] : []
  })
