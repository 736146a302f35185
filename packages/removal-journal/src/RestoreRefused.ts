/** What restores on both stores share: where a database is in the history of its removals, and the doubt that ends one. [REST-3] */
import { Data } from "effect"
import { readFileSync } from "node:fs"
import { type JournalHeader, type JournalText, readJournal, type Removal } from "./RemovalLines.ts"

/** A restore that would bring back what was removed, or lose a database. `reason` says what to do instead. */
export class RestoreRefused extends Data.TaggedError("RestoreRefused")<{
  /** What is wrong, and what to do instead: a clause without a full stop. */
  readonly reason: string
}> {}

/** How far a database is in the history of its removals. */
export interface RemovalHistory {
  /** Null of one by a version without a journal. */
  readonly header: JournalHeader | null
  /** The position of its newest removal. */
  readonly newest: number
  /** Its newest removals, oldest first. */
  readonly removals: ReadonlyArray<Removal>
}

/** A journal and its path. */
export interface NamedJournal extends JournalText {
  /** The path. */
  readonly file: string
}

/** Reads a journal; null where the file is none. Throws where it can't be read. */
export const readJournalFile = (file: string): NamedJournal | null => {
  const found = readJournal(readFileSync(file, "utf8"))
  return found === null ? null : { file, ...found }
}

/** Collects reasons why removals may be missing: warnings where the operator accepts them, and else each ends the restore. */
export const incompleteness = (
  isAccepted: boolean
): { readonly note: (reason: string) => void; readonly warnings: Array<string> } => {
  const warnings: Array<string> = []
  const note = (reason: string): void => {
    if (!isAccepted)
      throw new RestoreRefused({
        reason: `${reason}; with --accept-incomplete-journal the rest of it is used, and you repeat by hand what is missing`
      })
    warnings.push(`${reason}: repeat by hand what was erased, revoked and deleted since.`)
  }
  return { note, warnings }
}
