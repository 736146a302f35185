/**
 * The files with the data, kept from run to run below node_modules. Their names hold what they are made of, so a file of
 * another schema or generator is never taken; a file is whole when it has its name.
 */
import { createHash } from "node:crypto"
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Progress } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import { makePlainDatabase } from "./reference/PlainDatabase.ts"
import { keyOf, makeSubjectDatabase } from "./SubjectDatabase.ts"

/** Where the files are kept. It can be deleted: they are made again. */
export const folder = fileURLToPath(new URL("../node_modules/.cache/lead-signals-bench", import.meta.url))
const storeFolder = fileURLToPath(new URL("../../packages/store-sqlite/src", import.meta.url))

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "")

/** What the product's file depends on beyond the data: its schema, and how it is filled. */
const schemaTexts = (): string => {
  const migrations = join(storeFolder, "schema", "migrations")
  return [
    ...readdirSync(migrations)
      .sort()
      .map((name) => join(migrations, name)),
    join(storeFolder, "search", "SearchIndex.ts"),
    join(storeFolder, "rank-index", "DerivedTables.ts"),
    fileURLToPath(new URL("SubjectDatabase.ts", import.meta.url))
  ]
    .map(textOf)
    .join("\n")
}

const textBeside = (path: string): string => textOf(fileURLToPath(new URL(path, import.meta.url)))

/** What the plain reference's file depends on beyond the data. */
const plainText = textBeside("reference/PlainDatabase.ts")

/** What both files depend on. */
const sharedText = textBeside("SharedTables.ts")

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12)

/** Whose tables a file has: the product's, or the plain reference's. */
export type Kind = "subject" | "plain"

const pathOf = (kind: Kind, leads: number): string => {
  const text = kind === "subject" ? schemaTexts() : plainText
  return join(folder, `${kind}-${leads}-${digest(`${Data.generatorVersion}\n${sharedText}\n${text}`)}.sqlite`)
}

/** Removes a file with all that lies beside it; nothing where it is not there. */
export const removeDatabase = (path: string): void => {
  for (const end of ["", "-wal", "-shm", "-journal", "-limits", "-limits-wal", "-limits-shm", "-removals"])
    rmSync(`${path}${end}`, { force: true })
}

const make = async (kind: Kind, path: string, leads: number, progress: Progress): Promise<void> => {
  if (kind === "subject") await makeSubjectDatabase(path, leads, progress)
  else makePlainDatabase(path, leads, new Map(Data.brandIds.map((id) => [id, keyOf(id)])), progress)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Files of an earlier schema, and what a run that was killed left behind: they are large. */
const removeStale = (start: string): void => {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start)) continue
    const pid = /\.([0-9]+)\.(?:part|copy)/.exec(name)?.[1]
    if (pid === undefined || !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

const temporary = new Set<string>()
process.on("exit", () => {
  for (const path of temporary) removeDatabase(path)
})

/** The file of so many leads; made when it is not there. */
export const databaseOf = async (kind: Kind, leads: number, { say }: Progress): Promise<string> => {
  const path = pathOf(kind, leads)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  removeStale(`${kind}-${leads}-`)
  const unfinished = `${path}.${process.pid}.part`
  temporary.add(unfinished)
  const startedAt = performance.now()
  const label = `${kind}, ${leads.toLocaleString("en")} leads`
  try {
    await make(kind, unfinished, leads, { say: (text) => say(`making ${label}: ${text}`) })
    renameSync(unfinished, path)
  } finally {
    removeDatabase(unfinished)
  }
  say(`made ${label} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return path
}

/** A copy to write to; remove it with `removeDatabase`. */
export const copyOf = (path: string, name = "copy"): string => {
  const copy = `${path}.${process.pid}.copy${name === "copy" ? "" : `-${name}`}`
  removeDatabase(copy)
  temporary.add(copy)
  copyFileSync(path, copy, constants.COPYFILE_FICLONE)
  // Its way to the disk is not on the account of the first commits.
  const file = openSync(copy, "r+")
  fsyncSync(file)
  closeSync(file)
  return copy
}

/** Reads the file through, so that the system has its pages in memory: one that was just made has them there, one of an earlier day has not. */
export const readThrough = async (path: string): Promise<void> => {
  for await (const _ of createReadStream(path, { highWaterMark: 1 << 20 }));
}
