/** A database, a backup of it from before removals, and its journal, in as many copies as tests want. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect } from "effect"
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { before, removeAfter } from "../harness/RemovedHistory.ts"
import { on } from "./RestoredHistory.ts"

/** Call once in a file: a folder for its tests, what the database had before the removals, and `scene`, which copies it all. */
export const restoreScenes = async () => {
  const root = temporaryFolder()
  const template = join(root, "template")
  mkdirSync(template)
  const database = join(template, "leads.sqlite")
  const known = await on(database, before)
  await Effect.runPromise(SqliteStore.backup(database, join(template, "backup.sqlite")))
  await on(database, removeAfter(known))
  let copies = 0
  return {
    root,
    known,
    /** The paths of a copy, in a folder of its own. */
    scene: () => {
      const folder = join(root, `scene-${++copies}`)
      cpSync(template, folder, { recursive: true })
      return {
        folder,
        database: join(folder, "leads.sqlite"),
        backup: join(folder, "backup.sqlite"),
        journal: join(folder, "leads.sqlite-removals")
      }
    }
  }
}

/** The lines of a journal; the last is empty. */
export const linesOf = (journal: string): Array<string> => readFileSync(journal, "utf8").split("\n")
