/** Reads where the journal of removals is kept. [REST-9] */
import { Either } from "effect"
import { basename, join } from "node:path"
import { hasControls, kindOf } from "./DatabaseLocation.ts"
import { type Environment, valueOf } from "./Variables.ts"

/** The variable that says where the journal of removals is. */
export const journalVariable = "LEAD_SIGNALS_REMOVAL_JOURNAL"

/** Left: the message of a bad value. Null where no folder is set: on SQLite the journal lies beside the file, on Postgres there is none. */
export const readJournalFolder = (
  environment: Environment,
  database: string
): Either.Either<string | null, string> => {
  const folder = valueOf(environment, journalVariable)
  if (folder === undefined) return Either.right(null)
  if (folder.trim() === "")
    return Either.left(`${journalVariable} takes a folder for the journal of removals.`)
  if (hasControls(folder))
    return Either.left(
      `${journalVariable} takes a folder without control characters, such as a carriage return at its end.`
    )
  return kindOf(database) === "memory"
    ? Either.left(
        `${journalVariable} takes a folder for the journal of removals, and a store in memory keeps none.`
      )
    : Either.right(folder)
}

/** The journal of a SQLite file in the folder. */
export const sqliteJournalIn = (folder: string, database: string): string =>
  join(folder, `${basename(database)}-removals`)
