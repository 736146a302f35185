/** Finds the removals that a copy lacks: in the journal of its file, and in the database that the copy replaces. [REST-3] */
import {
  findRemovals,
  type FoundRemovals,
  type NamedJournal,
  readJournalFile,
  type RemovalHistory,
  RestoreRefused
} from "@lead-signals/removal-journal"
import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { journalOf } from "../journal/RemovalJournal.ts"

/** Which journal a restore follows. */
export interface JournalOptions {
  /**
   * A file; the path at which the database at the target keeps its own, beside which those of databases of before are; `beside` the target, where
   * that path is the store's default; or `none`.
   */
  readonly journal: { readonly file: string } | { readonly own: string } | "beside" | "none"
  /** Whether a journal counts that is damaged or ends too early. */
  readonly acceptIncomplete: boolean
}

/** The database's own journal, and those of databases that were at its path before. */
const journalsBeside = (own: string): ReadonlyArray<NamedJournal> => {
  const folder = dirname(own)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name === basename(own) || name.startsWith(`${basename(own)}.`))
    .filter((name) => !name.endsWith(".new"))
    .map((name) => readJournalFile(join(folder, name)))
    .filter((found) => found !== null)
    .sort((one, other) => Number(other.file === own) - Number(one.file === own))
}

const chosen = (
  target: string,
  { header }: RemovalHistory,
  journal: Exclude<JournalOptions["journal"], "none">
): NamedJournal | undefined => {
  if (journal !== "beside" && "file" in journal) {
    const found = existsSync(journal.file) ? readJournalFile(journal.file) : null
    if (found === null) throw new RestoreRefused({ reason: `${journal.file} is not a journal of removals` })
    return found
  }
  const own = journal === "beside" ? journalOf(target) : journal.own
  const beside = journalsBeside(own)
  return header === null
    ? beside.find(({ file }) => file === own)
    : beside.find((each) => each.header.databaseId === header.databaseId)
}

/** Throws a `RestoreRefused` when removals since the copy may be missing. */
export const findRemovalsOf = (
  target: string,
  copy: RemovalHistory,
  replaced: RemovalHistory | null,
  { acceptIncomplete, journal }: JournalOptions
): FoundRemovals => {
  if (journal === "none")
    return { file: null, databaseId: null, dropped: 0, beganAt: 0, removals: [], warnings: [] }
  return findRemovals({
    copy,
    journal: chosen(target, copy, journal) ?? null,
    replaced,
    missing: `there is no journal of removals of this database ${typeof journal === "object" && "own" in journal ? `at ${journal.own}` : `beside ${target}`}: name it with --journal, or restore --without-journal and repeat by hand what was erased, revoked and deleted since`,
    acceptIncomplete
  })
}
