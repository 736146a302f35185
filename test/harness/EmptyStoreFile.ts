/** Files of the SQLite store with nothing in them. One is created in each run; a copy takes a third of the time of another. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect } from "effect"
import { copyFileSync } from "node:fs"
import { madeOnce } from "./MadeOnce.ts"
import { temporaryFile } from "./TemporaryFolder.ts"

const template = await madeOnce("empty.sqlite", (filename) =>
  Effect.runPromise(
    Effect.void.pipe(Effect.provide(SqliteStore.layer({ filename, synced: false })), Effect.orDie)
  )
)

/** The path of a new file that the store has created and closed. */
export const emptyStoreFile = (): string => {
  const filename = temporaryFile("store.sqlite")
  copyFileSync(template, filename)
  return filename
}
