/** A database file with all that a store keeps beside it: its log, its shared memory, its journal. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** The paths of the file and of those whose names go on from its own. */
export const filesBeside = (filename: string): ReadonlyArray<string> =>
  readdirSync(dirname(filename))
    .filter((name) => name.startsWith(basename(filename)))
    .map((name) => join(dirname(filename), name))

/** All bytes of these files, each byte as the character of its number. */
export const bytesBeside = (filename: string): string =>
  filesBeside(filename)
    .map((file) => readFileSync(file).toString("latin1"))
    .join("")
